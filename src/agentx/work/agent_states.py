"""What may become of an agent.

    idle ----------> working <---> blocked-clarification    it asked, and waits
                     |  ^  |
                     |  |  '-----> done ------------------> working again
                     v  |
                     stuck
    idle, working, done <---> clarifying                    it is asked, and answers

An agent that is asked returns to what it was. One that waits or is stuck and is
asked stays as it is: that it waits is what others must see. With several open
questions the oldest is kept in the status; when it is settled the next takes its
place. Asking is a sign of work: an agent that asks was working, whatever it was before.

A role that several play at once, on several issues, has a status on each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.errors import IllegalTransition
from agentx.kernel.values import frozen
from agentx.work.model import AgentState, AgentStatus

_IDLE, _WORKING, _DONE, _STUCK = (
    AgentState.IDLE,
    AgentState.WORKING,
    AgentState.DONE,
    AgentState.STUCK,
)
_CLARIFYING, _BLOCKED = AgentState.CLARIFYING, AgentState.BLOCKED_CLARIFICATION
# Who began and never said that it ended: after so long nobody takes it for somebody at work.
_FORGOTTEN_AFTER_MS = DAY_MS
_ISSUES_MAX = 20

MOVES: dict[AgentState, frozenset[AgentState]] = {
    _IDLE: frozenset({_WORKING, _CLARIFYING}),
    _WORKING: frozenset({_CLARIFYING, _BLOCKED, _DONE, _STUCK}),
    _CLARIFYING: frozenset({_IDLE, _WORKING, _DONE}),
    _BLOCKED: frozenset({_WORKING}),
    _DONE: frozenset({_WORKING, _CLARIFYING}),
    _STUCK: frozenset({_WORKING}),
}


# Of several, what others must see first.
_FIRST = (_BLOCKED, _CLARIFYING, _WORKING, _STUCK, _DONE, _IDLE)
_AT_REST = frozenset({_IDLE, _DONE})


def choose(statuses: Sequence[AgentStatus], issue: int | None) -> AgentStatus:
    """Return an agent's status on an issue; without one, what others see first.

    Who begins on another issue than the one that the role is at work on is another who plays it.
    """
    first = statuses[0]
    if issue is None:
        return first
    same = next((one for one in statuses if one.issue == issue), None)
    if same is not None:
        return same
    rest = next((one for one in statuses if one.state in _AT_REST or one.issue is None), None)
    return AgentStatus(agent=first.agent) if rest is None else rest


def merge(
    statuses: Sequence[AgentStatus], before: AgentStatus, after: AgentStatus
) -> tuple[AgentStatus, ...]:
    """Return an agent's statuses after one changed: of each issue one, the most urgent first.

    What is at rest makes place for work; what nobody touched for a day is nobody's any more.
    """
    now_ms = after.last_activity_ms or 0
    others = [
        one
        for one in statuses
        if one != before
        and one.issue not in (None, after.issue)
        and one.state not in _AT_REST
        and now_ms - (one.last_activity_ms or 0) < _FORGOTTEN_AFTER_MS
    ]
    urgent = sorted(
        (after, *others), key=lambda one: (_FIRST.index(one.state), -(one.last_activity_ms or 0))
    )
    return tuple(urgent[:_ISSUES_MAX])


@frozen
class Open:
    """An open question, seen from one of its two ends."""

    clarification_id: str
    other: str  # whom it waits on, or whom it answers
    issue: int


def began(status: AgentStatus, *, issue: int | None, at_ms: Millis) -> AgentStatus:
    """Assign an agent to an issue; one that waits still waits, one that answers works after."""
    touched = replace(status, last_activity_ms=at_ms)
    if status.state is _BLOCKED:
        return touched
    if status.state is _WORKING:
        return replace(touched, issue=issue)
    if status.state is _CLARIFYING:
        return replace(touched, issue=issue, returns_to=_WORKING)
    return replace(_move(status, _WORKING, at_ms), issue=issue)


def finish(status: AgentStatus, *, at_ms: Millis) -> AgentStatus:
    """Say that an agent's work is complete.

    Raises: IllegalTransition.
    """
    if status.state is _DONE:
        return replace(status, last_activity_ms=at_ms)
    if status.state is _CLARIFYING and status.returns_to is _WORKING:
        return replace(status, returns_to=_DONE, last_activity_ms=at_ms)
    return _move(status, _DONE, at_ms)


def fail(status: AgentStatus, *, at_ms: Millis) -> AgentStatus:
    """Say that an agent met an error it cannot get past.

    Raises: IllegalTransition.
    """
    return status if status.state is _STUCK else _move(status, _STUCK, at_ms)


def waits(status: AgentStatus, question: Open, *, at_ms: Millis) -> AgentStatus:
    """Block an agent on its question; one that waits already keeps its oldest."""
    if status.state is _BLOCKED:
        return replace(status, last_activity_ms=at_ms)
    if status.state is not _WORKING:
        status = _move(status, _WORKING, at_ms)
    return replace(
        _move(status, _BLOCKED, at_ms),
        issue=question.issue,
        clarification_id=question.clarification_id,
        waiting_on=question.other,
    )


def answers(status: AgentStatus, question: Open, *, at_ms: Millis) -> AgentStatus:
    """Let an agent answer a question; one that waits, is stuck or is answering stays as it is."""
    if _CLARIFYING not in MOVES[status.state]:
        return status
    return replace(
        _move(status, _CLARIFYING, at_ms),
        clarification_id=question.clarification_id,
        responding_to=question.other,
        returns_to=status.state,
    )


def settle(
    status: AgentStatus,
    clarification_id: str,
    *,
    at_ms: Millis,
    following: Open | None = None,
) -> AgentStatus:
    """Free an agent of a question that was answered, resolved, escalated or given up.

    `following` is the oldest question of the same kind that is still open. A question that the
    status does not name changes nothing.
    """
    if status.clarification_id != clarification_id:
        return status
    if status.state is _BLOCKED:
        if following is not None:
            return replace(
                status,
                clarification_id=following.clarification_id,
                waiting_on=following.other,
                last_activity_ms=at_ms,
            )
        return _move(status, _WORKING, at_ms)
    if status.state is _CLARIFYING:
        if following is not None:
            return replace(
                status,
                clarification_id=following.clarification_id,
                responding_to=following.other,
                last_activity_ms=at_ms,
            )
        return _move(status, status.returns_to or _WORKING, at_ms)
    return status


def _move(status: AgentStatus, wanted: AgentState, at_ms: Millis) -> AgentStatus:
    """Return the agent in another state, free of what belonged to the last."""
    if wanted not in MOVES[status.state]:
        why = f" ({status.clarification_id})" if status.clarification_id else ""
        raise IllegalTransition(
            f"{status.agent} is {status.state}{why}: cannot become {wanted}",
            hint=_hint(status),
        )
    return replace(
        status,
        state=wanted,
        last_activity_ms=at_ms,
        clarification_id=None,
        waiting_on=None,
        responding_to=None,
        returns_to=None,
    )


def _hint(status: AgentStatus) -> str:
    if status.clarification_id:
        return f"settle it first: agentx clarify resolve {status.clarification_id}"
    return "`agentx state` shows what agents are doing"
