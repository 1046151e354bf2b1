"""Events as tests tell them: who said what, how many minutes after the first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from agentx.conversation.model import Event
from agentx.conversation.segments import Cutting, Session, cut, place, session_of
from agentx.conversation.toc_model import Grip, Segment
from agentx.kernel.capture import EventType, Role
from agentx.kernel.clock import MINUTE_MS, Millis
from agentx.kernel.ids import EventId, digest, ulid
from agentx.kernel.periods import Period, SegmentRef, local_day, parent

MORNING_MS = int(datetime(2026, 1, 15, 9, tzinfo=UTC).timestamp() * 1000)
_ROLES = {
    EventType.USER_MESSAGE: Role.USER,
    EventType.ASSISTANT_MESSAGE: Role.ASSISTANT,
    EventType.ASSISTANT_STOP: Role.ASSISTANT,
    EventType.TOOL_CALL: Role.ASSISTANT,
    EventType.TOOL_RESULT: Role.TOOL,
}


def estimate(text: str) -> int:
    """Count words: exact enough, and easy to reckon with in a test."""
    return len(text.split())


CUTTING = Cutting(zone=UTC, estimate=estimate)


def event(
    text: str = "",
    *,
    kind: EventType = EventType.ASSISTANT_MESSAGE,
    minute: float = 0,
    session: str = "s1",
    harness: str = "claude-code",
    agent: str = "",
    number: int = 0,
    **metadata: Any,
) -> Event:
    """Return an event; its id follows from what it is."""
    at_ms = round(MORNING_MS + minute * MINUTE_MS)
    unique = digest(harness, session, kind, str(at_ms), str(number), text[:200], size=10)
    return Event(
        event_id=EventId(ulid(at_ms, unique)),
        session_id=session,
        timestamp_ms=Millis(at_ms),
        event_type=kind,
        role=_ROLES.get(kind, Role.SYSTEM),
        text=text,
        harness=harness,
        agent=agent,
        project="p",
        metadata=metadata,
    )


def user(text: str, minute: float = 0, *, session: str = "s1") -> Event:
    """Return a prompt."""
    return event(text, kind=EventType.USER_MESSAGE, minute=minute, session=session)


def reply(text: str, minute: float = 0, *, session: str = "s1") -> Event:
    """Return a reply."""
    return event(text, minute=minute, session=session)


def tool(text: str, minute: float = 0, **metadata: Any) -> Event:
    """Return a tool's result."""
    return event(text, kind=EventType.TOOL_RESULT, minute=minute, **metadata)


def by_session(events: Iterable[Event]) -> Iterator[tuple[Session, list[Event]]]:
    """Take interleaved sessions apart; each comes out in its own order."""
    ordered = sorted(events, key=lambda event: (session_of(event), place(event)))
    for session, group in groupby(ordered, key=session_of):
        yield session, list(group)


def holds(held: Grip, texts: Mapping[EventId, str]) -> bool:
    """Tell whether the words of a grip stand where it says, in the texts of its events."""
    pieces = []
    for span in held.spans:
        text = texts.get(span.event_id)
        if text is None or not 0 <= span.start < span.end <= len(text):
            return False
        pieces.append(text[span.start : span.end])
    return bool(pieces) and "\n".join(pieces) == held.excerpt


def periods_above(period: Period) -> tuple[Period, ...]:
    """Return the periods above one, the nearest first."""
    above = parent(period)
    return () if above is None else (above, *periods_above(above))


def segments(events: Iterable[Event], cutting: Cutting = CUTTING) -> list[Segment]:
    """Cut every session of the events."""
    return [part for _, own in by_session(events) for part in cut(own, cutting)]


def segment(*events: Event) -> Segment:
    """Return events as one segment, however many tokens they have."""
    day = local_day(events[0].timestamp_ms, UTC)
    return Segment(
        node_id=SegmentRef(day, events[0].event_id).node_id,
        day=day,
        harness=events[0].harness,
        session_id=events[0].session_id,
        events=events,
    )
