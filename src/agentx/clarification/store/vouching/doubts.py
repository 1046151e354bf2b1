"""What an event that nobody vouches for may do: the one place that says so.

    the question is ...                  says    steps   changes  removes
    roles' alone                         counts  counts  counts   counts
    put to a role again after a person   counts  counts  -        -
    a person's: they decide, or decided  kept    -       -        -

*Says* is asked, answered, resolved and escalated; *kept* is in the thread, late and unverified, and
changes nothing else. *Steps* are went-stale and retried. *Changes* are to fields of ours, to words
and to entries. *Removes* is the whole question: removed, forgotten, abandoned. What is said in the
name of a person is only ever kept, and so is a decision in the name of AgentX itself.

What stood in the ledger's file is vouched for by nobody, whoever took it over and signed that.
"""

from __future__ import annotations

from dataclasses import replace

from agentx.clarification.facts import Answered, Asked, Escalated, Resolved
from agentx.clarification.model import HUB, PERSON, Clarification, Reason
from agentx.clarification.protocol import is_overdue
from agentx.clarification.store.question_events import QuestionEvent
from agentx.clarification.ways import FORGED, is_of_elsewhere
from agentx.kernel.values import frozen
from agentx.kernel.vouching.standing import Vouching

Said = Asked | Answered | Resolved | Escalated


@frozen
class EventDoubt:
    """An event that nobody vouches for, and that would have had to be vouched for."""

    question: str
    writer: str
    why: str


@frozen(kw_only=False)
class Rights:
    """What an event may do to a question."""

    says: bool = True
    steps: bool = True
    changes: bool = True
    removes: bool = True


_ALL = Rights()
_OF_ROLES = Rights(changes=False, removes=False)
_NONE = Rights(says=False, steps=False, changes=False, removes=False)


def find_rights(state: Clarification | None, event: QuestionEvent) -> Rights:
    """Return what an event may do to a question as it stands."""
    if event.is_vouched or state is None:
        return _ALL
    has_spoken = any(entry.is_persons_word for entry in state.thread)
    if state.waits_for_person or (has_spoken and not state.is_unanswered):
        return _NONE
    return _OF_ROLES if has_spoken else _ALL


def counts(fact: Said, event: QuestionEvent, rights: Rights) -> bool:
    """Tell whether what is said counts; else it is kept, and changes nothing."""
    if event.is_vouched:
        return True
    is_reserved = fact.by == PERSON or (fact.by == HUB and isinstance(fact, Resolved))
    return rights.says and not is_reserved


def doubt_fact(fact: Said, event: QuestionEvent, state: Clarification) -> Said:
    """Return what is said with what is doubtful about who said it, how, and why."""
    if event.is_vouched:
        return fact
    if isinstance(fact, Escalated):  # it says only what happened
        is_true = {
            Reason.STALE: is_overdue(state, fact.at_ms),
            Reason.MAX_ROUNDS: state.round >= state.rounds_max,
        }.get(fact.reason, True)
        return fact if is_true else replace(fact, reason=Reason.MANUAL)
    if isinstance(fact, Asked):
        return fact
    if fact.by in (PERSON, HUB):
        return replace(fact, via=event.doubt)
    if event.standing is Vouching.FORGED:
        return replace(fact, via=FORGED)
    is_made_up = fact.via == FORGED or is_of_elsewhere(fact.via)
    return replace(fact, via="") if is_made_up else fact
