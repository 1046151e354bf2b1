"""What a fact means where it was decided without knowing everything: in another clone.

Each clone decides by the law of `protocol`, so its own facts are all in the table. Of two clones
together one may have answered what the other escalated. Every word is kept, and:

- what is settled stays settled; words that come after it are late,
- but what a person is asked, or called for, by somebody who had not seen that it was settled is
  open again: nobody answered it. A call is moot where a person decided, and it asks nothing that
  they had not been asked,
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
from agentx.clarification.ways import (
    is_brought,
    is_missed,
    is_unverified_way,
    name_brought_way,
    name_comment,
)

# A person was called because there was no answer.
_UNANSWERED = frozenset({Reason.STALE, Reason.AGENT_ERROR, Reason.DEADLOCK})
_OVER = frozenset({ClarificationStatus.RESOLVED, ClarificationStatus.ABANDONED})
_ENDS = frozenset({EntryType.RESOLUTION, EntryType.ESCALATION})


def hear(state: Clarification, fact: Fact, *, is_unaware: bool = False) -> Clarification:
    """Return the clarification after a fact, whoever decided it and whatever they knew.

    `is_unaware` says that it is vouched for, and that its writer had not seen what ended it: what
    settled it, or the call for a person who is waited for.
    """
    if is_heard(state, fact):
        return state
    match fact:
        case Asked():
            return _hear_question(state, fact, is_unaware=is_unaware)
        case Answered():
            return _hear_answer(state, fact)
        case Resolved():
            return _hear_resolution(state, fact)
        case Escalated():
            return _hear_call(state, fact, is_unaware=is_unaware)
        case WentStale() | Retried() | Abandoned():
            # Nobody calls a person late, nor gives up what they are asked.
            is_moot = state.to == PERSON and not isinstance(fact, Retried)
            is_moot |= type(fact) not in TRANSITIONS[state.status]
            return state if is_moot else evolve(state, fact)
        case _:
            assert_never(fact)


def _hear_question(state: Clarification, fact: Asked, *, is_unaware: bool) -> Clarification:
    if state.round == 0 or state.status is ClarificationStatus.ANSWERED:
        return evolve(state, fact)
    is_for_person = is_unaware and state.to == PERSON
    if is_for_person and state.status is ClarificationStatus.RESOLVED:
        # The next question is past the last round, as always.
        turn = max(min(state.round, state.rounds_max - 1), 0)
        return evolve(replace(_reopen(state), round=turn), fact)
    if state.is_unanswered or is_for_person:  # asked twice in one round
        said = _entry(state, fact, EntryType.QUESTION, fact.body)
        return replace(state, thread=(*state.thread, said))
    return keep_late(state, fact)


def _hear_call(state: Clarification, fact: Escalated, *, is_unaware: bool) -> Clarification:
    is_for_answer = fact.reason in _UNANSWERED
    # Somebody asks what a person who decided, or was called, may not have been asked.
    brings_question = fact.reason is Reason.MAX_ROUNDS or bool(_list_unheard(state))
    match state.status:
        case ClarificationStatus.RESOLVED:
            settled = state.resolution
            is_persons = settled is not None and settled.speaker == PERSON
            stands = is_unaware and (brings_question or not is_persons)
            if stands and not is_for_answer:
                return evolve(_reopen(state), fact)
        case ClarificationStatus.ESCALATED:
            is_stronger = state.reason in _UNANSWERED or brings_question
            if is_unaware and is_stronger and not is_for_answer:
                after = evolve(_hear_unheard(state), fact)
                is_past = state.reason is Reason.MAX_ROUNDS  # and what was asked then is asked
                return replace(after, reason=state.reason) if is_past else after
        case _:
            is_answered = state.status is ClarificationStatus.ANSWERED
            if not (is_answered and is_for_answer):
                return evolve(state, fact)
    return keep_late(state, fact)


def _reopen(state: Clarification) -> Clarification:
    """Return what was settled as open: what was said stays, each word under its question."""
    return replace(_hear_unheard(state), resolved_ms=None, reason=None, summary="")


def _hear_unheard(state: Clarification) -> Clarification:
    """Return a thread whose last questions, that came too late, are asked after all."""
    unheard = _list_unheard(state)
    said = enumerate(state.thread)
    thread = (replace(entry, late=False) if at in unheard else entry for at, entry in said)
    return replace(state, thread=tuple(thread))


def _list_unheard(state: Clarification) -> tuple[int, ...]:
    """Return where questions stand that came after it was settled, or a person was called."""
    said = tuple(enumerate(state.thread))
    ends = (at for at, entry in said if entry.type in _ENDS and not entry.late)
    last = max(ends, default=-1)
    return tuple(
        at
        for at, entry in said[last + 1 :]
        if entry.type is EntryType.QUESTION and entry.late and not entry.doubt
    )


def is_heard(state: Clarification, fact: Fact) -> bool:
    """Tell whether a fact is a comment that a thread holds already."""
    if not isinstance(fact, Answered | Resolved):
        return False
    return is_kept(state, fact.via)


def is_kept(state: Clarification, via: str) -> bool:
    """Tell whether a thread holds a comment already, as surely; what was taken was not missed."""
    held = (each.via for each in state.thread if each.account)
    named, worth = name_comment(via), _rank_way(via)
    return any(name_comment(each) == named and _rank_way(each) >= worth for each in held)


def bear_out(state: Clarification, via: str, body: str) -> Clarification:
    """Return a thread in which a comment that was brought in just these words is borne out."""
    brought = (name_brought_way(via), body)
    said = state.thread
    thread = (replace(one, via=via) if (one.via, one.body) == brought else one for one in said)
    return replace(state, thread=tuple(thread))


def _rank_way(via: str) -> int:
    return 0 if is_brought(via) else 1 if is_missed(via) else 2


def is_doubtful(fact: Fact) -> bool:
    """Tell whether a fact claims a person, or AgentX's own decision, whom nobody saw say it."""
    if not isinstance(fact, Answered | Resolved) or not is_unverified_way(fact.via):
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
