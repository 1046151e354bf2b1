"""Who has to see to what: the inbox of a role, and that of the person.

A role sees questions to it, then what became of its own: answers, what somebody else decided, what
a person was called for. The person sees whatever waits for a person, what holds an agent up first.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.clarification.contested import is_contested, say_contested
from agentx.clarification.model import PERSON, Clarification, ClarificationStatus
from agentx.clarification.summary import name_begun, name_contrary, name_later, tell_meanwhile
from agentx.kernel.ids import digest


def inbox_among(states: Iterable[Clarification], who: str) -> tuple[Clarification, ...]:
    """Return what a role, or the person, has to see to among clarifications."""
    known = sorted(states, key=_turn)
    if who == PERSON:
        waiting = [state for state in known if state.waits_for_person]
        return tuple(sorted(waiting, key=lambda state: not state.holds_its_asker))
    asked = [state for state in known if state.to == who and state.is_unanswered]
    own = [state for state in known if state.asker == who]
    return (
        *asked,
        *(state for state in own if state.status is ClarificationStatus.ANSWERED),
        *(state for state in own if _was_decided(state) and not _is_old(state)),
        *(state for state in own if state.status is ClarificationStatus.ESCALATED),
    )


def is_left_to_asker(state: Clarification) -> bool:
    """Tell whether a person answered a question, and whoever asked it has not settled it yet."""
    return state.status is ClarificationStatus.ANSWERED and state.persons_word is not None


def _was_decided(state: Clarification) -> bool:
    return state.was_decided_for_asker or (state.resolution is not None and is_contested(state))


def _is_old(state: Clarification) -> bool:
    """Tell whether its asker hears what was decided later instead, as they asked that too."""
    return bool(state.decided_later) and state.decided_later_for == state.asker


def name_stage(state: Clarification) -> str:
    """Return a name for how far it has come: who was told an answer is told the next one too.

    So is what speaks against it since, wherever that was said.
    """
    told = (name_later, say_contested, name_contrary, name_begun, tell_meanwhile)
    against = "; ".join(filter(None, (tell(state) for tell in told)))
    mark = f":{digest(against, size=4).hex()}" if against else ""
    return f"{state.id}:{len(state.thread)}{mark}"


def _turn(state: Clarification) -> tuple[int, int, str]:
    return state.created_ms, len(state.id), state.id
