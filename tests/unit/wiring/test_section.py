"""Goal: a session is told its own issue and what can be begun, and begins whatever is damaged."""

from __future__ import annotations

from pathlib import Path

from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.wiring.hub import open_issues
from agentx.wiring.section import section_sources
from agentx.wiring.work import open_agents
from agentx.work.agent_states import began, finish
from agentx.work.model import NewIssue, Status
from tests.support.trusting import trusted


def told(project: Project, role: str = "") -> tuple[str, ...]:
    with section_sources(project) as sources:
        return sources.standing().work(role)


def test_a_session_is_told_its_issue_and_what_is_ready(tmp_path: Path) -> None:
    (tmp_path / "shop" / ".agentx").mkdir(parents=True)
    variables = {"HOME": str(tmp_path / "home"), "PATH": "/nowhere"}
    project = trusted(open_project(tmp_path / "shop", read_environment(variables)))
    assert told(project, "engineer") == ()
    issues = open_issues(project)
    for count in range(7):
        labels = ("priority:p0",) if count == 6 else ()
        issues.create(NewIssue(title=f"n {count}", labels=labels, status=Status.READY))
    now = project.clock.now_ms()
    open_agents(project).change("engineer", lambda was: began(was, issue=2, at_ms=now))

    lines = told(project, "engineer")
    assert lines[:2] == ("Your issue: #2 n 1 (Ready)", "Ready to begin: #7 n 6 (Ready, p0)")
    assert lines[-1] == "2 more: agentx ready"
    open_agents(project).change("engineer", lambda was: finish(was, at_ms=now))
    assert told(project, "engineer") == lines[1:]
    project.paths.agent_status.write_bytes(b"{")
    assert told(project, "engineer") == ()
    elsewhere = read_environment({**variables, "AGENTX_WORK_MODE": "github"})
    assert told(open_project(tmp_path / "shop", elsewhere)) == ()
