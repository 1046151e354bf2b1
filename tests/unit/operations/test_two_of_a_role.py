"""Goal: two who play one role on two issues have two statuses, and one file that all tools read.

Method: the boundaries of sessions and questions in process; the file as another tool reads it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentx.clarification.errors import NotThePerson
from agentx.clarification.model import PERSON
from agentx.kernel.errors import IllegalTransition
from agentx.operations.agents.boundary import finish, start
from agentx.operations.issues.state import state
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import settle as clarify_settle
from agentx.project.audit import AuditAct
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.hub import open_issues
from agentx.work.model import NewIssue
from tests.support.clarifying import project_at, request
from tests.support.time_and_chance import FakeClock

HOUR_MS = 3_600_000
ENGINEER = WhoCalls(via=Via.AGENT, role="engineer")
ARCHITECT = WhoCalls(via=Via.AGENT, role="architect")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def project(tmp_path: Path, clock: FakeClock) -> Project:
    made = project_at(tmp_path, clock)
    for title in ("Login", "Checkout", "Search"):
        open_issues(made).create(NewIssue(title=title, labels=("type:feature",)))
    return made


def look(project: Project) -> list[tuple[int | None, str, str]]:
    found = (one for one in state(project) if one.agent == "engineer")
    return [(one.issue, str(one.state), one.clarification_id or "") for one in found]


def begin(project: Project, issue: int) -> None:
    start(project, agent="engineer", issue=issue)


def end(project: Project, issue: int) -> None:
    finish(project, agent="engineer", issue=issue, told=lambda _entry: None)


def test_two_engineers_on_two_issues_have_two_statuses(project: Project, clock: FakeClock) -> None:
    begin(project, 1)
    assert look(project) == [(1, "working", "")]
    clock.advance(1_000)
    begin(project, 2)
    assert sorted(look(project)) == [(1, "working", ""), (2, "working", "")]

    # One waits, the other works on; the file says first what others must see.
    asked = clarify_ask.ask(project, request(issue=1), told=lambda _entry: None)
    assert look(project) == [(1, "blocked-clarification", asked.id), (2, "working", "")]
    shape = json.loads(project.paths.agent_status.read_bytes())["engineer"]
    assert (shape["status"], shape["issue"]) == ("blocked-clarification", 1)
    assert shape["waitingOn"] == "architect"
    assert {name: one["status"] for name, one in shape["issues"].items()} == {
        "1": "blocked-clarification",
        "2": "working",
    }
    end(project, 2)
    assert (1, "blocked-clarification", asked.id) in look(project)
    clarify_settle.answer(project, asked.id, "JWT.", caller=ARCHITECT)
    clarify_settle.resolve(project, asked.id, caller=ENGINEER)
    assert (1, "working", "") in look(project)
    end(project, 1)
    assert {one[1] for one in look(project)} == {"done"}
    # Who is at rest begins anew, as before.
    begin(project, 3)
    assert look(project) == [(3, "working", "")]


def test_the_second_to_settle_a_question_is_told_that_it_is_and_stands_in_no_audit_log(
    project: Project,
) -> None:
    asked = clarify_ask.ask(project, request(issue=1), told=lambda _entry: None)
    clarify_settle.answer(project, asked.id, "JWT.", caller=ARCHITECT)
    clarify_settle.resolve(project, asked.id, caller=ENGINEER)
    with pytest.raises(IllegalTransition, match=f"{asked.id} is resolved: cannot be resolved"):
        clarify_settle.resolve(project, asked.id, caller=ENGINEER)
    assert str(AuditAct.REFUSED) not in project.data.audit.read_text(encoding="utf-8")
    with pytest.raises(NotThePerson):
        clarify_settle.resolve(project, asked.id, by=PERSON, caller=ENGINEER)


def test_who_never_said_that_it_ended_is_not_at_work_for_ever(
    project: Project, clock: FakeClock
) -> None:
    begin(project, 1)
    clock.advance(25 * HOUR_MS)
    begin(project, 2)
    assert look(project) == [(2, "working", "")]


def test_a_file_of_another_tool_is_read_as_ever(project: Project) -> None:
    path = project.paths.agent_status
    path.parent.mkdir(parents=True, exist_ok=True)
    at = "2026-03-02T10:00:00.000Z"
    one = {"status": "working", "issue": 1, "lastActivity": at}
    odd: tuple[object, ...] = (None, [], {"2": "odd"}, {"2": {"status": "working"}})
    for issues in odd:
        path.write_text(json.dumps({"engineer": {**one, "issues": issues}}), encoding="utf-8")
        assert look(project) == [(1, "working", "")]
