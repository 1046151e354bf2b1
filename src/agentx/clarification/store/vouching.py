"""What an event that nobody vouches for may not do: speak for a person, or change what one decides.

A person's word says what it is about (`about`: the topic and the questions that were seen, as
hashes). Where something that nobody vouches for happened to the question, and it is not what the
person saw, the word is a claim.
"""

from __future__ import annotations

from dataclasses import replace

from agentx.clarification.model import (
    FORGED,
    PERSON,
    UNVERIFIED_WAYS,
    Answered,
    Clarification,
    ClarificationStatus,
    EntryType,
    Fact,
    Reason,
    Resolved,
    Vouching,
)
from agentx.clarification.store.ledger_json import Row
from agentx.kernel.ids import digest
from agentx.kernel.values import frozen

# What says how far a question has come, and who waits for whom.
STATUS_FIELDS = frozenset({"status", "resolvedAt", "reason", "blocking", "to"})
# What a person who decides goes by, beside the questions.
PERSONS_FIELDS = STATUS_FIELDS | {"topic"}
_ABOUT = "about"


@frozen
class EventDoubt:
    """An event that nobody vouches for, and that would have had to be vouched for."""

    question: str
    writer: str
    why: str


def is_persons(state: Clarification) -> bool:
    """Tell whether a person has to decide or to answer a question, or has."""
    settled, answered = state.resolution, state.answered
    said = (settled, None if answered is None or answered.late else answered)
    return state.waits_for_person or any(
        entry is not None and entry.speaker == PERSON for entry in said
    )


def bind(state: Clarification, fact: Fact) -> Row:
    """Return what a person's word is about, to be signed with it."""
    if not isinstance(fact, Answered | Resolved) or fact.by != PERSON:
        return {}
    return {_ABOUT: _list_hashes(state)}


def is_about(state: Clarification, detail: Row) -> bool:
    """Tell whether a question is what a person saw who said something; earlier words do not say."""
    seen = detail.get(_ABOUT)
    if not isinstance(seen, list) or not seen:
        return True
    now = _list_hashes(state)
    return seen[0] == now[0] and set(map(str, seen[1:])) == set(now[1:])


def _list_hashes(state: Clarification) -> list[str]:
    asked = (entry.body for entry in state.entries(EntryType.QUESTION) if not entry.late)
    return [digest(text, size=16).hex() for text in (state.topic, *asked)]


def doubt_fact(fact: Fact, standing: Vouching) -> tuple[Fact, bool]:
    """Return what is said with what is doubtful about who said it, and whether that matters."""
    if not isinstance(fact, Answered | Resolved) or standing is Vouching.SIGNED:
        return fact, False
    if fact.by != PERSON and standing is not Vouching.FORGED:
        return (fact if fact.via != FORGED else replace(fact, via="")), False
    return replace(fact, via=str(standing)), fact.by == PERSON


def doubt_row(state: Clarification, standing: Vouching) -> Clarification:
    """Return a row that was taken, without what it says of a person where nobody vouches for it."""
    claims = {EntryType.ANSWER, EntryType.RESOLUTION}
    is_signed = standing is Vouching.SIGNED
    is_claimed = [
        entry.speaker == PERSON
        and entry.type in claims
        and (not is_signed or entry.via in UNVERIFIED_WAYS)
        for entry in state.thread
    ]
    if not any(is_claimed):
        return state
    settled = state.resolution
    thread = tuple(
        replace(entry, via=entry.via if is_signed else str(standing), late=True)
        if claimed
        else entry
        for entry, claimed in zip(state.thread, is_claimed, strict=True)
    )
    if settled is None or settled.speaker != PERSON:
        return replace(state, thread=thread)
    return replace(
        state,
        thread=thread,
        status=ClarificationStatus.ESCALATED,
        reason=state.reason or Reason.MANUAL,
        resolved_ms=None,
    )
