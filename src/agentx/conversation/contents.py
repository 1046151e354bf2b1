"""The table of contents as a view of the log: caught up, rolled, browsed, expanded.

    log ---- outbox ----> segments, grips        `catch_up`: what was touched, and nothing else
    segments --dirty----> days, weeks, months, years    `roll`
    provisional --time--> final                         `close_due`
    final segments -----> better words                  `polish`: with a model, outside the lock

Each step is one atomic change with its own checkpoint, so a process may die between any
two, and rebuilding from nothing gives the same nodes but for their versions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import tzinfo
from threading import RLock

from agentx.conversation import toc
from agentx.conversation.model import Event
from agentx.conversation.segments import Cutting, Estimate, Place, revise
from agentx.conversation.store.rows import session_ref
from agentx.conversation.store.toc import Progress, TocChange, TocStore
from agentx.conversation.summariser import Summariser
from agentx.conversation.toc_model import Grip, Segment, SegmentSummary, TocNode
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.ids import NodeId, parse_grip_id
from agentx.kernel.limits import EXPAND_EVENTS_MAX, TOC_BATCH_EVENTS_MAX, TOC_PAGE_MAX
from agentx.kernel.periods import (
    Level,
    Period,
    SegmentRef,
    children,
    day_period,
    parent,
    parse_node_id,
)

_EXTRACTIVE = "extractive"
_ROLLED = (Level.DAY, Level.WEEK, Level.MONTH, Level.YEAR)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaughtUp:
    """What bringing the view up to date changed."""

    events: int = 0
    nodes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePage:
    """The parts of a node, and where to go on."""

    nodes: tuple[TocNode, ...]
    next: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """A grip, and the words around it."""

    grip: Grip
    events_before: tuple[Event, ...]
    excerpt_events: tuple[Event, ...]
    events_after: tuple[Event, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentsRules:
    """How the view is made."""

    zone: tzinfo
    zone_name: str
    estimate: Estimate
    summariser: Summariser


Told = Callable[[int, int], None]  # (done, total), for a progress bar


class Contents:
    """The table of contents of one project."""

    def __init__(
        self, store: TocStore, *, project: str, clock: Clock, rules: ContentsRules, lock: RLock
    ) -> None:
        self._store = store
        self._project = project
        self._clock = clock
        self._rules = rules
        self._cutting = Cutting(zone=rules.zone, estimate=rules.estimate)
        self._lock = lock

    # --- made ---------------------------------------------------------------------------------

    def catch_up(self, told: Told = lambda _done, _total: None) -> CaughtUp:
        """Bring the view up to date with the log; cheap when nothing is new."""
        events = nodes = 0
        with self._lock:
            progress = self._store.progress()
            total = self._store.newest_sequence() - progress.sequence
        if progress.zone != self._rules.zone_name and (progress.zone or progress.sequence):
            return self.rebuild(told)
        while True:
            with self._lock:
                progress = self._store.progress()
                news = self._store.news(progress.sequence, TOC_BATCH_EVENTS_MAX)
                if not news.entries:
                    break
                if not news.is_complete:
                    return self.rebuild(told)
                change = self._store.change()
                for ref, places in news.touched.items():
                    self._revise(change, ref, places)
                change.put_progress(Progress(sequence=news.sequence, zone=self._rules.zone_name))
                change.commit()
            events += news.entries
            nodes += change.nodes
            told(events, max(total, events))
        return CaughtUp(events=events, nodes=nodes + self.roll() + self.close_due())

    def rebuild(self, told: Told = lambda _done, _total: None) -> CaughtUp:
        """Drop the view and make it from nothing."""
        events = nodes = 0
        with self._lock:
            sequence = self._store.newest_sequence()
            self._store.clear()
            sessions = self._store.sessions()
        for done, (ref, row) in enumerate(sessions):
            told(done, len(sessions))
            with self._lock:
                change = self._store.change()
                self._revise(change, ref, [(Millis(row.first_ms), ""), (Millis(row.last_ms), "~")])
                change.commit()
            events += sum(row.counts.values())
            nodes += change.nodes
        with self._lock:
            change = self._store.change()
            change.put_progress(Progress(sequence=sequence, zone=self._rules.zone_name))
            change.commit()
        told(len(sessions), len(sessions))
        nodes += self.roll() + self.close_due()
        self.catch_up()
        return CaughtUp(events=events, nodes=nodes)

    def roll(self) -> int:
        """Roll every dirty period again, days before weeks before months before years."""
        nodes = 0
        for level in _ROLLED:
            with self._lock:
                dirty = [
                    period
                    for node_id in self._store.noted("toc-dirty")
                    if isinstance(period := parse_node_id(node_id), Period)
                    and period.level is level
                ]
                change = self._store.change()
                for period in dirty:
                    self._roll_one(change, period)
                change.commit()
                nodes += change.nodes
        return nodes

    def close_due(self, level: Level | None = None) -> int:
        """Make final what can no longer grow, of one level or of all."""
        now_ms = self._clock.now_ms()
        with self._lock:
            change = self._store.change()
            for node in self._store.nodes(self._store.noted("toc-open")):
                if level not in (None, node.level):
                    continue
                if not toc.is_due(node, now_ms=now_ms, zone=self._rules.zone):
                    continue
                named = parse_node_id(node.node_id)
                if isinstance(named, SegmentRef):
                    change.put(replace(node, provisional=False), node)
                    change.dirty(day_period(named.day).node_id)
                else:
                    change.dirty(named.node_id)
            closed = change.nodes
            change.commit()
        return closed + self.roll() if self._any_dirty() else closed

    def polish(self, writer: Summariser, limit: int) -> int:
        """Let a model write the final segments again, newest first; return how many it did.

        The model is asked outside the lock, and its words are kept only if the segment is still
        what it was.
        """
        written = 0
        for node_id in self._unpolished(limit):
            segment = self._segment(node_id)
            if segment is None:
                continue
            summary = writer.summarise(segment)
            if summary.written_by == _EXTRACTIVE:
                break  # no model, no budget, or no answer: another segment would fare no better
            written += self._keep_polished(node_id, segment, summary)
        if written:
            self.roll()
        return written

    def purge(self) -> None:
        """Drop every trace of what was forgotten, from old versions and from the disk too."""
        self.catch_up()
        with self._lock:
            self._store.drop_old_versions()
            self._store.erase()

    # --- read ---------------------------------------------------------------------------------

    def roots(self) -> tuple[TocNode, ...]:
        """Return the years, newest first."""
        with self._lock:
            years = self._store.nodes(self._store.ids("toc:year:"))
        return tuple(reversed(years))

    def node(self, node_id: str) -> TocNode:
        """Return a node.

        Raises: InvalidValue, NotFound.
        """
        named = parse_node_id(node_id)
        with self._lock:
            node = self._store.node(named.node_id)
        if node is None:
            raise NotFound(
                f"{node_id}: nothing is remembered of that", hint="`agentx toc` lists what is"
            )
        return node

    def _years(self) -> list[NodeId]:
        with self._lock:
            return self._store.ids("toc:year:")

    def browse(self, node_id: str, *, cursor: str = "", limit: int = TOC_PAGE_MAX) -> NodePage:
        """Return the parts of a node, or the years, in order; `cursor` is the last one seen.

        Raises: InvalidValue, NotFound.
        """
        if not 1 <= limit <= TOC_PAGE_MAX:
            raise InvalidValue(f"limit {limit} is outside 1 to {TOC_PAGE_MAX}")
        ids = list(self.node(node_id).children if node_id else self._years())
        if cursor:
            if cursor not in ids:
                raise InvalidValue("that cursor was not given by a page before")
            ids = ids[ids.index(NodeId(cursor)) + 1 :]
        with self._lock:
            nodes = self._store.nodes(ids[:limit])
        return NodePage(nodes=tuple(nodes), next=ids[limit - 1] if len(ids) > limit else "")

    def expand(self, grip_id: str, *, before: int, after: int) -> Expansion:
        """Return the evidence of a bullet with the events around it.

        Raises: InvalidValue, NotFound.
        """
        if not (0 <= before <= EXPAND_EVENTS_MAX and 0 <= after <= EXPAND_EVENTS_MAX):
            raise InvalidValue(f"before and after are 0 to {EXPAND_EVENTS_MAX}")
        name, _ = parse_grip_id(grip_id)
        with self._lock:
            grip = self._store.grip(name)
            if grip is None:
                raise NotFound(f"{grip_id}: no such grip", hint="`agentx toc NODE` shows grips")
            ids = dict.fromkeys(span.event_id for span in grip.spans)
            found = [event for one in ids if (event := self._store.event(one)) is not None]
            if not found:
                raise NotFound(f"{grip_id}: its words were forgotten")
            ref = session_ref(self._project, found[0].harness, found[0].session_id)
            return Expansion(
                grip=grip,
                events_before=tuple(
                    self._store.around(ref, found[0].event_id, before, before=True)
                ),
                excerpt_events=tuple(found),
                events_after=tuple(
                    self._store.around(ref, found[-1].event_id, after, before=False)
                ),
            )

    # --- parts --------------------------------------------------------------------------------

    def _revise(self, change: TocChange, ref: bytes, places: list[Place]) -> None:
        """Cut and summarise again what was touched of one session."""
        marks = self._store.marks(ref)
        revision = revise(
            marks, places, lambda since_ms: self._store.events_of(ref, since_ms), self._cutting
        )
        for node_id in revision.gone:
            self._drop_segment(change, node_id)
        for segment in revision.segments:
            self._put_segment(change, segment)
        change.put_marks(ref, revision.marks)

    def _put_segment(self, change: TocChange, segment: Segment) -> None:
        before = self._store.node(segment.node_id)
        if before is not None and _is_polished(before, segment):
            return
        self._write_segment(change, segment, self._rules.summariser.summarise(segment), before)

    def _write_segment(
        self,
        change: TocChange,
        segment: Segment,
        summary: SegmentSummary,
        before: TocNode | None,
    ) -> None:
        node = toc.segment_node(
            segment, summary, now_ms=self._clock.now_ms(), zone=self._rules.zone
        )
        if before is not None and toc.tells_the_same(node, before):
            return
        for grip_id in _grips_of(before) - {grip.grip_id for grip in summary.grips}:
            change.drop_grip(grip_id)
        for grip in summary.grips:
            change.put_grip(grip)
        change.put(node, before)
        change.dirty(day_period(segment.day).node_id)

    def _drop_segment(self, change: TocChange, node_id: NodeId) -> None:
        for grip_id in _grips_of(self._store.node(node_id)):
            change.drop_grip(grip_id)
        change.drop(node_id)
        named = parse_node_id(node_id)
        assert isinstance(named, SegmentRef), "only segments are dropped here"
        change.dirty(day_period(named.day).node_id)

    def _roll_one(self, change: TocChange, period: Period) -> None:
        before = self._store.node(period.node_id)
        parts = self._parts(period)
        change.dirty(period.node_id, kept=False)
        if parts:
            node = toc.roll_up(period, parts, now_ms=self._clock.now_ms(), zone=self._rules.zone)
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

    def _parts(self, period: Period) -> list[TocNode]:
        if period.level is Level.DAY:
            name = period.node_id.removeprefix("toc:day:")
            return self._store.nodes(self._store.ids(f"toc:segment:{name}:"))
        return self._store.nodes([part.node_id for part in children(period)])

    def _any_dirty(self) -> bool:
        with self._lock:
            return bool(self._store.noted("toc-dirty"))

    def _unpolished(self, limit: int) -> list[NodeId]:
        with self._lock:
            ids = self._store.ids("toc:segment:")[::-1]
            found: list[NodeId] = []
            for node_id in ids:
                node = self._store.node(node_id)
                if node is not None and node.written_by == _EXTRACTIVE and not node.provisional:
                    found.append(node_id)
                    if len(found) >= limit:
                        break
        return found

    def _segment(self, node_id: NodeId) -> Segment | None:
        """Return a segment as it was cut, found again by its node."""
        with self._lock:
            node = self._store.node(node_id)
            if node is None or not node.harnesses or not node.sessions:
                return None
            ref = session_ref(self._project, node.harnesses[0], node.sessions[0])
            events: list[Event] = []
            for event in self._store.events_of(ref, node.start_ms):
                if event.timestamp_ms > node.end_ms or len(events) >= node.event_count:
                    break
                events.append(event)
        named = parse_node_id(node_id)
        if len(events) != node.event_count or not isinstance(named, SegmentRef):
            return None
        return Segment(
            node_id=node_id,
            day=named.day,
            harness=node.harnesses[0],
            session_id=node.sessions[0],
            events=tuple(events),
        )

    def _keep_polished(self, node_id: NodeId, segment: Segment, summary: SegmentSummary) -> int:
        with self._lock:
            before = self._store.node(node_id)
            if before is None or before.event_count != len(segment.events):
                return 0
            change = self._store.change()
            self._write_segment(change, segment, summary, before)
            change.commit()
            return change.nodes


def _grips_of(node: TocNode | None) -> set[str]:
    return set() if node is None else {grip for bullet in node.bullets for grip in bullet.grip_ids}


def _is_polished(node: TocNode, segment: Segment) -> bool:
    """Tell whether a model wrote this node of these very events: its words are kept."""
    return (
        node.written_by != _EXTRACTIVE
        and node.event_count == len(segment.events)
        and (node.start_ms, node.end_ms) == (segment.start_ms, segment.end_ms)
    )


__all__ = [
    "CaughtUp",
    "Contents",
    "ContentsRules",
    "Expansion",
    "NodePage",
    "Told",
]
