"""The nouns of the table of contents.

A *segment* is a stretch of one session. A *bullet* is one line about it. A *grip* is the
proof of a bullet: a piece of text and the exact place in an event where it stands. A
*node* is a segment or a calendar period with what is worth knowing about it.

All of it is a view of the log: the same events always give the same values.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from agentx.conversation.model import Event
from agentx.kernel.clock import Millis
from agentx.kernel.ids import EventId, GripId, NodeId
from agentx.kernel.periods import Level
from agentx.kernel.values import frozen

EXTRACTIVE = "extractive"  # who wrote a node without a model


class BulletKind(StrEnum):
    """What a bullet tells."""

    DECISION = "decision"
    CHANGE = "change"
    PROBLEM = "problem"
    OUTCOME = "outcome"
    ANSWER = "answer"
    QUESTION = "question"
    REQUEST = "request"
    FACT = "fact"
    OPEN = "open"  # left undone, or waiting


@frozen(kw_only=False)
class Span:
    """A piece of one event's text, in characters: `text[start:end]`."""

    event_id: EventId
    start: int
    end: int


@frozen
class Grip:
    """The proof of a bullet. The excerpt is the text of the spans, joined by newlines."""

    grip_id: GripId
    excerpt: str
    event_id_start: EventId
    event_id_end: EventId
    timestamp_ms: Millis
    toc_node_id: NodeId
    spans: tuple[Span, ...]


@frozen
class Bullet:
    """One line of a summary, and what proves it."""

    text: str
    grip_ids: tuple[GripId, ...]
    kind: BulletKind = BulletKind.FACT
    weight: int = 0  # how much it tells; only compared
    timestamp_ms: Millis


@frozen
class Topic:
    """What a stretch of time was about, in a phrase."""

    text: str
    weight: int


@frozen
class Segment:
    """A stretch of one session: the unit that is summarised.

    `context` came just before and belongs to the segment before: it helps to understand
    this one and is never evidence.
    """

    node_id: NodeId
    day: date
    harness: str
    session_id: str
    events: tuple[Event, ...]
    context: tuple[Event, ...] = ()
    tokens: int = 0

    @property
    def start_ms(self) -> Millis:
        """The time of the first event."""
        return self.events[0].timestamp_ms

    @property
    def end_ms(self) -> Millis:
        """The time of the last event."""
        return self.events[-1].timestamp_ms


@frozen
class SegmentSummary:
    """A segment in a few lines. Every grip that a bullet names is among `grips`."""

    title: str
    bullets: tuple[Bullet, ...]
    grips: tuple[Grip, ...]
    keywords: tuple[str, ...]
    written_by: str  # "extractive", or the model


@frozen
class TocNode:
    """A segment or a period, and what is worth knowing about it.

    `start_ms` and `end_ms` are the first and the last event, not the edges of the period.
    `version` counts what the store has kept before; everything else follows from the events.
    """

    node_id: NodeId
    level: Level
    title: str
    bullets: tuple[Bullet, ...] = ()
    keywords: tuple[str, ...] = ()
    topics: tuple[Topic, ...] = ()
    children: tuple[NodeId, ...] = ()
    start_ms: Millis
    end_ms: Millis
    agents: tuple[str, ...] = ()
    harnesses: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    session_count: int = 0  # more than `sessions` lists when there are very many
    issues: tuple[int, ...] = ()
    event_count: int = 0
    version: int = 0
    provisional: bool = False
    written_by: str = ""


@frozen
class CaughtUp:
    """What bringing the view up to date changed."""

    events: int = 0
    nodes: int = 0


@frozen
class NodePage:
    """The parts of a node, and where to go on."""

    nodes: tuple[TocNode, ...]
    next: str = ""


@frozen
class Expansion:
    """A grip, and the words around it."""

    grip: Grip
    events_before: tuple[Event, ...]
    excerpt_events: tuple[Event, ...]
    events_after: tuple[Event, ...]
