"""Goal: the hub puts questions through within scope, keeps what comes back, and leaves both agents
in the right status whatever happens on the way.

Method: a real project with a clock in hand; the target is played by a script, or by a runner that
does something while it "thinks".
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.agents.hub.hub import Hub
from agentx.agents.runners.port import AnswerStanding, Ask, Reply, Runner
from agentx.agents.runners.scripted import Scripted, ScriptLine
from agentx.agents.runners.wording import prompt_of
from agentx.clarification.errors import ClarificationUnanswered, ScopeViolation
from agentx.clarification.model import PERSON, Clarification, ClarificationStatus, Reason
from agentx.clarification.store.view import ledger_path
from agentx.host.locks.lock import locked
from agentx.host.system import SystemClock
from agentx.kernel.clock import MINUTE_MS, SECOND_MS
from agentx.kernel.errors import AgentUnavailable, IllegalTransition, UnavailableError
from agentx.project.project import Project
from agentx.wiring.clarifications import inbox, open_clarifications
from agentx.wiring.hub import open_hub, open_issues
from agentx.wiring.work import open_agents
from agentx.work.agent_states import began, fail
from agentx.work.model import AgentState, AgentStatus, NewIssue
from tests.support.clarifying import project_at, request
from tests.support.time_and_chance import FakeClock
from tests.support.trusting import trusted


class Thinking:
    """A runner that does something before it answers."""

    name = "thinking"

    def __init__(self, thinks: Callable[[Ask], None], answer: str = "JWT.") -> None:
        self._thinks = thinks
        self._answer = answer

    def run(self, ask: Ask) -> Reply:
        self._thinks(ask)
        return Reply(answer=self._answer)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def project(tmp_path: Path, clock: FakeClock) -> Project:
    made = project_at(tmp_path, clock)
    issues = open_issues(made)
    issues.create(NewIssue(title="Login", body="People log in.", labels=("type:feature",)))
    return made


def hub_of(project: Project, runner: Runner | None = None) -> Hub:
    return open_hub(project, runner_of=lambda _role: runner)


def status(project: Project, agent: str) -> AgentStatus:
    return open_agents(project).get(agent)


def states(project: Project) -> tuple[AgentState, AgentState]:
    return status(project, "engineer").state, status(project, "architect").state


def asked(hub: Hub, question: str = "JWT or sessions?", **other: object) -> Clarification:
    return hub.request(request(issue=1, question=question, **other))  # type: ignore[arg-type]  # any field


def test_4_3_a_request_sets_both_statuses_and_an_answer_resets_them(project: Project) -> None:
    hub = hub_of(project)

    state = asked(hub)

    engineer, architect = status(project, "engineer"), status(project, "architect")
    assert engineer.state is AgentState.BLOCKED_CLARIFICATION
    assert (engineer.clarification_id, engineer.waiting_on) == (state.id, "architect")
    assert architect.state is AgentState.CLARIFYING
    assert (architect.clarification_id, architect.responding_to) == (state.id, "engineer")

    hub.answer(state.id, "JWT.")
    assert states(project) == (AgentState.WORKING, AgentState.IDLE)
    assert status(project, "engineer").clarification_id is None


def test_a_question_that_does_not_block_lets_its_asker_work(project: Project) -> None:
    asked(hub_of(project), blocking=False)

    assert states(project) == (AgentState.IDLE, AgentState.CLARIFYING)


def test_a_stuck_agent_that_asks_is_seen_to_wait_and_works_once_it_has_the_answer(
    project: Project,
) -> None:
    agents = open_agents(project)
    now = project.clock.now_ms()
    agents.change("engineer", lambda was: began(was, issue=42, at_ms=now))
    agents.change("engineer", lambda was: fail(was, at_ms=now))
    hub = open_hub(project)
    hub.check()
    assert agents.get("engineer").state is AgentState.STUCK

    asked = hub.request(request(issue=1))
    waiting = agents.get("engineer")
    assert waiting.state is AgentState.BLOCKED_CLARIFICATION
    assert (waiting.clarification_id, waiting.waiting_on) == (asked.id, "architect")
    hub.answer(asked.id, "JWT.")
    assert agents.get("engineer").state is AgentState.WORKING


def test_several_open_questions_keep_the_oldest_in_the_status(project: Project) -> None:
    hub = hub_of(project)
    first, second = asked(hub, "One?"), asked(hub, "Two?")
    assert status(project, "engineer").clarification_id == first.id

    hub.resolve(first.id, "go on", by=PERSON)
    assert status(project, "engineer").clarification_id == second.id
    assert status(project, "architect").clarification_id == second.id

    hub.resolve(second.id, "go on", by=PERSON)
    assert states(project) == (AgentState.WORKING, AgentState.IDLE)


def test_an_agent_that_is_asked_and_asks_is_blocked_and_then_asked_again(
    project: Project,
) -> None:
    hub = hub_of(project)
    first = asked(hub)
    second = hub.request(request(issue=1, asker="architect", to="product-manager", topic="PRD"))

    assert states(project) == (AgentState.BLOCKED_CLARIFICATION,) * 2

    hub.answer(second.id, "Yes.")
    assert status(project, "architect").state is AgentState.CLARIFYING
    assert status(project, "architect").clarification_id == first.id


def test_the_scope_comes_from_the_workflow_step(project: Project) -> None:
    hub = hub_of(project)

    with pytest.raises(ScopeViolation, match=r"Allowed: \[architect, product-manager\]"):
        asked(hub, to="reviewer")
    assert (asked(hub).rounds_max, asked(hub).sla_minutes) == (3, 60)


def test_the_target_is_given_question_thread_and_artifacts(project: Project) -> None:
    adr = project.root / "docs" / "adr" / "ADR-1.md"
    adr.parent.mkdir(parents=True)
    adr.write_text("# ADR-1\nTokens, because of the cluster.", encoding="utf-8")
    outside = project.root.parent / "secret.md"
    outside.write_text("secret", encoding="utf-8")
    (project.root / "docs" / "prd").mkdir()
    (project.root / "docs" / "prd" / "PRD-1.md").symlink_to(outside)
    runner = Scripted([ScriptLine(answer="JWT."), ScriptLine(answer="ES256.")])
    hub = hub_of(project, runner)
    state = hub.route(asked(hub).id)
    hub.follow_up(state.id, "Which keys?")
    hub.route(state.id)

    first, second = runner.asked
    assert (first.role, first.asked_by, first.issue) == ("architect", "engineer", 1)
    assert first.question == "JWT or sessions?"
    assert first.thread == ()
    named = {artifact.name: artifact.text for artifact in first.artifacts}
    assert set(named) == {"issue 1", "docs/adr/ADR-1.md"}, "and nothing from outside the project"
    assert "because of the cluster" in named["docs/adr/ADR-1.md"]
    assert "architect" in first.instructions.lower()
    assert second.question == "Which keys?"
    assert [(said.speaker, said.body) for said in second.thread] == [
        ("engineer", "JWT or sessions?"),
        ("architect", "JWT."),
    ]


def test_the_target_is_told_what_speaks_against_what_was_said(project: Project) -> None:
    runner = Scripted([ScriptLine(answer="ES256."), ScriptLine(answer="None.")])
    hub = hub_of(project, runner)
    state = asked(hub)
    hub.answer(state.id, "JWT.", by=PERSON)
    hub.follow_up(state.id, "Which keys?")
    hub.answer(asked(hub, to=PERSON).id, "Sessions.", by=PERSON)
    hub.route(state.id)
    hub.route(asked(hub, to="product-manager").id)

    first, second = runner.asked
    later = "later decided otherwise: Sessions. (CLR-1-002)"
    assert first.against == f'before: "JWT." ({later})'
    assert f"## What you must know of that\n\n{first.against}" in prompt_of(first)
    assert "a person had said to the same: Sessions. (CLR-1-002)" in prompt_of(second)


@pytest.mark.promise("clarify.hub")
def test_the_stream_runs_from_question_to_answer(project: Project) -> None:
    runner = Scripted(
        [ScriptLine(answer="JWT.", evidence=("docs/adr/ADR-1.md:3",), remaining="which keys?")]
    )
    hub = hub_of(project, runner)
    told: list[str] = []

    state = hub.route(asked(hub).id, told.append)

    assert told == [
        "[Engineer -> Architect] Clarification needed: JWT or sessions?",
        "[Routing to Architect automatically...]",
        "[Architect] JWT.\n  Evidence: docs/adr/ADR-1.md:3\n  Still open: which keys?",
    ]
    assert (state.status, state.round) == (ClarificationStatus.ANSWERED, 1)
    assert states(project) == (AgentState.WORKING, AgentState.IDLE)


def test_statuses_are_set_while_the_target_thinks_and_no_lock_is_held(project: Project) -> None:
    seen: list[tuple[AgentState, AgentState]] = []

    def thinks(ask: Ask) -> None:
        seen.append(states(project))
        paths = (ledger_path(project.paths, 1), project.paths.agent_status)
        with locked(*paths, owner="somebody", clock=SystemClock(), wait_ms=50):
            seen.append(states(project))

    hub = hub_of(project, Thinking(thinks))
    hub.route(asked(hub).id)

    assert seen == [(AgentState.BLOCKED_CLARIFICATION, AgentState.CLARIFYING)] * 2


def test_a_target_that_fails_is_asked_once_more_after_30_seconds(
    project: Project, clock: FakeClock
) -> None:
    runner = Scripted([ScriptLine(fails="overloaded"), ScriptLine(answer="JWT.")])
    hub = hub_of(project, runner)
    began = clock.now_ms()

    assert hub.route(asked(hub).id).status is ClarificationStatus.ANSWERED
    assert clock.now_ms() - began == 30 * SECOND_MS
    assert len(runner.asked) == 2


def test_a_target_that_fails_twice_calls_a_person_and_the_asker_goes_on(project: Project) -> None:
    hub = hub_of(project, Scripted([ScriptLine(fails="overloaded")]))
    state = asked(hub)
    told: list[str] = []

    with pytest.raises(ClarificationUnanswered, match="overloaded") as failed:
        hub.route(state.id, told.append)

    assert failed.value.code == "AGENT_ERROR"
    after = open_clarifications(project).find(state.id)
    assert (after.status, after.reason) == (ClarificationStatus.ESCALATED, Reason.AGENT_ERROR)
    assert told[-1].startswith("[ESCALATED]")
    assert states(project) == (AgentState.WORKING, AgentState.IDLE)


def test_an_answer_that_comes_after_the_escalation_is_kept_and_undoes_nothing(
    project: Project,
) -> None:
    other = hub_of(project)
    hub = hub_of(project, Thinking(lambda ask: _ignore(other.escalate(ask.clarification_id))))

    state = hub.route(asked(hub).id)

    assert state.status is ClarificationStatus.ESCALATED
    assert state.thread[-1].late
    assert status(project, "engineer").state is AgentState.BLOCKED_CLARIFICATION
    other.resolve(state.id, "JWT it is")
    assert status(project, "engineer").state is AgentState.WORKING


def test_an_answer_that_comes_after_a_resolution_comes_to_nobody(project: Project) -> None:
    other = hub_of(project)
    hub = hub_of(
        project, Thinking(lambda ask: _ignore(other.resolve(ask.clarification_id, "me", by=PERSON)))
    )

    state = hub.route(asked(hub).id)

    assert state.status is ClarificationStatus.RESOLVED
    assert state.thread[-1].body == "me"


def test_a_question_settled_while_waiting_to_ask_again_is_not_asked_again(
    project: Project,
) -> None:
    other = hub_of(project)

    def thinks(ask: Ask) -> None:
        other.resolve(ask.clarification_id, "me", by=PERSON)
        raise AgentUnavailable("overloaded")

    hub = hub_of(project, Thinking(thinks))

    assert hub.route(asked(hub).id).status is ClarificationStatus.RESOLVED


def test_a_long_answer_of_an_agent_is_cut_and_an_empty_one_is_a_failure(project: Project) -> None:
    hub = hub_of(project, Scripted([ScriptLine(answer="long " * 2_000)]))
    assert len(hub.route(asked(hub).id).answer) <= 2_000

    silent = hub_of(project, Thinking(lambda _ask: None, answer="  "))
    with pytest.raises(ClarificationUnanswered, match="said nothing"):
        silent.route(asked(silent, "Other?").id)


def test_an_answer_that_needs_a_person_calls_one(project: Project) -> None:
    hub = hub_of(
        project, Scripted([ScriptLine(answer="I may not.", standing=AnswerStanding.NEEDS_HUMAN)])
    )

    state = hub.route(asked(hub).id)

    assert (state.status, state.reason) == (ClarificationStatus.ESCALATED, Reason.MANUAL)
    assert "a person must decide" in state.summary
    assert state.answer == "I may not."


def test_nobody_to_ask_is_said_and_the_question_waits(project: Project) -> None:
    hub = hub_of(project)
    state = asked(hub)

    with pytest.raises(UnavailableError, match="nobody can be asked"):
        hub.route(state.id)
    assert open_clarifications(project).find(state.id).status is ClarificationStatus.PENDING


def test_2_4_a_stale_question_is_asked_again_and_answered(
    project: Project, clock: FakeClock
) -> None:
    hub = hub_of(project, Scripted([ScriptLine(answer="JWT.")]))
    state = asked(hub)
    clock.advance(60 * MINUTE_MS)

    assert [found.id for found in hub.check().stale] == [state.id]
    answered = hub.retry(state.id)

    assert (answered.status, answered.retries) == (ClarificationStatus.ANSWERED, 1)


def test_a_deadlock_is_broken_and_the_downstream_agent_may_answer_again(project: Project) -> None:
    (project.paths.workflows).mkdir(parents=True)
    (project.paths.workflows / "feature.toml").write_text(
        'name = "feature"\n'
        '[[steps]]\nid = "a"\ntitle = "A"\nagent = "architect"\ncan_clarify = ["engineer"]\n'
        '[[steps]]\nid = "b"\ntitle = "B"\nagent = "engineer"\ncan_clarify = ["architect"]\n',
        encoding="utf-8",
    )
    hub = hub_of(trusted(project))
    kept = hub.request(request(issue=1, asker="architect", to="engineer", topic="x", question="y"))
    given_up = asked(hub)

    found = hub.check()

    assert [state.id for state in found.deadlocked] == [given_up.id]
    assert status(project, "architect").clarification_id == kept.id
    assert status(project, "engineer").state is AgentState.CLARIFYING


def test_nobody_is_asked_about_a_closed_issue(project: Project) -> None:
    open_issues(project).close(1)

    with pytest.raises(IllegalTransition, match="#1 is closed"):
        asked(hub_of(project))
    assert states(project) == (AgentState.IDLE, AgentState.IDLE)


def test_a_closed_issue_abandons_its_questions_and_frees_its_agents(project: Project) -> None:
    hub = hub_of(project)
    state = asked(hub)
    open_issues(project).close(1)

    found = hub.check()

    assert [each.id for each in found.abandoned] == [state.id]
    assert states(project) == (AgentState.WORKING, AgentState.IDLE)


def test_a_closed_issue_takes_nothing_from_a_person_who_is_asked(project: Project) -> None:
    hub = hub_of(project)
    state = asked(hub, to=PERSON)
    open_issues(project).close(1)

    found = hub.check()

    assert (found.abandoned, found.closed_issues) == ((), frozenset({1}))
    assert [each.id for each in inbox(project, PERSON)] == [state.id]
    assert states(project)[0] is AgentState.BLOCKED_CLARIFICATION
    open_issues(project).reopen(1)
    assert hub.check().closed_issues == frozenset()
    assert hub.answer(state.id, "JWT.", by=PERSON, via="terminal").answer == "JWT."
    assert states(project)[0] is AgentState.WORKING


def test_a_process_killed_between_ledger_and_status_is_mended_by_the_next_check(
    project: Project,
) -> None:
    state = asked(hub_of(project))
    open_clarifications(project).answer(state.id, "JWT.")  # as far as a killed process came
    assert states(project) == (AgentState.BLOCKED_CLARIFICATION, AgentState.CLARIFYING)

    hub_of(project).check()

    assert states(project) == (AgentState.WORKING, AgentState.IDLE)


def _ignore(_value: object) -> None:
    """Take a value and do nothing."""
