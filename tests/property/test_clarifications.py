"""Goal: whatever agents, people and time do, scope, limits and monitor hold; and this suite would
notice if one of their guards were gone.

Method: a state machine plays everybody at random against the pure rules, and checks each change
with oracles of its own. Then every guard and detector is removed in turn, and it must fail.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from agentx.clarification.facts import (
    Answered,
    Asked,
    Escalated,
    Fact,
    Resolved,
    Retried,
    WentStale,
)
from agentx.clarification.limits import CLARIFY_LATE_ANSWERS_MAX
from agentx.clarification.model import (
    PERSON,
    Clarification,
    ClarificationStatus,
    EntryType,
    NewQuestion,
    Reason,
)
from agentx.clarification.protocol import GUARDS, Guard, apply_fact
from agentx.clarification.scope import SCOPE_GUARDS, Scope, ScopeGuard, permit, rounds_of
from agentx.clarification.store.ledger_json import as_json
from agentx.clarification.store.survey import LedgerRows
from agentx.clarification.watch.monitor import DETECTORS, Detector, World, findings
from agentx.kernel.clock import MINUTE_MS, Millis
from agentx.kernel.errors import IllegalTransition, InputError
from agentx.kernel.ids import clarification_id
from tests.support.time_and_chance import START_MS

AGENTS = ("product-manager", "architect", "engineer", "tester")
SCOPES = {
    "product-manager": Scope(can_clarify=("tester",)),
    "architect": Scope(can_clarify=("product-manager", "engineer"), rounds_max=2),
    "engineer": Scope(can_clarify=("architect", "product-manager")),
    "tester": Scope(can_clarify=("engineer", "tester"), sla_minutes=5, blocking_allowed=False),
    "pirate": Scope(can_clarify=AGENTS),
}
CAPS = {True: 5, False: 6}
QUESTIONS = ("which database", "what about the keys", "who may log in", "how long is a session")

PAIRS = [(asker, to) for asker in AGENTS for to in SCOPES[asker].can_clarify if to != asker]

someone = st.sampled_from((*AGENTS, "pirate"))
texts = st.sampled_from((*QUESTIONS, "", "q" * 2_001))
which = st.integers(0, 1_000)


class Talk(RuleBasedStateMachine):
    """Agents, people and time at random."""

    guards: tuple[Guard, ...] = GUARDS
    scope_guards: tuple[ScopeGuard, ...] = SCOPE_GUARDS
    detectors: tuple[Detector, ...] = DETECTORS

    @initialize()
    def begin(self) -> None:
        self.now = START_MS
        self.states: dict[str, Clarification] = {}
        self.closed: set[int] = set()

    def happen(self, number: int, fact: Fact) -> None:
        self.happen_to(self.pick(number).id, fact)

    def happen_to(self, wanted: str, fact: Fact) -> None:
        before = self.states[wanted]
        try:
            after = apply_fact(before, fact, self.guards)
        except IllegalTransition:
            must_be_possible(before, fact)
            return
        may_follow(before, after, fact)
        self.states[after.id] = after

    def pick(self, number: int) -> Clarification:
        """Return one of them, mostly one that is still active, mostly a new one."""
        active = [state for state in self.states.values() if state.is_active]
        among = active if active and number % 5 else list(self.states.values())
        return among[-1 - number % min(len(among), 3)]

    @rule(pair=st.sampled_from(PAIRS), issue=st.integers(1, 3), question=st.sampled_from(QUESTIONS))
    def ask_rightly(self, pair: tuple[str, str], issue: int, question: str) -> None:
        self.ask(*pair, issue, "storage", question, True)

    @rule()
    def ask_each_other(self) -> None:
        self.ask("architect", "engineer", 1, "tokens", QUESTIONS[0], True)
        self.ask("engineer", "architect", 2, "keys", QUESTIONS[1], True)

    @rule(
        asker=someone,
        to=someone,
        issue=st.integers(1, 3),
        topic=st.sampled_from(("storage", "login", "t" * 201)),
        question=texts,
        blocking=st.booleans(),
    )
    def ask_at_random(
        self, asker: str, to: str, issue: int, topic: str, question: str, blocking: bool
    ) -> None:
        self.ask(asker, to, issue, topic, question, blocking)

    def ask(
        self, asker: str, to: str, issue: int, topic: str, question: str, blocking: bool
    ) -> None:
        scope = SCOPES[asker]
        wanted = NewQuestion(
            issue=issue, asker=asker, to=to, topic=topic, question=question, blocking=blocking
        )
        allowed = asker in AGENTS and to in scope.can_clarify and to != asker
        allowed = allowed and 0 < len(question) <= 2_000 and len(topic) <= 200
        try:
            permitted = permit(wanted, scope, frozenset(AGENTS), self.scope_guards)
        except InputError:
            assert not allowed, "a request within scope and bounds is let through"
            return
        assert allowed, "what is out of scope or bounds is refused"
        assert permitted.blocking == (blocking and scope.blocking_allowed)
        state = Clarification(
            id=clarification_id(issue, len(self.states) + 1),
            issue=issue,
            asker=asker,
            to=to,
            topic=topic,
            blocking=permitted.blocking,
            rounds_max=rounds_of(permitted, scope),
            created_ms=Millis(self.now),
            stale_after_ms=Millis(self.now + scope.sla_minutes * MINUTE_MS),
            sla_minutes=scope.sla_minutes,
        )
        fact = Asked(at_ms=Millis(self.now), by=asker, body=question)
        self.states[state.id] = apply_fact(state, fact, self.guards)

    @precondition(lambda self: bool(self.states))
    @rule(number=which, by=st.sampled_from(("target", "target", "asker", PERSON, "reviewer")))
    def answer(self, number: int, by: str) -> None:
        self.answer_as(number, by)

    def answer_as(self, number: int, by: str) -> None:
        self.happen(number, Answered(at_ms=Millis(self.now), by=self.name(number, by), body="so"))

    @precondition(lambda self: bool(self.states))
    @rule(number=which)
    def answer_over_and_over(self, number: int) -> None:
        for _ in range(CLARIFY_LATE_ANSWERS_MAX + 1):
            self.answer_as(number, "target")

    @precondition(lambda self: bool(self.states))
    @rule(
        number=which,
        by=st.sampled_from(("asker", "asker", "target")),
        body=st.sampled_from(QUESTIONS),
    )
    def follow_up(self, number: int, by: str, body: str) -> None:
        self.happen(number, Asked(at_ms=Millis(self.now), by=self.name(number, by), body=body))

    @precondition(lambda self: bool(self.states))
    @rule(
        number=which,
        by=st.sampled_from(("asker", "target", PERSON)),
        body=st.sampled_from(("", "so", "otherwise")),
    )
    def resolve(self, number: int, by: str, body: str) -> None:
        self.happen(number, Resolved(at_ms=Millis(self.now), by=self.name(number, by), body=body))

    @precondition(lambda self: bool(self.states))
    @rule(number=which, body=st.sampled_from(("", "so", "otherwise")))
    def settle_what_a_person_said(self, number: int, body: str) -> None:
        state = self.pick(number)
        self.happen_to(state.id, Answered(at_ms=Millis(self.now), by=PERSON, body="so"))
        self.happen_to(state.id, Resolved(at_ms=Millis(self.now), by=state.asker, body=body))

    @precondition(lambda self: bool(self.states))
    @rule(number=which)
    def escalate(self, number: int) -> None:
        self.happen(number, Escalated(at_ms=Millis(self.now), reason=Reason.MANUAL))

    @precondition(lambda self: bool(self.states))
    @rule(number=which)
    def go_stale(self, number: int) -> None:
        self.happen(number, WentStale(at_ms=Millis(self.now)))

    @precondition(lambda self: bool(self.states))
    @rule(number=which)
    def ask_again(self, number: int) -> None:
        self.happen(number, Retried(at_ms=Millis(self.now)))

    @rule(minutes=st.sampled_from((1, 20, 45)))
    def time_passes(self, minutes: int) -> None:
        self.now = Millis(self.now + minutes * MINUTE_MS)

    @precondition(lambda self: bool(self.states))
    @rule(
        number=which,
        body=st.sampled_from(QUESTIONS),
        by=st.sampled_from(("asker", "asker", "target")),
    )
    def go_a_round(self, number: int, body: str, by: str) -> None:
        state = self.pick(number)
        speaker = self.name(number, by)
        self.happen_to(state.id, Answered(at_ms=Millis(self.now), by=state.to, body="so"))
        self.happen_to(state.id, Asked(at_ms=Millis(self.now), by=speaker, body=body))

    @precondition(lambda self: bool(self.states))
    @rule(number=which)
    def leave_it_unanswered(self, number: int) -> None:
        state = self.pick(number)
        self.now = Millis(max(self.now, state.stale_after_ms))
        self.happen_to(state.id, WentStale(at_ms=Millis(self.now)))
        self.happen_to(state.id, Retried(at_ms=Millis(self.now)))

    @rule()
    def close(self) -> None:
        self.closed = {3}

    @rule()
    def monitor(self) -> None:
        world = World(now_ms=Millis(self.now), closed_issues=frozenset(self.closed))
        for finding in findings(self.states.values(), world, self.detectors):
            before = after = self.states[finding.clarification.id]
            for fact in finding.facts:
                after = apply_fact(after, fact, self.guards)
            may_follow(before, after, finding.facts[-1])
            self.states[after.id] = after
        all_is_well(tuple(self.states.values()), self.now, self.closed)

    def name(self, number: int, by: str) -> str:
        state = self.pick(number)
        return {"target": state.to, "asker": state.asker}.get(by, by)

    def teardown(self) -> None:
        """Check that whatever came about survives the disk."""
        for issue in (1, 2, 3):
            states = [each for each in getattr(self, "states", {}).values() if each.issue == issue]
            rows = [as_json(state) for state in states]
            raw = json.dumps({"issueNumber": issue, "clarifications": rows}).encode()
            assert list(LedgerRows(json.loads(raw), issue).list_all()) == states

    @invariant()
    def limits_hold(self) -> None:
        for state in getattr(self, "states", {}).values():
            assert 1 <= state.round <= state.rounds_max <= CAPS[state.blocking]
            assert len(state.entries(EntryType.QUESTION)) == state.round
            assert state.retries <= 1
            in_time = [entry for entry in state.entries(EntryType.ANSWER) if not entry.late]
            assert len(in_time) <= state.round
            late = len(state.entries(EntryType.ANSWER)) - len(in_time)
            assert late <= CLARIFY_LATE_ANSWERS_MAX


def must_be_possible(state: Clarification, fact: Fact) -> None:
    """Check that what was refused may be refused: some things must always be possible."""
    if isinstance(fact, Resolved) and fact.by == PERSON:
        assert not state.is_active, "a person can settle whatever is active"
    if isinstance(fact, Answered) and fact.by in {state.to, PERSON}:
        assert not state.is_unanswered, "the target can answer what waits for it"
    if isinstance(fact, Asked) and fact.by == state.asker:
        assert state.status is not ClarificationStatus.ANSWERED, "the asker can follow up an answer"


def may_follow(before: Clarification, after: Clarification, fact: Fact) -> None:
    """Check one change, with rules written down a second time."""
    if before.status in {ClarificationStatus.RESOLVED, ClarificationStatus.ABANDONED}:
        pytest.fail("what is settled never changes")
    if before.status is ClarificationStatus.ESCALATED:
        assert after.status in {ClarificationStatus.ESCALATED, ClarificationStatus.RESOLVED}
        if isinstance(fact, Answered) and fact.by == PERSON:
            assert after.status is ClarificationStatus.RESOLVED, "a person's word decides"
    for entry in after.thread[len(before.thread) :]:
        match entry.type:
            case EntryType.QUESTION:
                assert entry.speaker == before.asker
            case EntryType.ANSWER:
                assert entry.speaker in {before.to, PERSON}
                assert before.status in {
                    ClarificationStatus.PENDING,
                    ClarificationStatus.STALE,
                    ClarificationStatus.ESCALATED,
                }
            case EntryType.RESOLUTION:
                agents_may = before.status is ClarificationStatus.ANSWERED
                assert entry.speaker == PERSON or (agents_may and entry.speaker == before.asker)
                said = [one for one in before.thread if one.speaker == PERSON]
                if said and entry.speaker != PERSON and said[-1] is before.answered:
                    assert entry.body in {"", said[-1].body}, "what a person said stands"
            case EntryType.ESCALATION:
                assert before.status is not ClarificationStatus.ESCALATED
    if after.status is ClarificationStatus.STALE:
        assert fact.at_ms >= before.stale_after_ms, "nothing is stale before its time"
        assert before.status is ClarificationStatus.PENDING
    if isinstance(fact, Retried) and after.status is ClarificationStatus.PENDING:
        assert before.status is ClarificationStatus.STALE


def all_is_well(states: tuple[Clarification, ...], now: int, closed: set[int]) -> None:
    """Check that the monitor has left nothing behind."""
    waiting: dict[str, set[str]] = {}
    for state in states:
        if state.is_unanswered:
            assert state.issue not in closed, "nobody waits on a closed issue"
            assert now < state.stale_after_ms, "nobody is late and unnoticed"
            if state.blocking:
                waiting.setdefault(state.asker, set()).add(state.to)
        if state.is_unanswered or state.status is ClarificationStatus.ANSWERED:
            asked = [entry.body for entry in state.entries(EntryType.QUESTION)]
            assert asked[-2:-1] != asked[-1:], "nobody asks the same twice in a row"
    for agent, first in waiting.items():
        reached: set[str] = set()
        frontier = set(first)
        while frontier - reached:
            reached |= frontier
            frontier = {to for each in frontier for to in waiting.get(each, ())}
        assert agent not in reached, "nobody waits for themselves"


def play(machine: type[Talk], examples: int, *, steps: int = 40) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        ),
    )


@pytest.mark.promise("clarify.scope", "clarify.rounds", "clarify.deadlock")
def test_whatever_happens_scope_limits_and_monitor_hold() -> None:
    play(Talk, 50, steps=30)


@pytest.mark.soak
def test_whatever_happens_for_long_scope_limits_and_monitor_hold() -> None:
    play(Talk, 1_500, steps=60)


PLANTED: dict[str, type[Talk]] = {
    **{
        f"guard {gone.name}": type(
            "Planted", (Talk,), {"guards": tuple(each for each in GUARDS if each is not gone)}
        )
        for gone in GUARDS
    },
    **{
        f"scope {gone.name}": type(
            "Planted",
            (Talk,),
            {"scope_guards": tuple(each for each in SCOPE_GUARDS if each is not gone)},
        )
        for gone in SCOPE_GUARDS
    },
    **{
        f"detector {gone.__name__}": type(
            "Planted", (Talk,), {"detectors": tuple(each for each in DETECTORS if each is not gone)}
        )
        for gone in DETECTORS
    },
}


# Those that take about a second each to be noticed.
RARELY_NOTICED = {
    *("guard rounds", "guard person-decides", "detector find_abandoned"),
    *("scope known-asker", "scope topic", "scope question"),
}


@pytest.mark.parametrize(
    "machine",
    [
        pytest.param(machine, id=name, marks=[pytest.mark.soak] if name in RARELY_NOTICED else [])
        for name, machine in PLANTED.items()
    ],
)
def test_a_removed_guard_is_noticed(machine: type[Talk]) -> None:
    with pytest.raises((AssertionError, IllegalTransition, pytest.fail.Exception)):
        play(machine, 600, steps=25)
