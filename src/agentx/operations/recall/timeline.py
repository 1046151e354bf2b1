"""What surrounds something: the events before and after it, or the parts of a stretch of time."""

from __future__ import annotations

from agentx.conversation.model import Event, EventQuery
from agentx.conversation.toc_model import TocNode
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.limits import MCP_AROUND_MAX

_DATE = compile_late(r"\d{4}-\d\d-\d\d")
# Events of one millisecond in one session: they are looked through to find the one in question.
_SAME_MOMENT_MAX = 100


@frozen
class Timeline:
    """Events in order, or the parts of a node in order; `focus` are the ids asked about."""

    focus: tuple[str, ...]
    node: TocNode | None = None
    events: tuple[Event, ...] = ()
    parts: tuple[TocNode, ...] = ()


def timeline(memory: Memory, anchor: str, *, before: int = 3, after: int = 3) -> Timeline:
    """Return what surrounds an event, a grip, a node of the table of contents or a date.

    Raises: NotFound, InvalidValue.
    """
    for count in (before, after):
        if not 0 <= count <= MCP_AROUND_MAX:
            raise InvalidValue(f"{count} events cannot be shown", hint=f"use 0 to {MCP_AROUND_MAX}")
    if anchor.startswith("grip:"):
        found = memory.expand(anchor, before=before, after=after)
        proof = found.excerpt_events
        return Timeline(
            focus=tuple(event.event_id for event in proof),
            events=(*found.events_before, *proof, *found.events_after),
        )
    if _DATE.fullmatch(anchor):
        return _of_node(memory, f"toc:day:{anchor}", before + after)
    if anchor.startswith("toc:"):
        return _of_node(memory, anchor, before + after)
    event = memory.event(anchor)
    return Timeline(
        focus=(event.event_id,),
        events=(
            *reversed(_beside(memory, event, before, newest_first=True)),
            event,
            *_beside(memory, event, after, newest_first=False),
        ),
    )


def _beside(memory: Memory, event: Event, count: int, *, newest_first: bool) -> tuple[Event, ...]:
    """Return the events of its session next to one, nearest first."""
    if not count:
        return ()
    page = memory.events(
        EventQuery(
            session_id=event.session_id,
            harness=event.harness,
            since_ms=None if newest_first else event.timestamp_ms,
            until_ms=Millis(event.timestamp_ms + 1) if newest_first else None,
            limit=count + _SAME_MOMENT_MAX,
            newest_first=newest_first,
        )
    )
    ids = [each.event_id for each in page.events]
    start = ids.index(event.event_id) + 1 if event.event_id in ids else 0
    return page.events[start : start + count]


def _of_node(memory: Memory, node_id: str, events_max: int) -> Timeline:
    node = memory.toc_node(node_id)
    if node.children:
        parts = memory.browse(node.node_id).nodes
        return Timeline(focus=(node.node_id,), node=node, parts=parts)
    page = memory.events(
        EventQuery(
            session_id=node.sessions[0],
            since_ms=node.start_ms,
            until_ms=Millis(node.end_ms + 1),
            limit=max(events_max, 1),
        )
    )
    return Timeline(focus=(node.node_id,), node=node, events=page.events)
