"""What may happen to a clarification, and what it means.

    (asked) -> pending --------> answered -------> resolved
                | ^  ^              | |                ^
                | |  '--(asked)-----' |                | by a person
                | '-(retried)- stale  |                |
                '----(late)----> '----+--> escalated --'
                |                 |
                '-----------------'------> abandoned

`TRANSITIONS` is the law as data; a test draws the picture's rows from it. `GUARDS` are
the conditions that a table cannot hold, in the order they speak: each may refuse a
fact, or say what happens instead. Both functions are pure, and the service calls them
under the ledger's lock, so that what was true when it was decided is true when it is kept.

An answer that arrives after the escalation is kept and undoes nothing; a person's is the decision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import assert_never

from agentx.clarification.contested import find_contesting, find_unconfirmed
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
from agentx.clarification.limits import CLARIFY_LATE_ANSWERS_MAX, CLARIFY_RETRIES_MAX
from agentx.clarification.model import (
    ACTIVE,
    PERSON,
    UNJUDGED,
    AnswerWorth,
    Clarification,
    ClarificationStatus,
    Entry,
    EntryType,
    Reason,
    Retry,
)
from agentx.clarification.summary import ask_again, escalation_text, resolution_summary, word_ask
from agentx.clarification.ways import lets_go
from agentx.kernel.clock import MINUTE_MS, Millis
from agentx.kernel.errors import AgentXError, IllegalTransition
from agentx.kernel.roles import UNCONFIRMED
from agentx.kernel.text import fold_text, preview
from agentx.kernel.values import frozen

_SAID_CHARS = 200  # of what somebody else answered, in a refusal

TRANSITIONS: Mapping[ClarificationStatus, Mapping[type[Fact], ClarificationStatus]] = {
    ClarificationStatus.PENDING: {
        Answered: ClarificationStatus.ANSWERED,
        WentStale: ClarificationStatus.STALE,
        Escalated: ClarificationStatus.ESCALATED,
        Abandoned: ClarificationStatus.ABANDONED,
    },
    ClarificationStatus.STALE: {
        Retried: ClarificationStatus.PENDING,
        Answered: ClarificationStatus.ANSWERED,
        Escalated: ClarificationStatus.ESCALATED,
        Abandoned: ClarificationStatus.ABANDONED,
    },
    ClarificationStatus.ANSWERED: {
        Asked: ClarificationStatus.PENDING,
        Resolved: ClarificationStatus.RESOLVED,
        Escalated: ClarificationStatus.ESCALATED,
    },
    ClarificationStatus.ESCALATED: {
        Answered: ClarificationStatus.ESCALATED,
        Resolved: ClarificationStatus.RESOLVED,
    },
    ClarificationStatus.RESOLVED: {},
    ClarificationStatus.ABANDONED: {},
}

# The state that a fact leads to where the table does not say otherwise.
_MEANING: Mapping[type[Fact], ClarificationStatus] = {
    Asked: ClarificationStatus.PENDING,
    Answered: ClarificationStatus.ANSWERED,
    Resolved: ClarificationStatus.RESOLVED,
    WentStale: ClarificationStatus.STALE,
    Retried: ClarificationStatus.PENDING,
    Escalated: ClarificationStatus.ESCALATED,
    Abandoned: ClarificationStatus.ABANDONED,
}

Verdict = AgentXError | tuple[Fact, ...] | None  # a refusal, what happens instead, or no objection


@frozen
class Guard:
    """One condition on what may happen."""

    name: str
    judge: Callable[[Clarification, Fact], Verdict]


def decide(
    state: Clarification, fact: Fact, guards: tuple[Guard, ...] | None = None
) -> tuple[Fact, ...]:
    """Return what happens when `fact` is tried: itself, or what takes its place.

    Raises: IllegalTransition when it may not happen.
    """
    for guard in GUARDS if guards is None else guards:
        verdict = guard.judge(state, fact)
        if isinstance(verdict, AgentXError):
            raise verdict
        if verdict is not None:
            return verdict
    return (fact,)


def evolve(state: Clarification, fact: Fact) -> Clarification:
    """Return the clarification as it is once the fact is true."""
    status = TRANSITIONS[state.status].get(type(fact), _MEANING[type(fact)])
    after: Clarification
    match fact:
        case Asked():
            further = state.round + 1
            after = replace(
                _add_entry(state, fact.by, EntryType.QUESTION, fact.body, fact.at_ms, turn=further),
                status=status,
                round=further,
                retries=0,
                retry=None,
                stale_after_ms=_deadline(state, fact.at_ms),
            )
        case Answered():
            late = state.status is ClarificationStatus.ESCALATED
            said = _add_entry(state, fact.by, EntryType.ANSWER, fact.body, fact.at_ms, late=late)
            said = _say_how(said, fact.via, fact.worth)
            after = replace(said, status=status, retry=_end_retry(state, "answered"))
        case Resolved():
            said = _add_entry(state, fact.by, EntryType.RESOLUTION, fact.body, fact.at_ms)
            said = _say_how(said, fact.via)
            after = replace(
                said, status=status, resolved_ms=fact.at_ms, summary=resolution_summary(said)
            )
        case WentStale():
            # The second deadline runs from the first notice, whether or not anybody is asked again.
            after = replace(
                state,
                status=status,
                went_stale=state.went_stale + 1,
                stale_after_ms=_deadline(state, fact.at_ms),
            )
        case Retried():
            after = replace(
                state,
                status=status,
                retries=state.retries + 1,
                retry=Retry(at_ms=fact.at_ms, runner=fact.runner),
                stale_after_ms=_deadline(state, fact.at_ms),
            )
        case Escalated():
            if fact.reason is Reason.STALE and fact.body:  # it says why asking once more failed
                state = replace(state, retry=_end_retry(state, "failed"))
            body = fact.text or escalation_text(state, fact.reason, fact.body)
            said = _add_entry(state, fact.by, EntryType.ESCALATION, body, fact.at_ms)
            after = replace(said, status=status, reason=fact.reason, summary=body)
        case Abandoned():
            after = replace(state, status=status, reason=fact.reason)
        case _:
            assert_never(fact)
    return after


def apply_fact(
    state: Clarification, fact: Fact, guards: tuple[Guard, ...] | None = None
) -> Clarification:
    """Return what becomes of a clarification when a fact is tried.

    Raises: IllegalTransition.
    """
    for caused in decide(state, fact, guards):
        state = evolve(state, caused)
    return state


def is_overdue(state: Clarification, now_ms: int) -> bool:
    """Tell whether the answer should be there by now."""
    # A person is not asked again, and there is nobody to bring it to.
    return state.is_unanswered and state.to != PERSON and now_ms >= state.stale_after_ms


def _add_entry(
    state: Clarification,
    speaker: str,
    kind: EntryType,
    body: str,
    at_ms: Millis,
    *,
    late: bool = False,
    turn: int | None = None,
) -> Clarification:
    number = state.round if turn is None else turn
    entry = Entry(round=number, speaker=speaker, type=kind, body=body, at_ms=at_ms, late=late)
    return replace(state, thread=(*state.thread, entry))


def _say_how(state: Clarification, via: str, worth: AnswerWorth = UNJUDGED) -> Clarification:
    *before, newest = state.thread
    return replace(state, thread=(*before, replace(newest, via=via, worth=worth)))


def _end_retry(state: Clarification, outcome: str) -> Retry | None:
    """Return the retry with what came of it; the first outcome stands."""
    if state.retry is None or state.retry.outcome:
        return state.retry
    return replace(state.retry, outcome=outcome)


def _deadline(state: Clarification, from_ms: int) -> Millis:
    return Millis(from_ms + state.sla_minutes * MINUTE_MS)


# --- guards ---------------------------------------------------------------------------------


def _first_question(state: Clarification, fact: Fact) -> Verdict:
    """Round 0 is a question that is about to be put."""
    return (fact,) if isinstance(fact, Asked) and state.round == 0 else None


def _a_person_steps_in(state: Clarification, fact: Fact) -> Verdict:
    """A person need not wait for the agents: calling the person and settling it are one step."""
    stepped_in = isinstance(fact, Resolved) and fact.by == PERSON
    if not (stepped_in and state.is_unanswered):
        return None
    return Escalated(at_ms=fact.at_ms, reason=Reason.MANUAL, by=PERSON), fact


def _a_person_decides(state: Clarification, fact: Fact) -> Verdict:
    """What a person says to a question that was brought to a person is the decision."""
    is_said = isinstance(fact, Answered) and fact.by == PERSON
    if not (is_said and state.status is ClarificationStatus.ESCALATED):
        return None
    assert isinstance(fact, Answered), "looked at just now"
    return (Resolved(at_ms=fact.at_ms, by=fact.by, body=fact.body, via=fact.via),)


def _ends_contest(state: Clarification, fact: Fact) -> bool:
    """Tell whether a person says what holds of what is settled and contested, or of what only a
    program had said for them.
    """
    if not (isinstance(fact, Resolved) and fact.by == PERSON):
        return False
    # Who only lets it go says nothing of which word holds.
    says = not lets_go(fact.body, lambda: f"{state.topic}\n{state.asked_last}")
    confirms = fact.via != UNCONFIRMED and _is_settled_unconfirmed(state)
    return says and (confirms or _is_settled_and_contested(state))


def _is_settled_unconfirmed(state: Clarification) -> bool:
    return state.status is ClarificationStatus.RESOLVED and find_unconfirmed(state) is not None


def _is_settled_and_contested(state: Clarification) -> bool:
    return state.status is ClarificationStatus.RESOLVED and find_contesting(state) is not None


def _the_table(state: Clarification, fact: Fact) -> Verdict:
    if type(fact) in TRANSITIONS[state.status] or _ends_contest(state, fact):
        return None
    verbs: dict[type[Fact], str] = {
        Asked: "followed up",
        Answered: "answered",
        Resolved: "resolved",
        WentStale: "called stale",
        Retried: "asked again",
        Escalated: "escalated",
        Abandoned: "abandoned",
    }
    says = f"{state.id} is {state.status}: cannot be {verbs[type(fact)]}{_say_first(state, fact)}"
    if _is_settled_and_contested(state) and isinstance(fact, Resolved) and fact.by == PERSON:
        says = f"{state.id} is settled, and contested: what holds is said in words"
    return IllegalTransition(says, hint=_next_step(state))


def _say_first(state: Clarification, fact: Fact) -> str:
    """Return what was answered already, to who answers otherwise: somebody was faster."""
    first = (state.decision or state.answered) if isinstance(fact, Answered) else None
    if first is None or not isinstance(fact, Answered) or first.body.split() == fact.body.split():
        return ""
    said = preview(fold_text(first.body), _SAID_CHARS)
    return f"; {first.speaker_shown} answered: {said}; yours is not kept"


def _only_the_asker_follows_up(state: Clarification, fact: Fact) -> Verdict:
    if not isinstance(fact, Asked) or fact.by == state.asker:
        return None
    return IllegalTransition(
        f"{state.id} was asked by {state.asker}: {fact.by} cannot follow it up",
        hint="ask a new question",
    )


def _only_the_target_answers(state: Clarification, fact: Fact) -> Verdict:
    if not isinstance(fact, Answered) or fact.by in {state.to, PERSON}:
        return None
    if fact.is_known and state.is_unanswered:
        return None  # its asker takes what was answered once; nobody speaks for the target
    return IllegalTransition(
        f"{state.id} was asked of {state.to}: {fact.by} cannot answer it",
        hint=f"answer as {state.to}, or as {PERSON}"
        if state.to != PERSON
        else "the user answers it in a terminal: agentx clarify inbox",
    )


def _so_many_late_answers(state: Clarification, fact: Fact) -> Verdict:
    """What comes after the escalation decides nothing, so it does not grow the thread for ever."""
    if not isinstance(fact, Answered) or state.status is not ClarificationStatus.ESCALATED:
        return None
    late = sum(entry.late and not entry.is_claim for entry in state.entries(EntryType.ANSWER))
    if late < CLARIFY_LATE_ANSWERS_MAX:
        return None
    return IllegalTransition(
        f"{state.id} was escalated and has {late} answers since: no more are kept",
        hint=f"a person settles it: agentx clarify resolve {state.typed} TEXT",
    )


def _only_its_people_resolve(state: Clarification, fact: Fact) -> Verdict:
    if not isinstance(fact, Resolved) or fact.by == PERSON:
        return None
    if state.status is ClarificationStatus.ESCALATED:
        return IllegalTransition(
            f"{state.id} is escalated: only a person can resolve it",
            hint=f"agentx clarify resolve {state.typed} TEXT",
        )
    if fact.by == state.asker:
        return None
    return IllegalTransition(
        f"{state.id} was asked by {state.asker}: {fact.by} cannot resolve it",
        hint=f"{state.asker} or a person says whether that settles it",
    )


def _what_a_person_said_stands(state: Clarification, fact: Fact) -> Verdict:
    """Who asked a person settles it with what they said, and not with words of its own."""
    if not isinstance(fact, Resolved) or fact.by == PERSON or not fact.body:
        return None
    answered = state.answered
    if answered is None or not answered.is_persons_word or fact.body == answered.body:
        return None
    return IllegalTransition(
        f"a person answered {state.id}: {fact.by} cannot settle it in other words",
        hint=f"agentx clarify resolve {state.typed}, without a text; or ask on: "
        f"agentx clarify ask --follow-up {state.typed}",
    )


def _so_many_rounds(state: Clarification, fact: Fact) -> Verdict:
    """Two agents that still disagree now will not agree by asking again."""
    if not isinstance(fact, Asked) or state.round < state.rounds_max:
        return None
    escalated = Escalated(at_ms=fact.at_ms, reason=Reason.MAX_ROUNDS, by=fact.by, body=fact.body)
    return (escalated,)


def _stale_only_when_due(state: Clarification, fact: Fact) -> Verdict:
    if not isinstance(fact, WentStale) or is_overdue(state, fact.at_ms):
        return None
    return IllegalTransition(f"{state.id} is not overdue", hint="nothing is to be done")


def _one_retry(state: Clarification, fact: Fact) -> Verdict:
    if not isinstance(fact, Retried) or state.retries < CLARIFY_RETRIES_MAX:
        return None
    return (Escalated(at_ms=fact.at_ms, reason=Reason.STALE),)


def _next_step(state: Clarification) -> str:
    match state.status:
        case ClarificationStatus.PENDING | ClarificationStatus.STALE:
            return f"it waits for {state.to}: agentx clarify answer {state.typed} TEXT"
        case ClarificationStatus.ANSWERED:
            otherwise = f"; a person says otherwise: agentx clarify resolve {state.typed} TEXT"
            return f"{state.asker} resolves it or follows it up{otherwise}"
        case ClarificationStatus.ESCALATED:
            return f"a person settles it: agentx clarify resolve {state.typed} TEXT"
        case ClarificationStatus.RESOLVED:
            anew = f"ask it anew: {word_ask(state, PERSON)} --ask-anyway"
            holds = f"; a person says what holds: agentx clarify resolve {state.typed} TEXT"
            is_sure = find_contesting(state) is None and find_unconfirmed(state) is None
            return anew if is_sure else f"{anew}{holds}"
        case ClarificationStatus.ABANDONED:
            return ask_again(state)


GUARDS: tuple[Guard, ...] = (
    Guard(name="first-question", judge=_first_question),
    Guard(name="person-steps-in", judge=_a_person_steps_in),
    Guard(name="person-decides", judge=_a_person_decides),
    Guard(name="table", judge=_the_table),
    Guard(name="asker-follows-up", judge=_only_the_asker_follows_up),
    Guard(name="target-answers", judge=_only_the_target_answers),
    Guard(name="late-answers", judge=_so_many_late_answers),
    Guard(name="its-people-resolve", judge=_only_its_people_resolve),
    Guard(name="a-persons-word-stands", judge=_what_a_person_said_stands),
    Guard(name="rounds", judge=_so_many_rounds),
    Guard(name="stale-when-due", judge=_stale_only_when_due),
    Guard(name="one-retry", judge=_one_retry),
)

assert set(TRANSITIONS) == set(ClarificationStatus), "every state has its row"
assert all(TRANSITIONS[status] or status not in ACTIVE for status in ClarificationStatus), (
    "active: a way out"
)
