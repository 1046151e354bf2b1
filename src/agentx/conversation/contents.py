"""The table of contents as a view of the log: caught up, rolled, browsed, expanded.

    log ---- outbox ----> segments, grips               `catch_up`: what was touched, and no more
    segments --dirty----> days, weeks, months, years    `roll`
    provisional --time--> final                         `close_due`
    final segments -----> better words                  `polish`: with a model, outside the lock

Each step is one atomic change that carries its own checkpoint, so a process may die between
any two and the next one goes on. Beginning again from nothing is a list of sessions to do:
it gives the same nodes but for their versions. What was forgotten leaves no trace behind a
`catch_up`, in no older version and in no file.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from datetime import tzinfo
from functools import cached_property
from itertools import count
from threading import RLock
from typing import TYPE_CHECKING, Protocol

from agentx.conversation.limits import (
    EXPAND_EVENTS_MAX,
    TOC_BATCH_EVENTS_MAX,
    TOC_BATCH_PERIODS_MAX,
    TOC_FIRST_EVENTS,
)
from agentx.conversation.segments import is_due
from agentx.conversation.store.rows import session_ref
from agentx.conversation.store.toc import TocStore
from agentx.conversation.toc_model import (
    EXTRACTIVE,
    CaughtUp,
    Expansion,
    NodePage,
    Segment,
    SegmentSummary,
    TocNode,
)
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError, InvalidValue, NotFound
from agentx.kernel.ids import NodeId, parse_grip_id
from agentx.kernel.limits import TOC_PAGE_MAX
from agentx.kernel.periods import Level, Period, SegmentRef, day_period, parse_node_id
from agentx.kernel.values import frozen

if TYPE_CHECKING:
    from agentx.conversation.editing import Editor

_STEPS_A_ROLL = 16
_ROLLED = (Level.DAY, Level.WEEK, Level.MONTH, Level.YEAR)


@frozen
class ContentsRules:
    """How the view is made."""

    zone: tzinfo
    zone_name: str
    open_editor: Callable[[TocStore, str, Clock], Editor]  # called when something is to be written


class SegmentWriter(Protocol):
    """Whatever may write a segment better than the view does by itself."""

    @property
    def name(self) -> str:
        """Who writes."""
        ...

    def write(self, segment: Segment) -> SegmentSummary | None:
        """Return the segment in a few lines; None where there is nothing that can be kept.

        Raises: AgentXError when it cannot write now, whatever the segment.
        """
        ...


class Contents:
    """The table of contents of one project."""

    def __init__(
        self, store: TocStore, *, project: str, clock: Clock, rules: ContentsRules, lock: RLock
    ) -> None:
        self._store = store
        self._project = project
        self._clock = clock
        self._rules = rules
        self._lock = lock

    @cached_property
    def _editor(self) -> Editor:
        return self._rules.open_editor(self._store, self._project, self._clock)

    def find_zones(self) -> tuple[str, str]:
        """Return where days begin here, and where they began when they were last cut."""
        with self._lock:
            return self._rules.zone_name, self._store.progress().zone

    # --- made ---------------------------------------------------------------------------------

    def catch_up(self, told: HowFar = unheard) -> CaughtUp:
        """Bring the view up to date with the log; cheap when nothing is new."""
        steps = list(self.take_steps(told))
        return CaughtUp(
            events=sum(step.events for step in steps), nodes=sum(step.nodes for step in steps)
        )

    def take_steps(self, told: HowFar = unheard) -> Generator[CaughtUp, None, None]:
        """Bring the view up to date step by step, each of which is on disk when it is told."""
        with self._lock:
            if not self._store.is_sound(self._rules.zone_name):
                self._store.begin_again(self._rules.zone_name)
            total = self._store.events_left()
        events, size = 0, TOC_FIRST_EVENTS
        # The first steps are small, and now and then periods follow their segments: who asks
        # again and again while a long history is taken in sees it grow.
        for number in count():
            step = self._step(size)
            if step is None:
                break
            size = min(TOC_BATCH_EVENTS_MAX, 2 * size)
            events += step.events
            told(events, max(total, events))
            yield step
            if number % _STEPS_A_ROLL == 0 and events < total:
                yield CaughtUp(nodes=self.roll())
        yield CaughtUp(nodes=self.roll() + self.close_due())
        self._leave_no_trace()

    def rebuild(self, told: HowFar = unheard) -> CaughtUp:
        """Drop the view and make it from nothing."""
        with self._lock:
            self._store.begin_again(self._rules.zone_name)
        return self.catch_up(told)

    def roll(self) -> int:
        """Roll every dirty period again, days before weeks before months before years."""
        nodes = 0
        for level in _ROLLED:
            while True:
                with self._lock:
                    dirty = self._store.list_noted(
                        "toc-dirty", f"toc:{level}:", TOC_BATCH_PERIODS_MAX
                    )
                    if not dirty:
                        break
                    change = self._store.change()
                    for period in map(parse_node_id, dirty):
                        assert isinstance(period, Period), "segments are not rolled"
                        self._editor.roll(change, period)
                    change.commit()
                    nodes += change.nodes
        return nodes

    def close_due(self, level: Level | None = None) -> int:
        """Make final what can no longer grow, of one level or of all."""
        now_ms = self._clock.now_ms()
        with self._lock:
            change = self._store.change()
            for node in self._store.nodes(self._store.list_noted("toc-open")):
                if level not in (None, node.level):
                    continue
                if not is_due(node, now_ms=now_ms, zone=self._rules.zone):
                    continue
                named = parse_node_id(node.node_id)
                if isinstance(named, SegmentRef):
                    change.put(replace(node, provisional=False), node)
                    change.dirty(day_period(named.day).node_id)
                else:
                    change.dirty(named.node_id)
            change.commit()
        return change.nodes + self.roll()

    def polish(
        self,
        writer: SegmentWriter,
        limit: int,
        may_show: Callable[[Segment], bool] = lambda _segment: True,
    ) -> int:
        """Let a model write final segments again, newest first; return how many it did.

        The model is asked outside the lock, and its words are kept only if the segment is still
        what it was. It is asked once about a segment: what it could not tell is left as it is
        until the segment changes, or another model is set.
        """
        written = 0
        for node_id in self._list_unpolished(writer.name, limit):
            with self._lock:
                segment = self._editor.segment(node_id)
            if segment is None or not may_show(segment):
                continue
            try:
                summary = writer.write(segment)
            except AgentXError:
                break  # no budget or no answer: another segment would fare no better
            written += self._keep_polished(segment, summary, writer.name)
        self.roll()
        return written

    def events_left(self) -> int:
        """Return about how many events are still to be taken in."""
        with self._lock:
            return self._store.events_left()

    # --- read ---------------------------------------------------------------------------------
    # Nodes lie in rows of their own that change in one write: nobody waits for a step that makes
    # them, which may take a tenth of a second.

    def roots(self) -> tuple[TocNode, ...]:
        """Return the years, newest first."""
        return tuple(reversed(self._store.nodes(self._store.ids("toc:year:"))))

    def node(self, node_id: str) -> TocNode:
        """Return a node.

        Raises: InvalidValue, NotFound.
        """
        named = parse_node_id(node_id)
        node = self._store.node(named.node_id)
        if node is None:
            raise NotFound(
                f"{node_id}: nothing is remembered of that", hint="`agentx toc` lists what is"
            )
        return node

    def browse(self, node_id: str, *, cursor: str = "", limit: int = TOC_PAGE_MAX) -> NodePage:
        """Return the parts of a node, or the years, in order; `cursor` is the last one seen.

        Raises: InvalidValue, NotFound.
        """
        if not 1 <= limit <= TOC_PAGE_MAX:
            raise InvalidValue(f"limit {limit} is outside 1 to {TOC_PAGE_MAX}")
        if cursor:
            parse_node_id(cursor)
        ids = self.node(node_id).children if node_id else self._store.ids("toc:year:")
        # Ids of parts are in the order of time, so a page goes on even if its last one is gone.
        left = [one for one in ids if one > cursor]
        nodes = self._store.nodes(left[:limit])
        return NodePage(nodes=tuple(nodes), next=left[limit - 1] if len(left) > limit else "")

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

    def _step(self, size: int) -> CaughtUp | None:
        """Take the next few events into the view; None when there are none."""
        with self._lock:
            change = self._store.change()
            part = self._store.part_to_do(size)
            if part is not None:
                if part.places:
                    self._editor.revise(change, part.ref, part.places, until=part.places[-1])
                change.note_done(part)
                change.commit()
                return CaughtUp(events=len(part.places), nodes=change.nodes)
            news = self._store.news(self._store.progress().sequence, size)
            if not news.entries:
                return None
            if not news.is_complete:
                self._store.begin_again(self._rules.zone_name)
                return CaughtUp()
            for ref, places in news.touched.items():
                self._editor.revise(change, ref, places)
            if news.has_forgotten:
                change.leave_no_trace()
            change.put_progress(replace(news.progress, zone=self._rules.zone_name))
            change.commit()
            return CaughtUp(events=news.entries, nodes=change.nodes)

    def _leave_no_trace(self) -> None:
        """Drop what was forgotten from older versions and from the disk, if anything was."""
        with self._lock:
            if self._store.has_traces():
                self._store.erase_traces()

    def _list_unpolished(self, name: str, limit: int) -> list[NodeId]:
        """Return the newest final segments that this model has neither written nor tried."""
        with self._lock:
            ids = self._store.ids("toc:segment:")
        found: list[NodeId] = []
        for node_id in reversed(ids):
            if len(found) >= limit:
                break
            with self._lock:
                node = self._store.node(node_id)
                tried_by = self._store.find_tried(node_id)
            is_plain = node is not None and node.written_by == EXTRACTIVE and not node.provisional
            if is_plain and tried_by != name:
                found.append(node_id)
        return found

    def _keep_polished(self, segment: Segment, summary: SegmentSummary | None, by: str) -> int:
        with self._lock:
            if self._editor.segment(segment.node_id) != segment:
                return 0
            change = self._store.change()
            if summary is None:
                change.note_tried(segment.node_id, by)
            else:
                self._editor.write(change, segment, summary)
            change.commit()
            return change.nodes
