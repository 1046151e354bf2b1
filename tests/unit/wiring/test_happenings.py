"""Goal: every event that the specification names is published, and logged, by a verb.

Method: the verbs in process on a real project; then our own log is read.
"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentx.agents.happenings import HAPPENINGS
from agentx.clarification.events import NAMES
from agentx.daemon.jobs import local_scheduler
from agentx.kernel.clock import DAY_MS
from agentx.kernel.errors import AgentUnavailable
from agentx.observations.model import Category, Recall
from agentx.observations.store.paths import ObservationPaths
from agentx.operations.agents.assignment import RunRequest
from agentx.operations.agents.boundary import finish, start
from agentx.operations.agents.run import run_agent
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import record_verification, start_run
from agentx.operations.upkeep.logs import logs
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.hub import open_issues, run_monitor
from agentx.wiring.listeners import notify
from agentx.wiring.memory import open_store
from agentx.wiring.observations import open_observations, prepare_observations
from agentx.work.model import Edit, NewIssue, Status
from tests.support.clarifying import request
from tests.support.drafts import draft
from tests.support.time_and_chance import FakeClock
from tests.support.trusting import trusted

TYPING = WhoCalls(via=Via.TERMINAL)
SPECIFIED = {
    *("agent-started", "agent-completed", "agent-error", "tool-invoked", "handoff-triggered"),
    *("validation-result", "context-compacted", "thinking-log", "task-fired", "channel-message"),
    *("state-change", "memory-stored", "memory-recalled"),
    *("clarification-requested", "clarification-answered", "clarification-stale"),
    *("clarification-resolved", "clarification-escalated"),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(notify, "begin_apart", lambda *_words, **_more: None)
    folder = tmp_path / "shop"
    (folder / ".agentx").mkdir(parents=True)
    environment = read_environment(
        {"HOME": str(tmp_path), "PATH": "/nowhere", "AGENTX_NOTIFY_COMMAND": "/bin/true"}
    )
    made = trusted(replace(open_project(folder, environment), clock=FakeClock()))
    open_issues(made).create(NewIssue(title="Login", labels=("type:feature",)))
    return made


def records(project: Project, event: str) -> list[dict[str, Any]]:
    return list(logs(project, limit=1_000, event=event))


def nobody(_entry: str) -> None:
    """Tell nobody."""


def live(project: Project) -> None:
    """Let hooks see a tool called and a context compacted; an import tells of an older call."""
    hook = {"hook": "PostToolUse", "tool_name": "Bash"}
    with open_store(project) as memory:
        memory.append(
            [
                draft("3 failed", kind="tool_result", metadata={**hook, "is_error": True}),
                draft("fine", kind="tool_result", at=1, metadata=hook),
                draft("in short", kind="compaction", at=2, metadata={"hook": "PostCompact"}),
                draft("read of", kind="tool_result", at=3, metadata={"tool_name": "Read"}),
                draft("old", kind="tool_result", at=-DAY_MS, metadata=hook),
            ]
        )


def ask_all(project: Project) -> None:
    for number, question in enumerate(("JWT?", "Which keys?", "How long?")):
        clarify_ask.ask(project, request(issue=1, question=question), told=nobody)
        if number == 0:
            clarify_settle.answer(project, "CLR-1-001", "Yes.", caller=TYPING)
            clarify_settle.resolve(project, "CLR-1-001", by="engineer", caller=TYPING)
    clarify_settle.escalate(project, "CLR-1-002", caller=TYPING)
    clock = project.clock
    assert isinstance(clock, FakeClock)
    clock.advance(DAY_MS)
    run_monitor(project)


def remember(project: Project) -> None:
    prepare_observations(project)
    with closing(open_observations(project)) as room:
        kept = room.add("Use ES256.", agent="engineer", issue=1, category=Category.DECISION)
        room.tell_recalled((kept.id,), Recall(agent="engineer"))
        room.settle()
    ObservationPaths(project.observations).manifest.write_text("{", encoding="utf-8")
    with closing(open_observations(project)) as room:
        assert room.stats().total_observations


def work(project: Project) -> None:
    issues = open_issues(project)
    issues.edit(1, Edit(status=Status.READY))
    script = project.root / "script.json"
    script.write_text('[{"fails": "tired"}, {"fails": "tired"}]', encoding="utf-8")
    wanted = RunRequest(role="product-manager", issue=1, runner="scripted", script=script)
    with suppress(AgentUnavailable):
        run_agent(project, wanted, lambda: open_store(project))
    start(project, agent="engineer", issue=1)
    finish(project, agent="engineer", issue=1, told=nobody)
    for status in (Status.IN_PROGRESS, Status.IN_REVIEW, Status.VALIDATING):
        if issues.get(1).status is not status:
            issues.edit(1, Edit(status=status))


def test_every_event_of_the_specification_is_published_by_a_verb(project: Project) -> None:
    live(project)
    ask_all(project)
    remember(project)
    work(project)
    start_run(project, "Checks", actor="engineer")
    record_verification(project, Saying(actor="tester"), "FAILED", ["unit=42", "!e2e=1 red"])
    local_scheduler(project).run_now("memory-verify")

    told = {record["event"] for record in logs(project, limit=5_000)}
    assert SPECIFIED - told == set()
    assert {*HAPPENINGS.values(), *NAMES.values()} <= SPECIFIED | told


def test_what_is_told_of_each(project: Project) -> None:
    live(project)
    calls = records(project, "tool-invoked")
    assert [(call["agent"], call["tool"], call["status"]) for call in calls] == [
        ("claude-code", "Bash", "failed"),
        ("claude-code", "Bash", "ok"),
    ]
    assert all("failed" not in call["detail"] for call in calls), "an id, never the words"

    work(project)
    moves = [record for record in records(project, "state-change") if record["source"] == "issue 1"]
    assert moves[0]["oldState"] == "Backlog"
    handed = records(project, "handoff-triggered")
    assert all(each["fromAgent"] != each["toAgent"] for each in handed)
    assert {each["issueNumber"] for each in handed} == {1}

    start_run(project, "Checks", actor="engineer")
    record_verification(project, Saying(actor="tester"), "FAILED", ["unit=42", "!e2e=1 red"])
    [checked] = records(project, "validation-result")
    assert (checked["agent"], checked["passed"], checked["errors"]) == ("tester", False, ["e2e"])
    local_scheduler(project).run_now("memory-verify")
    assert records(project, "task-fired")[0]["taskId"] == "memory-verify"
    asked = request(issue=1, to="human", question="Which one?")
    clarify_ask.ask(project, asked, told=nobody)
    [sent] = records(project, "channel-message")
    assert (sent["channelId"], sent["direction"]) == ("notify", "out")
