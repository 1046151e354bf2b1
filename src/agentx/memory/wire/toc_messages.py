"""The table of contents as protobuf messages, and back."""

from __future__ import annotations

from agentx.conversation.toc_model import (
    Bullet,
    CaughtUp,
    Expansion,
    Grip,
    NodePage,
    Span,
    TocNode,
    Topic,
)
from agentx.kernel.clock import Millis
from agentx.kernel.ids import EventId, GripId, NodeId
from agentx.memory.wire import messages
from agentx.memory.wire._generated import memory_pb2 as pb2


def node_message(node: TocNode) -> pb2.TocNode:
    """Write a node."""
    return pb2.TocNode(
        node_id=node.node_id,
        level=node.level,
        title=messages.whole(node.title),
        bullets=[_bullet_message(bullet) for bullet in node.bullets],
        keywords=[messages.whole(word) for word in node.keywords],
        topics=[pb2.Topic(text=messages.whole(t.text), weight=t.weight) for t in node.topics],
        children=node.children,
        start_ms=node.start_ms,
        end_ms=node.end_ms,
        agents=[messages.whole(name) for name in node.agents],
        harnesses=[messages.whole(name) for name in node.harnesses],
        sessions=[messages.whole(name) for name in node.sessions],
        session_count=node.session_count,
        issues=node.issues,
        event_count=node.event_count,
        version=node.version,
        provisional=node.provisional,
        written_by=node.written_by,
    )


def node_value(message: pb2.TocNode) -> TocNode:
    """Read a node."""
    return TocNode(
        node_id=NodeId(message.node_id),
        level=messages.level_word(message.level),
        title=message.title,
        bullets=tuple(_bullet_value(bullet) for bullet in message.bullets),
        keywords=tuple(message.keywords),
        topics=tuple(Topic(text=topic.text, weight=topic.weight) for topic in message.topics),
        children=tuple(NodeId(child) for child in message.children),
        start_ms=Millis(message.start_ms),
        end_ms=Millis(message.end_ms),
        agents=tuple(message.agents),
        harnesses=tuple(message.harnesses),
        sessions=tuple(message.sessions),
        session_count=message.session_count,
        issues=tuple(message.issues),
        event_count=message.event_count,
        version=message.version,
        provisional=message.provisional,
        written_by=message.written_by,
    )


def _bullet_message(bullet: Bullet) -> pb2.Bullet:
    return pb2.Bullet(
        text=messages.whole(bullet.text),
        grip_ids=bullet.grip_ids,
        kind=bullet.kind,
        weight=bullet.weight,
        timestamp_ms=bullet.timestamp_ms,
    )


def _bullet_value(message: pb2.Bullet) -> Bullet:
    return Bullet(
        text=message.text,
        grip_ids=tuple(GripId(grip) for grip in message.grip_ids),
        kind=messages.kind_word(message.kind),
        weight=message.weight,
        timestamp_ms=Millis(message.timestamp_ms),
    )


def page_message(page: NodePage) -> pb2.BrowseTocResponse:
    """Write a page of nodes."""
    return pb2.BrowseTocResponse(nodes=[node_message(node) for node in page.nodes], next=page.next)


def page_value(message: pb2.BrowseTocResponse) -> NodePage:
    """Read a page of nodes."""
    return NodePage(nodes=tuple(node_value(node) for node in message.nodes), next=message.next)


def expansion_message(found: Expansion) -> pb2.ExpandGripResponse:
    """Write a grip and the words around it."""
    return pb2.ExpandGripResponse(
        grip=_grip_message(found.grip),
        events_before=[messages.event_message(event) for event in found.events_before],
        excerpt_events=[messages.event_message(event) for event in found.excerpt_events],
        events_after=[messages.event_message(event) for event in found.events_after],
    )


def expansion_value(message: pb2.ExpandGripResponse) -> Expansion:
    """Read a grip and the words around it."""
    return Expansion(
        grip=_grip_value(message.grip),
        events_before=tuple(messages.event_value(event) for event in message.events_before),
        excerpt_events=tuple(messages.event_value(event) for event in message.excerpt_events),
        events_after=tuple(messages.event_value(event) for event in message.events_after),
    )


def _grip_message(grip: Grip) -> pb2.Grip:
    return pb2.Grip(
        grip_id=grip.grip_id,
        excerpt=messages.whole(grip.excerpt),
        event_id_start=grip.event_id_start,
        event_id_end=grip.event_id_end,
        timestamp_ms=grip.timestamp_ms,
        toc_node_id=grip.toc_node_id,
        spans=[
            pb2.Span(event_id=span.event_id, start=span.start, end=span.end) for span in grip.spans
        ],
    )


def _grip_value(message: pb2.Grip) -> Grip:
    return Grip(
        grip_id=GripId(message.grip_id),
        excerpt=message.excerpt,
        event_id_start=EventId(message.event_id_start),
        event_id_end=EventId(message.event_id_end),
        timestamp_ms=Millis(message.timestamp_ms),
        toc_node_id=NodeId(message.toc_node_id),
        spans=tuple(Span(EventId(span.event_id), span.start, span.end) for span in message.spans),
    )


def caught_up_value(message: pb2.SyncViewsResponse | pb2.RebuildTocResponse) -> CaughtUp:
    """Read what bringing a view up to date changed."""
    return CaughtUp(events=message.events, nodes=message.nodes)
