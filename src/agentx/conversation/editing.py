"""What becomes of the table of contents where the log or a period changed.

An editor reads the view as it is and writes what must become of it into a change; whether
and when the change becomes true is its caller's business. Nothing is written that is there
already, and a model's words stay for as long as the very events that they tell do.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from agentx.conversation import toc
from agentx.conversation.model import Event
from agentx.conversation.segments import Cutting, Place, cut_again, place, revise
from agentx.conversation.store.rows import session_ref
from agentx.conversation.store.toc import TocChange, TocStore
from agentx.conversation.summariser import Summariser
from agentx.conversation.toc_model import EXTRACTIVE, Segment, SegmentSummary, TocNode
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.ids import NodeId
from agentx.kernel.periods import (
    Level,
    Period,
    SegmentRef,
    children,
    day_period,
    parent,
    parse_node_id,
)


class Editor:
    """Edits the view of one project. One thread at a time."""

    def __init__(
        self, store: TocStore, *, project: str, clock: Clock, cutting: Cutting, writer: Summariser
    ) -> None:
        self._store = store
        self._project = project
        self._clock = clock
        self._cutting = cutting
        self._writer = writer

    def revise(
        self, change: TocChange, ref: bytes, places: list[Place], until: Place | None = None
    ) -> None:
        """Cut and summarise again what was touched of one session, as if it ended at `until`."""

        def read(since_ms: Millis) -> Iterable[Event]:
            events = self._store.events_of(ref, since_ms)
            return events if until is None else takewhile(lambda one: place(one) <= until, events)

        revision = revise(self._store.marks(ref), places, read, self._cutting)
        for node_id in revision.gone:
            self._drop(change, node_id)
        for segment in revision.segments:
            before = self._store.node(segment.node_id)
            if before is None or not _is_polished(before, segment, places):
                self.write(change, segment, self._writer.summarise(segment))
        change.put_marks(ref, revision.marks)

    def write(self, change: TocChange, segment: Segment, summary: SegmentSummary) -> None:
        """Put the summary of a segment in the place of the one before."""
        before = self._store.node(segment.node_id)
        now_ms, zone = self._clock.now_ms(), self._cutting.zone
        node = toc.segment_node(segment, summary, now_ms=now_ms, zone=zone)
        if before is not None:
            if toc.tells_the_same(node, before):
                return
            change.note_tried(segment.node_id, "")
        for grip_id in _grips_of(before) - {grip.grip_id for grip in summary.grips}:
            change.drop_grip(grip_id)
        for grip in summary.grips:
            change.put_grip(grip)
        change.put(node, before)
        change.dirty(day_period(segment.day).node_id)

    def segment(self, node_id: NodeId) -> Segment | None:
        """Return the segment of a node, cut again from the log; None where it is another now."""
        node = self._store.node(node_id)
        if node is None or not node.harnesses or not node.sessions:
            return None
        ref = session_ref(self._project, node.harnesses[0], node.sessions[0])
        for mark in self._store.marks(ref):
            if mark.node_id == node_id:
                return cut_again(
                    mark, lambda since_ms: self._store.events_of(ref, since_ms), self._cutting
                )
        return None

    def roll(self, change: TocChange, period: Period) -> None:
        """Tell a period anew by its parts; the one above must follow if it tells something else."""
        before = self._store.node(period.node_id)
        parts = self._parts(period)
        change.dirty(period.node_id, kept=False)
        if parts:
            now_ms, zone = self._clock.now_ms(), self._cutting.zone
            node = toc.roll_up(period, parts, now_ms=now_ms, zone=zone)
            if before is not None and toc.tells_the_same(node, before):
                return
            change.put(node, before)
        elif before is None:
            return
        else:
            change.drop(period.node_id)
        above = parent(period)
        if above is not None:
            change.dirty(above.node_id)

    def _drop(self, change: TocChange, node_id: NodeId) -> None:
        for grip_id in _grips_of(self._store.node(node_id)):
            change.drop_grip(grip_id)
        change.drop(node_id)
        change.note_tried(node_id, "")
        named = parse_node_id(node_id)
        assert isinstance(named, SegmentRef), "only segments are dropped here"
        change.dirty(day_period(named.day).node_id)

    def _parts(self, period: Period) -> list[TocNode]:
        if period.level is Level.DAY:
            name = period.node_id.removeprefix("toc:day:")
            return self._store.nodes(self._store.ids(f"toc:segment:{name}:"))
        return self._store.nodes([part.node_id for part in children(period)])


def _grips_of(node: TocNode | None) -> set[str]:
    return set() if node is None else {grip for bullet in node.bullets for grip in bullet.grip_ids}


def _is_polished(node: TocNode, segment: Segment, touched: list[Place]) -> bool:
    """Tell whether a model wrote this node of these very events: its words are kept.

    Equal numbers prove nothing: one event may have been forgotten and a late one have come.
    """
    return (
        node.written_by != EXTRACTIVE
        and node.event_count == len(segment.events)
        and (node.start_ms, node.end_ms) == (segment.start_ms, segment.end_ms)
        and not any(segment.start_ms <= at_ms <= segment.end_ms for at_ms, _ in touched)
    )
