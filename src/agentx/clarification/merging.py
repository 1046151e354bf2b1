"""What a fact means where it was decided without knowing everything: in another clone.

Each clone decides by the law of `protocol`, so its own facts are all in the table. Of two clones
together one may have answered what the other escalated. Every word is kept, and:

- what is settled stays settled; words that come after it are late,
- a person's word holds against an agent's, the newest among people's,
- what nobody answered was answered, if somebody did: a call for a person because of it is late,
- being late, asked again or given up is nothing to a question that is past it,
- given up is nothing to what a person is asked, before or after: a closed issue answers nobody,
- what nobody knows a person to have said is kept, and unblocks nothing; nor does what an agent
  answers in a person's place,
- a comment on GitHub that two clones have taken is heard once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

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
    Entry,
    EntryType,
    Reason,
)
from agentx.clarification.protocol import TRANSITIONS, evolve
from agentx.clarification.ways import UNVERIFIED_WAYS

# A person was called because there was no answer.
_UNANSWERED = frozenset({Reason.STALE, Reason.AGENT_ERROR, Reason.DEADLOCK})
_OVER = frozenset({ClarificationStatus.RESOLVED, ClarificationStatus.ABANDONED})


def hear(state: Clarification, fact: Fact) -> Clarification:
    """Return the clarification after a fact, whoever decided it and whatever they knew."""
    if is_heard(state, fact):
        return state
    match fact:
        case Asked():
            return _hear_question(state, fact)
        case Answered():
            return _hear_answer(state, fact)
        case Resolved():
            return _hear_resolution(state, fact)
        case Escalated():
            is_answered = state.status is ClarificationStatus.ANSWERED
            is_moot = is_answered and fact.reason in _UNANSWERED
            is_moot |= type(fact) not in TRANSITIONS[state.status]
            is_moot &= state.status is not ClarificationStatus.ABANDONED
            return keep_late(state, fact) if is_moot else evolve(state, fact)
        case WentStale() | Retried() | Abandoned():
            # Nobody calls a person late, nor gives up what they are asked.
            is_moot = state.to == PERSON and not isinstance(fact, Retried)
            is_moot |= type(fact) not in TRANSITIONS[state.status]
            return state if is_moot else evolve(state, fact)
        case _:
            assert_never(fact)


def _hear_question(state: Clarification, fact: Asked) -> Clarification:
    if state.round == 0 or state.status is ClarificationStatus.ANSWERED:
        return evolve(state, fact)
    if state.is_unanswered:  # asked twice in one round
        said = _entry(state, fact, EntryType.QUESTION, fact.body)
        return replace(state, thread=(*state.thread, said))
    return keep_late(state, fact)


def is_heard(state: Clarification, fact: Fact) -> bool:
    """Tell whether a fact is a comment that a thread holds already."""
    if not isinstance(fact, Answered | Resolved):
        return False
    return any(entry.account and entry.via == fact.via for entry in state.thread)


def is_doubtful(fact: Fact) -> bool:
    """Tell whether a fact claims a person, or AgentX's own decision, whom nobody saw say it."""
    if not isinstance(fact, Answered | Resolved) or fact.via not in UNVERIFIED_WAYS:
        return False
    return fact.by == PERSON or (fact.by == HUB and isinstance(fact, Resolved))


def _hear_answer(state: Clarification, fact: Answered) -> Clarification:
    is_anothers = fact.by != PERSON and (state.to == PERSON or _has_persons_answer(state))
    if state.status in _OVER or is_doubtful(fact) or is_anothers:
        return keep_late(state, fact)
    if fact.by == PERSON and state.status is ClarificationStatus.ESCALATED:
        decision = Resolved(at_ms=fact.at_ms, by=fact.by, body=fact.body, via=fact.via)
        return evolve(state, decision)
    return evolve(state, fact)


def _has_persons_answer(state: Clarification) -> bool:
    """Tell whether a person answered what was asked last."""
    said = state.answered if state.status is ClarificationStatus.ANSWERED else None
    return said is not None and said.is_persons_word


def _hear_resolution(state: Clarification, fact: Resolved) -> Clarification:
    if is_doubtful(fact):
        return keep_late(state, fact)
    if fact.by == PERSON:
        return evolve(state, fact)
    settled = state.resolution
    is_persons = settled is not None and settled.speaker == PERSON
    waits = state.status is ClarificationStatus.ESCALATED and state.reason not in _UNANSWERED
    waits |= state.to == PERSON and state.is_unanswered  # no role says what a person agreed to
    if is_persons or waits or state.status is ClarificationStatus.ABANDONED:
        return keep_late(state, fact)
    return evolve(state, fact)


def keep_late(state: Clarification, fact: Asked | Answered | Resolved | Escalated) -> Clarification:
    """Return the clarification with what was said, which changes nothing else of it."""
    kinds: dict[type[Fact], EntryType] = {
        Asked: EntryType.QUESTION,
        Answered: EntryType.ANSWER,
        Resolved: EntryType.RESOLUTION,
        Escalated: EntryType.ESCALATION,
    }
    body = fact.text or fact.body if isinstance(fact, Escalated) else fact.body
    said = _entry(state, fact, kinds[type(fact)], body)
    return replace(state, thread=(*state.thread, replace(said, late=True)))


def _entry(
    state: Clarification,
    fact: Asked | Answered | Resolved | Escalated,
    kind: EntryType,
    body: str,
) -> Entry:
    via = fact.via if isinstance(fact, Answered | Resolved) else ""
    said = Entry(
        round=state.round, speaker=fact.by, type=kind, body=body, at_ms=fact.at_ms, via=via
    )
    return replace(said, worth=fact.worth) if isinstance(fact, Answered) else said
