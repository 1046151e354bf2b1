"""Goal: the verbs of a project: what they say, log, show at session start and in the ready queue.

Method: operations in process on a real project folder, with a clock in the hands of the test.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentx.agents.happenings import HAPPENINGS, AgentNews, StateChange, ThinkingLog, payload
from agentx.clarification.errors import ClarificationUnanswered, ScopeViolation
from agentx.clarification.model import PERSON, ClarificationStatus, Reason
from agentx.clarification.rendering import name_decider, say_decision
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.view import ledger_path
from agentx.host.locks.lock import locked
from agentx.host.system import SystemClock
from agentx.kernel.clock import MINUTE_MS
from agentx.kernel.errors import IllegalTransition, InvalidValue, NotFound
from agentx.operations.agents.boundary import finish, start
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.questions.routing import Player
from agentx.operations.upkeep.logs import logs
from agentx.project.config import read_environment
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.views.documents.clarifications import ClarificationDocuments
from agentx.wiring.clarifications import blocking_questions, make_pen
from agentx.wiring.hub import open_hub, open_issues, run_monitor
from agentx.wiring.told.inbox_lines import inbox_lines
from agentx.wiring.work import open_agents
from agentx.work.model import AgentState, NewIssue
from tests.support.clarifying import project_at, request
from tests.support.time_and_chance import START_MS, FakeClock

TYPING = WhoCalls(via=Via.TERMINAL)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def project(tmp_path: Path, clock: FakeClock) -> Project:
    made = project_at(tmp_path, clock)
    open_issues(made).create(NewIssue(title="Login", labels=("type:feature",)))
    return made


def nobody(_entry: str) -> None:
    """Tell nobody."""


def ask(project: Project, question: str = "JWT or sessions?", **other: Any) -> str:
    return clarify_ask.ask(project, request(issue=1, question=question, **other), told=nobody).id


def records(project: Project, event: str) -> list[dict[str, Any]]:
    return list(logs(project, limit=1_000, event=event))


def test_asking_records_and_returns_pending_at_once(project: Project) -> None:
    state = clarify_ask.ask(project, request(issue=1), told=nobody)

    assert (state.id, state.status) == ("CLR-1-001", ClarificationStatus.PENDING)


def test_roles_may_be_named_by_their_short_names(project: Project) -> None:
    state = clarify_ask.ask(project, request(issue=1, asker="Engineer", to="pm"), told=nobody)

    assert (state.asker, state.to) == ("engineer", "product-manager")


def test_unknown_agents_and_agents_out_of_scope_are_refused(project: Project) -> None:
    with pytest.raises(InvalidValue, match="'pirate' is not a role"):
        ask(project, asker="pirate")
    with pytest.raises(ScopeViolation, match="cannot clarify with 'pirate'"):
        ask(project, to="pirate")


def test_an_issue_that_is_kept_elsewhere_is_worked_on_as_usual(
    tmp_path: Path, clock: FakeClock
) -> None:
    without = project_at(tmp_path, clock)

    state = clarify_ask.ask(without, request(issue=4711), told=nobody)

    assert state.id == "CLR-4711-001"


def test_an_issue_that_is_not_there_is_refused_with_the_nearest(project: Project) -> None:
    open_issues(project).create(NewIssue(title="Logout"))

    with pytest.raises(NotFound, match="no issue #4711") as refused:
        clarify_ask.ask(project, request(issue=4711), told=nobody)

    assert "#2: Logout" in refused.value.hint
    assert not list((project.root / ".agentx" / "questions").glob("4711*"))


def test_waiting_for_somebody_else_ends_with_their_answer(tmp_path: Path, project: Project) -> None:
    answered: list[str] = []

    class Answering(FakeClock):
        def sleep_ms(self, duration_ms: int) -> None:
            super().sleep_ms(duration_ms)
            if self.now_ms() > START_MS + 1_000 and not answered:
                answered.append(
                    clarify_settle.answer(project, "CLR-1-001", "JWT.", caller=TYPING).id
                )

    waiting = clarify_ask.Waiting(wait_ms=60_000)
    asking = project_at(tmp_path, Answering())

    state = clarify_ask.ask(asking, request(issue=1), waiting=waiting, told=nobody)

    assert (state.status, state.answer) == (ClarificationStatus.ANSWERED, "JWT.")


def test_waiting_for_nobody_ends_after_its_time_and_the_question_stays(project: Project) -> None:
    waiting = clarify_ask.Waiting(wait_ms=5_000)

    state = clarify_ask.ask(project, request(issue=1), waiting=waiting, told=nobody)

    assert state.status is ClarificationStatus.PENDING
    assert project.clock.now_ms() == START_MS + 5_000


def test_a_runner_by_name_answers_from_its_script(project: Project, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('[{"answer": "JWT."}, {"fails": "tired"}]', encoding="utf-8")
    waiting = clarify_ask.Waiting(player=Player(runner="scripted", script=script))

    state = clarify_ask.ask(project, request(issue=1), waiting=waiting, told=nobody)
    assert state.answer == "JWT."

    script.write_text('[{"fails": "tired"}]', encoding="utf-8")
    with pytest.raises(ClarificationUnanswered, match="tired"):
        clarify_ask.follow_up(project, state.id, "And?", waiting=waiting, told=nobody)


def test_12_4_clarify_shows_all_active_and_stale_only_those(
    project: Project, clock: FakeClock
) -> None:
    first, second = ask(project), ask(project, "What else?", blocking=False)
    clarify_settle.answer(project, second, "Nothing.", caller=TYPING)
    assert [state.id for state in clarify_read.active(project).clarifications] == [first, second]
    assert clarify_read.late(project).clarifications == ()

    clock.advance(60 * MINUTE_MS)

    late = clarify_read.late(project)
    assert [(state.id, state.status) for state in late.clarifications] == [
        (first, ClarificationStatus.STALE)
    ]
    assert [state.id for state in late.monitor.stale] == [first]
    clock.advance(60 * MINUTE_MS)
    [state] = clarify_read.late(project).clarifications
    assert (state.status, state.reason) == (ClarificationStatus.ESCALATED, Reason.STALE)


def test_12_3_every_operation_is_logged_with_its_fields(project: Project) -> None:
    wanted = ask(project)
    clarify_settle.answer(project, wanted, "JWT.", caller=TYPING)
    clarify_settle.escalate(project, wanted, "we disagree", caller=TYPING)

    [requested] = records(project, "clarification-requested")
    fields = {"clarificationId", "issueNumber", "fromAgent", "toAgent", "round", "status"}
    assert {name: requested[name] for name in sorted(fields)} == {
        "clarificationId": "CLR-1-001",
        "fromAgent": "engineer",
        "issueNumber": 1,
        "round": 1,
        "status": "pending",
        "toAgent": "architect",
    }
    assert records(project, "clarification-answered")[0]["status"] == "answered"
    [escalated] = records(project, "clarification-escalated")
    assert "we disagree" in escalated["summary"]
    assert "Positions:" in escalated["summary"]


def test_12_3_locks_and_monitor_results_are_logged(project: Project) -> None:
    ask(project)  # before it there was no folder, and nothing to say
    ask(project, "And refresh tokens?")

    for name in ("lock-acquired", "lock-released"):
        found = records(project, name)[0]
        assert found["filePath"] == "issue-1.json"
        assert found["agent"] == "engineer"
        assert found["durationMs"] >= 0
    ran = records(project, "clarification-monitor")[0]
    assert (ran["staleCount"], ran["stuckCount"], ran["deadlockedCount"]) == (0, 0, 0)


@pytest.mark.promise("clarify.waits")
def test_a_ledger_that_others_keep_locked_holds_up_no_monitor(
    project: Project, clock: FakeClock
) -> None:
    open_issues(project).create(NewIssue(title="Logout", labels=("type:feature",)))
    ask(project)
    clarify_ask.ask(project, request(issue=2), told=nobody)
    clock.sleep_ms(61 * MINUTE_MS)

    with locked(ledger_path(project.paths, 1), owner="paused", clock=SystemClock()):
        assert [state.id for state in run_monitor(project).stale] == ["CLR-2-001"]
    assert [state.id for state in run_monitor(project).stale] == ["CLR-1-001"]


def test_questions_wait_for_an_agent_that_is_not_running_and_are_shown_at_its_start(
    project: Project,
) -> None:
    assert inbox_lines(project, "architect") == ()
    wanted = ask(project)

    begun = start(project, agent="architect", issue=1)

    [line] = begun.inbox
    assert wanted in line
    assert "engineer asks and waits for it" in line
    assert "JWT or sessions?" in line
    assert f"agentx clarify answer {wanted}" in line
    assert inbox_lines(project, "reviewer") == ()

    clarify_settle.answer(project, wanted, "JWT.", caller=TYPING)
    [answered] = start(project, agent="engineer", issue=1).inbox
    assert "architect answered" in answered
    assert "JWT." in answered


def test_an_inbox_that_is_too_long_says_so(project: Project) -> None:
    for number in range(13):
        ask(project, f"Question {number}?", topic=f"matter {number}")

    lines = inbox_lines(project, "architect")

    assert len(lines) == 11
    assert lines[-1] == "3 more: agentx clarify inbox architect"


def test_the_ready_queue_learns_what_blocks_an_issue(project: Project) -> None:
    wanted = ask(project)
    ask(project, "Something else?", topic="Else", blocking=False)

    [question] = blocking_questions(project)[1]
    assert (question.id, question.to) == (wanted, "architect")

    clarify_settle.answer(project, wanted, "JWT.", caller=TYPING)
    assert blocking_questions(project) == {}


def test_a_session_begins_and_ends_and_the_status_says_so(project: Project) -> None:
    assert start(project, agent="engineer", issue=1).status.state is AgentState.WORKING
    project.clock.sleep_ms(5_000)
    ended = finish(project, agent="engineer", issue=1, told=nobody)

    assert ended.status.state is AgentState.DONE
    [completed] = records(project, "agent-completed")
    assert (completed["agent"], completed["issueNumber"], completed["durationMs"]) == (
        "engineer",
        1,
        5_000,
    )
    assert records(project, "agent-started")[0]["agent"] == "engineer"
    assert [record["newState"] for record in records(project, "state-change")] == [
        "working",
        "done",
    ]


def test_a_session_of_an_agent_that_is_asked_or_waits_keeps_what_others_must_see(
    project: Project,
) -> None:
    wanted = ask(project)

    assert start(project, agent="architect", issue=1).status.state is AgentState.CLARIFYING
    waiting = finish(project, agent="engineer", issue=1, told=nobody)
    assert waiting.status.state is AgentState.BLOCKED_CLARIFICATION
    finish(project, agent="architect", issue=1, told=nobody)

    clarify_settle.answer(project, wanted, "JWT.", caller=TYPING)
    agents = open_agents(project)
    assert agents.get("architect").state is AgentState.DONE
    assert agents.get("engineer").state is AgentState.WORKING


def test_what_nobody_waits_for_any_more_is_abandoned(project: Project, clock: FakeClock) -> None:
    start(project, agent="engineer", issue=1)
    wanted = ask(project, blocking=False)
    finish(project, agent="engineer", issue=1, told=nobody)
    assert run_monitor(project).abandoned == ()

    clock.advance(60 * MINUTE_MS)

    assert [state.id for state in run_monitor(project).abandoned] == [wanted]


def test_2_4_hook_finish_asks_a_stale_question_again_where_somebody_can_be(
    project: Project, clock: FakeClock
) -> None:
    settings = project.environment.user_settings
    settings.parent.mkdir(parents=True)
    settings.write_text('[agents]\nrunner = "architect=codex"\n', encoding="utf-8")
    asking = project_at(project.root.parent, clock)
    wanted = ask(asking)
    clock.advance(60 * MINUTE_MS)
    told: list[str] = []

    # Nothing is installed here: nobody is asked, and nobody says so.
    finish(asking, agent="reviewer", issue=1, told=told.append)

    state = open_hub(asking).check().active[0]
    assert (state.id, state.status, state.retries) == (wanted, ClarificationStatus.STALE, 0)
    assert told == []
    program = project.root.parent / "codex"
    said = {"type": "item.completed", "item": {"type": "agent_message", "text": "JWT."}}
    program.write_text(f"#!/bin/sh\ncat >/dev/null\necho '{json.dumps(said)}'\n", encoding="utf-8")
    program.chmod(0o755)
    variables = {**asking.environment.variables, "PATH": f"{program.parent}:/usr/bin:/bin"}
    installed = replace(asking, environment=read_environment(variables))
    finish(installed, agent="reviewer", issue=1, told=told.append)
    state = open_hub(asking).check().active[0]
    assert (state.status, state.answer) == (ClarificationStatus.ANSWERED, "JWT.")
    assert state.retry is not None
    assert (state.retry.runner, state.retry.outcome) == ("codex", "answered")
    assert any("Routing to Architect" in line for line in told)


def test_clarifications_are_documents_that_can_be_found(project: Project) -> None:
    wanted = ask(project)
    room = ClarificationDocuments(
        LedgerStore(project.paths, project.clock, make_pen(project)), project.id
    )
    [(key, stamp)] = room.parts()

    [document] = room.documents(key)
    assert (document.doc_type, document.doc_id) == ("clarification", wanted)
    assert (document.issue, document.agent) == ("1", "engineer")
    assert "JWT or sessions?" in document.text

    clarify_settle.answer(project, wanted, "Tokens, because of the cluster.", caller=TYPING)
    [(_, changed)] = room.parts()
    assert changed != stamp
    assert "because of the cluster" in next(iter(room.documents(key))).text
    ledger_path(project.paths, 1).write_bytes(b"{")
    assert list(room.documents(key)) == []


def test_the_other_events_have_the_names_and_payloads_that_tools_know() -> None:
    told = {kind.__name__ for kind in AgentNews.__subclasses__()}
    assert {kind.__name__ for kind in HAPPENINGS} == told
    change = StateChange(timestamp=START_MS, source="engineer", new_state="working")
    assert payload(change) == {"timestamp": START_MS, "source": "engineer", "newState": "working"}
    thought = ThinkingLog(timestamp=START_MS, agent="engineer", kind="plan", label="x")
    assert HAPPENINGS[type(thought)] == "thinking-log"


def test_a_person_who_meant_otherwise_says_it_again_or_is_asked_anew(project: Project) -> None:
    name = ask(project, to=PERSON)
    clarify_settle.answer(project, name, "Yes", caller=TYPING)
    with pytest.raises(IllegalTransition) as slip:
        clarify_settle.answer(project, name, "No", caller=TYPING)
    assert slip.value.hint.endswith(f"a person says otherwise: agentx clarify resolve {name} TEXT")
    with pytest.raises(IllegalTransition, match="engineer cannot settle it in other words"):
        clarify_settle.resolve(project, name, "No", caller=WhoCalls(role="engineer"))

    settled = clarify_settle.resolve(project, name, "No", caller=TYPING)

    assert (name_decider(settled), say_decision(settled)) == (
        "a person",
        "No (a person had answered: Yes)",
    )
    with pytest.raises(IllegalTransition) as over:
        clarify_settle.resolve(project, name, "Yes after all", caller=TYPING)
    words = over.value.hint.removeprefix("ask it anew: agentx clarify ask ")
    assert words == (
        '--issue 1 --from engineer --to human --topic "Session storage" '
        '--question "JWT or sessions?" --ask-anyway'
    )
    other = ask(project, "Which?", to=PERSON)
    clarify_settle.answer(project, other, "JWT", caller=TYPING)
    taken = clarify_settle.resolve(project, other, caller=TYPING)  # as its asker: what was said
    assert taken.resolution is not None
    assert (taken.resolution.speaker, say_decision(taken)) == ("engineer", "JWT")
