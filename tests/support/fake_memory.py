"""A `Memory` in a dictionary: the same promises, no disk. For tests of the surfaces.

It is safe to use from many threads, keeps events in the order of their time, stores
an event with a source id once, and can be told to be slow or to fail.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self

from agentx.conversation.limits import EVENTS_PAGE_MAX
from agentx.conversation.model import (
    Event,
    EventPage,
    EventQuery,
    Forgotten,
    LogStatus,
    Receipt,
    Session,
    SessionQuery,
)
from agentx.conversation.toc_model import CaughtUp, Expansion, NodePage, TocNode
from agentx.kernel.bus import HowFar
from agentx.kernel.capture import Draft, EventType, Role
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.ids import EventId, ProjectId, ulid
from agentx.kernel.limits import TOC_PAGE_MAX
from agentx.memory.found import SearchReply, SearchRequest
from agentx.memory.port import Behind, Drained, MemoryStatus
from agentx.search.model import INDEXES, Capabilities, IndexReport, TextIndexState


class FakeMemory:
    """Everything the verbs ask of a store, in memory."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.kept: dict[EventId, Event] = {}
        self.batches: list[int] = []
        self.spooled: list[Draft] = []
        self.drains = 0
        self.is_closed = False
        self.before_append: Callable[[], None] = lambda: None
        self._seen: set[tuple[str, str, str, str]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.is_closed = True

    def of_project(self, project: ProjectId) -> FakeMemory:
        """Return the same memory: it knows one project."""
        return self

    def freshen(self, wait_ms: int, *, views: bool = True) -> Behind:
        """Take what was spooled."""
        self.drain()
        return Behind()

    def catch_up(self, told: HowFar = lambda _done, _total: None) -> CaughtUp:
        """Have no views."""
        return CaughtUp()

    def rebuild_toc(self, told: HowFar = lambda _done, _total: None) -> CaughtUp:
        """Have no views."""
        return CaughtUp()

    def rebuild_index(self, name: str, told: HowFar = lambda _done, _total: None) -> int:
        """Have no index."""
        if name not in INDEXES:
            raise InvalidValue(f"{name!r} is none of {', '.join(INDEXES)}")
        return 0

    def search(self, request: SearchRequest) -> SearchReply:
        """Find nothing."""
        return SearchReply(hits=())

    def capabilities(self) -> Capabilities:
        """Have no vectors."""
        return Capabilities(why_off="a fake has none", hint="use a real one")

    def index_report(self) -> IndexReport:
        """Have no index."""
        return IndexReport(text=TextIndexState(ready=False))

    def toc_roots(self) -> tuple[TocNode, ...]:
        """Return nothing."""
        return ()

    def toc_node(self, node_id: str) -> TocNode:
        """Know no node."""
        raise NotFound(f"{node_id}: nothing is remembered of that")

    def browse(self, node_id: str, *, cursor: str = "", limit: int = TOC_PAGE_MAX) -> NodePage:
        """Return nothing."""
        return NodePage(nodes=())

    def expand(self, grip_id: str, *, before: int, after: int) -> Expansion:
        """Know no grip."""
        raise NotFound(f"{grip_id}: no such grip")

    def append(self, drafts: Iterable[Draft]) -> Receipt:
        """Store what is new."""
        given = tuple(drafts)
        self.before_append()
        assert not self.is_closed, "nothing may be appended to a closed memory"
        stored: list[EventId] = []
        with self.lock:
            self.batches.append(len(given))
            for draft in given:
                identity = (draft.harness, draft.session_id, draft.event_type, draft.source_id)
                if draft.source_id and identity in self._seen:
                    continue
                self._seen.add(identity)
                stored.append(self._keep(draft))
        return Receipt(stored=tuple(stored), duplicates=len(given) - len(stored))

    def make_searchable(self, told: HowFar = lambda _done, _total: None) -> None:
        """Have no index."""

    def make_searchable_soon(self) -> None:
        """Have no index."""

    def settle(self, told: HowFar = lambda _done, _total: None) -> None:
        """Have no views."""

    def events(self, query: EventQuery) -> EventPage:
        """Return one page of events."""
        if not 1 <= query.limit <= EVENTS_PAGE_MAX:
            raise InvalidValue(f"limit {query.limit} cannot be")
        with self.lock:
            found = [event for event in self._in_order() if _fits(event, query)]
        if query.newest_first:
            found.reverse()
        if query.cursor:
            is_next = str.__lt__ if query.newest_first else str.__gt__
            found = [event for event in found if is_next(event.event_id, query.cursor)]
        shown = tuple(found[: query.limit])
        return EventPage(events=shown, next=shown[-1].event_id if found[len(shown) :] else "")

    def event(self, event_id: str) -> Event:
        """Return one event."""
        with self.lock:
            if event_id in self.kept:
                return self.kept[EventId(event_id)]
        raise NotFound(f"{event_id}: nothing has that id", hint="see the ids")

    def sessions(self, query: SessionQuery) -> tuple[Session, ...]:
        """Return sessions, newest first."""
        with self.lock:
            events = self._in_order()
        found = [
            _session([event for event in events if event.session_id == session_id])
            for session_id in {event.session_id: None for event in reversed(events)}
        ]
        return tuple(session for session in found if query.harness in ("", session.harness))[
            : query.limit
        ]

    def drain(self) -> Drained:
        """Take what was spooled."""
        with self.lock:
            self.drains += 1
            waiting, self.spooled = self.spooled, []
        if not waiting:
            return Drained()
        receipt = self.append(waiting)
        return Drained(
            files=len(waiting), stored=len(receipt.stored), duplicates=receipt.duplicates
        )

    def forget(
        self, *, event_id: str = "", session_id: str = "", event_ids: tuple[str, ...] = ()
    ) -> Forgotten:
        """Erase an event, some or a session."""
        with self.lock:
            gone = [
                event
                for event in self.kept.values()
                if event.event_id in (event_id, *event_ids) or session_id == event.session_id
            ]
            for event in gone:
                del self.kept[event.event_id]
        if not gone:
            raise NotFound(f"{event_id or session_id}: nothing has that id", hint="see the ids")
        return Forgotten(events=len(gone), sessions=1 if session_id else 0)

    def status(self) -> MemoryStatus:
        """Say what is remembered."""
        with self.lock:
            events = self._in_order()
            waiting = len(self.spooled)
        return MemoryStatus(
            log=LogStatus(
                events=len(events),
                sessions=len({event.session_id for event in events}),
                forgotten=0,
                first_ms=events[0].timestamp_ms if events else None,
                last_ms=events[-1].timestamp_ms if events else None,
                by_harness=dict(Counter(event.harness for event in events)),
                by_type=dict(Counter(str(event.event_type) for event in events)),
                bytes_on_disk=0,
            ),
            spool_waiting=waiting,
            spool_refused=0,
            served_by="store",
        )

    def _keep(self, draft: Draft) -> EventId:
        event_id = EventId(ulid(draft.timestamp_ms, len(self.kept).to_bytes(10)))
        self.kept[event_id] = Event(
            event_id=event_id,
            session_id=draft.session_id,
            timestamp_ms=draft.timestamp_ms,
            event_type=draft.event_type,
            role=draft.role,
            text=draft.text,
            harness=draft.harness,
            agent=draft.agent,
            project="fake",
            metadata=draft.metadata,
        )
        return event_id

    def _in_order(self) -> list[Event]:
        return sorted(self.kept.values(), key=lambda event: event.event_id)


def _fits(event: Event, query: EventQuery) -> bool:
    return (
        query.session_id in ("", event.session_id)
        and query.harness in ("", event.harness)
        and query.agent in ("", event.agent)
        and query.role in ("", event.role)
        and query.event_type in ("", event.event_type)
        and (query.since_ms is None or event.timestamp_ms >= query.since_ms)
        and (query.until_ms is None or event.timestamp_ms < query.until_ms)
    )


def _session(events: list[Event]) -> Session:
    prompts = [event for event in events if event.role is Role.USER]
    return Session(
        session_id=events[0].session_id,
        harness=events[0].harness,
        agent=events[0].agent,
        project=events[0].project,
        first_ms=Millis(events[0].timestamp_ms),
        last_ms=Millis(events[-1].timestamp_ms),
        events=len(events),
        prompts=len(prompts),
        ended=any(event.event_type is EventType.SESSION_END for event in events),
        title=prompts[0].text[:80] if prompts else "",
    )
