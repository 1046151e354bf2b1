"""What an event that nobody vouches for may not do: speak for a person, or change what one decides.

What stood in the ledger's file is vouched for by nobody, whoever took it over and signed that.
"""

from __future__ import annotations

from dataclasses import replace

from agentx.clarification.model import (
    FORGED,
    PERSON,
    UNVERIFIED,
    Answered,
    Clarification,
    Fact,
    Resolved,
    Vouching,
)
from agentx.clarification.store.question_events import QuestionEvent
from agentx.kernel.values import frozen

# What says how far a question has come, and who waits for whom.
STATUS_FIELDS = frozenset({"status", "resolvedAt", "reason", "blocking", "to"})
# What a person who decides goes by, beside the thread.
WORD_FIELDS = frozenset({"topic", "from", "summary"})


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


def has_spoken(state: Clarification) -> bool:
    """Tell whether a person has said something to a question, as far as anybody can tell."""
    return any(each.speaker == PERSON and each.doubt != UNVERIFIED for each in state.thread)


def doubt_fact(fact: Fact, event: QuestionEvent) -> tuple[Fact, bool]:
    """Return what is said with what is doubtful about who said it, and whether that matters."""
    if not isinstance(fact, Answered | Resolved) or event.is_vouched:
        return fact, False
    if fact.by == PERSON:
        return replace(fact, via=event.doubt), True
    if event.standing is Vouching.FORGED:
        return replace(fact, via=FORGED), False
    return (fact if fact.via != FORGED else replace(fact, via="")), False
