"""Grips: from a line of a summary to the words that prove it.

A grip names a piece of one event's text by its place and carries the words that stand
there. Its id follows from the event and the place, so that summarising again gives the
same grip.
"""

from __future__ import annotations

from agentx.conversation.model import Event
from agentx.conversation.toc_model import Grip, Span
from agentx.kernel.ids import NodeId, digest, grip_id


def grip(event: Event, start: int, end: int, node_id: NodeId) -> Grip:
    """Return the grip on a piece of an event's text."""
    assert 0 <= start < end <= len(event.text), "a grip holds at least one character"
    return Grip(
        grip_id=grip_id(event.timestamp_ms, digest(event.event_id, str(start), str(end), size=10)),
        excerpt=event.text[start:end],
        event_id_start=event.event_id,
        event_id_end=event.event_id,
        timestamp_ms=event.timestamp_ms,
        toc_node_id=node_id,
        spans=(Span(event.event_id, start, end),),
    )
