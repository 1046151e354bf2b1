"""Erase for good."""

from __future__ import annotations

from agentx.conversation.limits import EVENTS_PAGE_MAX
from agentx.conversation.model import EventQuery
from agentx.kernel.values import frozen
from agentx.memory.port import Memory


@frozen
class ForgetReply:
    """What was erased, or would be."""

    events: int
    sessions: int
    dry_run: bool


def forget(memory: Memory, *, event_id: str, session_id: str, dry_run: bool) -> ForgetReply:
    """Erase an event or a session from the log and from every view of it.

    Raises: NotFound, InvalidValue.
    """
    if not dry_run:
        gone = memory.forget(event_id=event_id, session_id=session_id)
        return ForgetReply(events=gone.events, sessions=gone.sessions, dry_run=False)
    if event_id:
        memory.event(event_id)
        return ForgetReply(events=1, sessions=0, dry_run=True)
    events = 0
    query = EventQuery(session_id=session_id, limit=EVENTS_PAGE_MAX)
    page = memory.events(query)
    events = len(page.events)
    while page.next:
        page = memory.events(
            EventQuery(session_id=session_id, limit=EVENTS_PAGE_MAX, cursor=page.next)
        )
        events += len(page.events)
    return ForgetReply(events=events, sessions=1, dry_run=True)
