"""Goal: a clarification moves only as the protocol says, and every row of its table is true.

Method: facts are tried on values; the table is compared with the states as people describe them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from agentx.clarification.data import as_data
from agentx.clarification.facts import (
    Abandoned,
    Answered,
    Asked,
    Escalated,
    Fact,
    Resolved,
    Retried,
    WentStale,
)
from agentx.clarification.model import (
    HUB,
    PERSON,
    Clarification,
    ClarificationStatus,
    EntryType,
    Reason,
)
from agentx.clarification.protocol import GUARDS, TRANSITIONS, apply_fact, decide
from agentx.clarification.rendering import say_decision
from agentx.clarification.store.merging import hear
from agentx.kernel.clock import MINUTE_MS, Millis
from agentx.kernel.errors import IllegalTransition
from agentx.kernel.roles import UNCONFIRMED
from tests.support.clarifying import after, answered, clarification
from tests.support.time_and_chance import START_MS

NOW = Millis(START_MS + MINUTE_MS)
LATE = Millis(START_MS + 31 * MINUTE_MS)

ASKED = Asked(at_ms=NOW, by="engineer", body="And the keys?")
ANSWERED = Answered(at_ms=NOW, by="architect", body="JWT.")
RESOLVED = Resolved(at_ms=NOW, by="engineer")
SETTLED = Resolved(at_ms=NOW, by=PERSON, body="JWT it is")
STALE = WentStale(at_ms=LATE)
RETRIED = Retried(at_ms=LATE)
ESCALATED = Escalated(at_ms=NOW, reason=Reason.MANUAL)
ABANDONED = Abandoned(at_ms=NOW, reason=Reason.ISSUE_CLOSED)
FACTS: tuple[Fact, ...] = (ASKED, ANSWERED, SETTLED, STALE, RETRIED, ESCALATED, ABANDONED)

STATES: dict[ClarificationStatus, Callable[[], Clarification]] = {
    ClarificationStatus.PENDING: clarification,
    ClarificationStatus.ANSWERED: lambda: answered(clarification()),
    ClarificationStatus.STALE: lambda: after(clarification(), STALE),
    ClarificationStatus.RESOLVED: lambda: after(answered(clarification()), RESOLVED),
    ClarificationStatus.ESCALATED: lambda: after(clarification(), ESCALATED),
    ClarificationStatus.ABANDONED: lambda: after(clarification(), ABANDONED),
}

# From, fact, to: as the states are described to users.
MOVES = [
    (ClarificationStatus.PENDING, ANSWERED, ClarificationStatus.ANSWERED),
    (ClarificationStatus.ANSWERED, RESOLVED, ClarificationStatus.RESOLVED),
    (ClarificationStatus.ANSWERED, ASKED, ClarificationStatus.PENDING),
    (ClarificationStatus.PENDING, STALE, ClarificationStatus.STALE),
    (ClarificationStatus.STALE, RETRIED, ClarificationStatus.PENDING),
    (ClarificationStatus.STALE, ESCALATED, ClarificationStatus.ESCALATED),
    (ClarificationStatus.STALE, ANSWERED, ClarificationStatus.ANSWERED),
    (ClarificationStatus.PENDING, ESCALATED, ClarificationStatus.ESCALATED),
    (ClarificationStatus.ANSWERED, ESCALATED, ClarificationStatus.ESCALATED),
    (ClarificationStatus.ESCALATED, SETTLED, ClarificationStatus.RESOLVED),
    (ClarificationStatus.ESCALATED, ANSWERED, ClarificationStatus.ESCALATED),
    (ClarificationStatus.PENDING, ABANDONED, ClarificationStatus.ABANDONED),
    (ClarificationStatus.STALE, ABANDONED, ClarificationStatus.ABANDONED),
]


@pytest.mark.parametrize(
    ("before", "fact", "then"),
    MOVES,
    ids=[f"{before}-{type(fact).__name__}-{then}" for before, fact, then in MOVES],
)
def test_every_row_of_the_table_is_a_move(
    before: ClarificationStatus, fact: Fact, then: ClarificationStatus
) -> None:
    assert apply_fact(STATES[before](), fact).status is then
    assert TRANSITIONS[before][type(fact)] is then


def test_the_table_has_no_other_rows() -> None:
    rows = {(before, type(fact)) for before, fact, _ in MOVES}

    assert {(before, kind) for before, row in TRANSITIONS.items() for kind in row} == rows


@pytest.mark.parametrize("status", list(ClarificationStatus))
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: type(fact).__name__)
def test_what_the_table_does_not_name_is_refused_with_a_hint(
    status: ClarificationStatus, fact: Fact
) -> None:
    state = STATES[status]()
    a_person_steps_in = fact is SETTLED and state.is_unanswered
    if type(fact) in TRANSITIONS[status] or a_person_steps_in:
        return

    with pytest.raises(IllegalTransition) as refused:
        apply_fact(state, fact)

    assert state.id in refused.value.message
    assert refused.value.hint


def test_a_follow_up_is_a_new_round_and_a_new_deadline() -> None:
    state = after(answered(clarification()), ASKED)

    assert (state.round, state.status) == (2, ClarificationStatus.PENDING)
    assert state.stale_after_ms == NOW + 30 * MINUTE_MS
    assert [entry.round for entry in state.thread] == [1, 1, 2]


def test_the_last_round_is_answered_and_resolved_like_any_other() -> None:
    state = clarification(rounds_max=1)

    assert after(state, ANSWERED, RESOLVED).status is ClarificationStatus.RESOLVED


def test_a_question_past_the_last_round_calls_a_person_with_both_positions() -> None:
    state = answered(clarification(rounds_max=1), "JWT, because of the cluster.")

    escalated = apply_fact(state, ASKED)

    assert (escalated.status, escalated.reason) == (
        ClarificationStatus.ESCALATED,
        Reason.MAX_ROUNDS,
    )
    assert escalated.round == 1
    body = escalated.thread[-1].body
    assert "Topic: Session storage" in body
    assert "- engineer: And the keys?" in body
    assert "- architect: JWT, because of the cluster." in body
    assert "agentx clarify resolve CLR-42-001" in body


def test_an_answer_after_the_escalation_is_kept_and_undoes_nothing() -> None:
    state = after(clarification(), ESCALATED, ANSWERED)

    assert state.status is ClarificationStatus.ESCALATED
    assert state.thread[-1].type is EntryType.ANSWER
    assert state.thread[-1].late


@pytest.mark.parametrize("body", ["JWT.", "Cookies."])
def test_a_person_says_what_holds_where_only_a_program_had_said_it_for_them(body: str) -> None:
    said = Answered(at_ms=NOW, by=PERSON, body="JWT.", via=UNCONFIRMED)
    state = after(clarification(), said, RESOLVED)
    word = Resolved(at_ms=NOW, by=PERSON, body=body, via=UNCONFIRMED)
    for refused in (word, replace(word, body="", via="terminal")):
        with pytest.raises(IllegalTransition) as error:
            apply_fact(state, refused)
        assert f"says what holds: agentx clarify resolve {state.id}" in error.value.hint

    settled = apply_fact(state, replace(word, via="terminal"))

    assert settled.decision is not None
    assert (settled.decision.body, settled.decision.doubt) == (body, "")
    with pytest.raises(IllegalTransition):
        apply_fact(settled, replace(word, via="terminal"))


def test_only_the_target_or_a_person_answers() -> None:
    with pytest.raises(IllegalTransition, match="reviewer cannot answer"):
        apply_fact(clarification(), Answered(at_ms=NOW, by="reviewer", body="Cookies!"))

    by_person = Answered(at_ms=NOW, by=PERSON, body="JWT.")
    assert apply_fact(clarification(), by_person).status is ClarificationStatus.ANSWERED


def test_only_the_asker_follows_up() -> None:
    with pytest.raises(IllegalTransition, match="architect cannot follow"):
        apply_fact(answered(clarification()), Asked(at_ms=NOW, by="architect", body="?"))


def test_an_agent_resolves_no_escalation_and_nobody_elses_question() -> None:
    with pytest.raises(IllegalTransition, match="only a person"):
        apply_fact(STATES[ClarificationStatus.ESCALATED](), RESOLVED)
    with pytest.raises(IllegalTransition, match="reviewer cannot resolve"):
        apply_fact(STATES[ClarificationStatus.ANSWERED](), Resolved(at_ms=NOW, by="reviewer"))


def test_a_person_settles_a_pending_question_in_one_step() -> None:
    state = apply_fact(clarification(), SETTLED)

    assert state.status is ClarificationStatus.RESOLVED
    assert [entry.type for entry in state.thread] == [
        EntryType.QUESTION,
        EntryType.ESCALATION,
        EntryType.RESOLUTION,
    ]


def test_nothing_is_stale_before_its_time() -> None:
    with pytest.raises(IllegalTransition, match="not overdue"):
        apply_fact(clarification(), WentStale(at_ms=NOW))


def test_a_second_retry_calls_a_person() -> None:
    state = after(clarification(), STALE, RETRIED)
    overdue = Millis(state.stale_after_ms + 1)

    again = after(state, WentStale(at_ms=overdue), Retried(at_ms=overdue))

    assert (again.status, again.reason) == (ClarificationStatus.ESCALATED, Reason.STALE)


def test_a_resolved_thread_has_a_summary_and_stays_whole() -> None:
    state = after(answered(clarification(), "JWT."), ASKED, ANSWERED, SETTLED)

    assert len(state.thread) == 5
    assert "JWT or server sessions?" in state.summary
    assert "Decided by a person: JWT it is" in state.summary
    assert state.resolved_ms == NOW


@pytest.mark.parametrize("reason", [Reason.AGENT_ERROR, Reason.DEADLOCK])
def test_an_asker_goes_on_when_nobody_can_be_reached_or_a_circle_was_broken(
    reason: Reason,
) -> None:
    state = apply_fact(clarification(), Escalated(at_ms=NOW, reason=reason, by=HUB))

    assert not state.holds_its_asker


@pytest.mark.parametrize("reason", [Reason.MAX_ROUNDS, Reason.STALE, Reason.MANUAL])
def test_an_asker_waits_for_the_person_otherwise(reason: Reason) -> None:
    state = apply_fact(clarification(), Escalated(at_ms=NOW, reason=reason, by=HUB))

    assert state.holds_its_asker
    assert not apply_fact(state, SETTLED).holds_its_asker


def test_guards_have_names_of_their_own() -> None:
    assert len({guard.name for guard in GUARDS}) == len(GUARDS)
    assert decide(clarification(), ANSWERED) == (ANSWERED,)


@pytest.mark.parametrize(
    ("facts", "said", "outcome"),
    [
        ((), "; nobody could be asked in its place", None),
        ((Retried(at_ms=LATE, runner="codex"),), "; codex was asked once more, no answer came", ""),
        ((Retried(at_ms=LATE),), "; it was asked once more, no answer came", ""),
    ],
)
def test_an_escalation_of_what_is_late_says_only_what_happened(
    facts: tuple[Fact, ...], said: str, outcome: str | None
) -> None:
    late = after(clarification(), STALE, *facts, Escalated(at_ms=LATE, reason=Reason.STALE))

    assert f"Why: architect did not answer in time{said}\n" in late.summary
    assert (late.retry.outcome if late.retry is not None else None) == outcome


def test_what_came_of_asking_once_more_is_kept_and_a_further_question_begins_anew() -> None:
    again = after(clarification(), STALE, Retried(at_ms=LATE, runner="codex"))
    failed = after(again, Escalated(at_ms=LATE, reason=Reason.STALE, body="exit code 3"))
    came = after(again, ANSWERED)

    assert (failed.retry is not None and failed.retry.outcome) == "failed"
    assert "codex was asked once more and failed\nNote: exit code 3\n" in failed.summary
    late_answer = after(failed, ANSWERED)
    assert late_answer.retry == failed.retry  # the first outcome stands
    assert (came.retry is not None and came.retry.outcome) == "answered"
    assert after(came, ASKED).retry is None


def test_no_role_settles_in_words_of_its_own_what_a_person_answered() -> None:
    asked = clarification(to=PERSON)
    state = after(asked, Answered(at_ms=NOW, by=PERSON, body="No, never.", via="terminal"))

    with pytest.raises(IllegalTransition, match="a person answered"):
        after(state, Resolved(at_ms=NOW, by="engineer", body="Yes, buy it."))

    for taken in (RESOLVED, Resolved(at_ms=NOW, by="engineer", body="No, never.")):
        done = after(state, taken)
        assert done.decision is not None
        assert (done.decision.speaker, done.decision.body) == (PERSON, "No, never.")
    # By a merge it may come all the same: what a person said is what was decided.
    forged = hear(state, Resolved(at_ms=NOW, by="engineer", body="Yes, buy it."))
    assert (str(forged.status), say_decision(forged)) == ("resolved", "No, never.")
    assert as_data(forged)["resolution"] == "No, never."
