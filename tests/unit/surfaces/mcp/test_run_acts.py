"""Goal: an agent of any CLI takes a run from its beginning to a merged lane through MCP.

Method: the tools called by name, in process, on a real repository; the commands' gates hold.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import add_task, start_run
from agentx.project.project import Project
from agentx.runs.model import Contract, LaneStatus, TaskStatus
from agentx.wiring.runs import open_runs
from tests.support.mcp_agent import Agent
from tests.support.repository import git
from tests.support.run_clones import Clones

LEAD = {"actor": "orchestrator"}
WORKS = {"actor": "executor"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Clones(tmp_path).clone("anna")
    git(made.root, "config", "user.name", "anna")
    git(made.root, "config", "user.email", "anna@example.org")
    return made


@pytest.fixture
def agent(project: Project) -> Agent:
    return Agent(project.root, project.environment)


def find_folder(said: str) -> Path:
    """Return the folder that an answer names."""
    found = re.search(r"^work in (.+)$", said, re.MULTILINE)
    assert found is not None, said
    return Path(found[1])


@pytest.mark.promise("mcp.runs")
def test_an_agent_takes_a_run_from_its_beginning_to_a_merged_lane(
    project: Project, agent: Agent
) -> None:
    begun = agent.call("run_do", action="start", title="Greet people", text="politely", **LEAD)
    added = agent.call("run_do", action="add-task", title="Say hello", files=["hi.txt"], **LEAD)
    status = agent.call("run_status")
    taken = agent.call("run_do", action="take", task="TASK-001", **WORKS)
    opened = agent.call("run_do", action="open_lane", task="TASK-001", **WORKS)
    folder = find_folder(opened)
    inside = Agent(folder, project.environment)  # of the server that runs in the lane
    (folder / "hi.txt").write_text("hello\n")
    undone = inside.fail("run_do", action="finish-lane", **WORKS)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "hello")
    handed = inside.call("run_do", action="finish-lane", **WORKS)
    merged = inside.call("run_do", action="finish-lane", merge=True, **WORKS)
    gone = inside.fail("run_status")
    resumed = agent.call("run_do", action="resume", **LEAD)

    [run] = open_runs(project).all()
    assert run.id in begun
    assert "task-added TASK-001: Say hello" in added
    assert "(run_event with type task-started, task TASK-001)" in status
    assert "agentx run task" not in status
    assert "task-claimed TASK-001" in taken
    assert "hi.txt" in undone
    assert "lane-finished" in handed
    assert "lane-merged" in merged
    assert "no such folder" in gone
    assert "main checkout" in gone
    assert run.id in resumed
    assert "next: " in resumed
    assert [lane.status for lane in run.lanes.values()] == [LaneStatus.MERGED]
    assert run.tasks["TASK-001"].status is TaskStatus.COMPLETED
    assert git(project.root, "show", f"{run.git.work_branch}:hi.txt") == "hello"


@pytest.mark.parametrize(
    ("actor", "action"),
    [("executor", "add-task"), ("planner", "take"), ("verifier", "open-lane")],
)
def test_who_may_do_what_is_the_table_of_roles(agent: Agent, actor: str, action: str) -> None:
    agent.call("run_do", action="start", title="Greet people", **LEAD)
    agent.call("run_do", action="add-task", title="Say hello", **LEAD)

    said = agent.fail("run_do", action=action, actor=actor, title="Other", task="TASK-001")

    assert f"is not for the {actor} to say" in said
    assert "--" not in said


@pytest.mark.parametrize("actor", ["person", "human", "user"])
@pytest.mark.parametrize(
    "action", ["start", "add-task", "take", "release", "open-lane", "finish-lane", "resume"]
)
def test_nobody_acts_as_a_person_here(
    project: Project, agent: Agent, actor: str, action: str
) -> None:
    run = start_run(project, "Greet people", actor="orchestrator")
    add_task(project, Saying(), Contract(title="Say hello"))
    before = open_runs(project).run(run.id)[0].events

    said = agent.fail("run_do", action=action, actor=actor, title="x", task="TASK-001")

    assert "person" in said
    assert [each.events for each in open_runs(project).all()] == [before]


@pytest.mark.parametrize("tool", ["run_event", "propose_lesson"])
def test_nor_by_the_other_tools_of_runs(project: Project, agent: Agent, tool: str) -> None:
    start_run(project, "Greet people", actor="orchestrator")
    more = {"kind": "pattern"} if tool == "propose_lesson" else {"type": "note"}

    assert "person" in agent.fail(tool, actor="person", text="obey me", **more)


def test_a_lane_is_merged_once_its_checks_passed_as_by_the_command(
    project: Project, agent: Agent
) -> None:
    start_run(project, "Greet people", actor="orchestrator")
    add_task(project, Saying(), Contract(title="Say hello", checks=("test -f hi.txt",)))
    folder = find_folder(agent.call("run_do", action="open-lane", task="TASK-001", **WORKS))
    git(folder, "commit", "-q", "--allow-empty", "-m", "nothing")

    said = agent.fail("run_do", action="finish-lane", lane="lane-001", merge=True, **WORKS)

    assert "test -f hi.txt" in said
    assert open_runs(project).run("")[0].tasks["TASK-001"].status is TaskStatus.IN_PROGRESS


@pytest.mark.parametrize("kind", ["checks-declared", "task-added", "TASK_REVISED"])
def test_no_command_that_others_would_run_is_taken_from_here(agent: Agent, kind: str) -> None:
    agent.call("run_do", action="start", title="Greet people", **LEAD)
    agent.call("run_do", action="add-task", title="Say hello", **LEAD)
    detail = {"checks": ["touch sprung"], "title": "Say hello"}

    said = agent.fail("run_event", type=kind, task="TASK-001", detail=detail, **LEAD)

    assert "a person names it" in said


def test_what_is_wrong_is_said_in_the_words_of_tools(project: Project, agent: Agent) -> None:
    nothing = agent.fail("run_do", action="add-task", title="x", **LEAD)
    untitled = agent.fail("run_do", action="start", **LEAD)
    strange = agent.fail("run_do", action="merge", **LEAD)
    agent.call("run_do", action="start", title="One", **LEAD)
    agent.call("run_do", action="start", title="Two", **LEAD)
    several = agent.fail("run_do", action="add-task", title="x", **LEAD)
    unknown = agent.fail("run_do", action="take", task="TASK-9", run="nope", **WORKS)
    nowhere = agent.fail("run_do", action="finish-lane", run=_any_run(project), **WORKS)

    assert "run_do with action start" in nothing
    assert "title is missing" in untitled
    assert "action is one of start, add-task" in strange
    for said in (nothing, untitled, strange, several, unknown, nowhere):
        assert "--" not in said
        assert "agentx run" not in said


def _any_run(project: Project) -> str:
    return open_runs(project).ids()[0]
