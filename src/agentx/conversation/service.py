"""The verbs of the log.

Append, read, forget. Reads and writes of one store take turns: the store is used
by one thread at a time, and no call holds it longer than a page or a batch.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import RLock

from agentx.conversation.contents import Contents, ContentsRules
from agentx.conversation.limits import EVENTS_PAGE_MAX, SCAN_ROWS_MAX
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
from agentx.conversation.store.feed import Feed
from agentx.conversation.store.log import Found, LogStore
from agentx.conversation.store.rows import SessionRow, session_ref
from agentx.conversation.store.toc import TocStore
from agentx.kernel.bus import Bus
from agentx.kernel.capture import Draft, EventType, Role
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.ids import EventId, is_ulid, shorten_ids
from agentx.kernel.limits import APPEND_BATCH_EVENTS_MAX
from agentx.kernel.text import preview
from agentx.kernel.values import frozen

_NEWEST_MAX = 60  # sessions: for more than so many, all are looked at
_TITLE_CHARS_MAX = 120
_TITLES_KEPT_MAX = 500


@frozen
class EventsAppended:
    """New events are in the log."""

    project: str
    event_ids: tuple[EventId, ...]


@frozen
class EventsForgotten:
    """Events were erased for good; every view must drop them."""

    project: str
    event_id: str
    session_id: str


class _Reading:
    """What reads the log, for one thread at a time.

    Who writes (what is new, its table of contents) may take a tenth of a second for a step; nobody
    who reads waits for that. Each time the rows are asked anew, as far as they are by then.
    """

    def __init__(self, store: LogStore) -> None:
        self._store = store.beside()
        self._lock = RLock()
        self._titles: dict[str, str] = {}  # of sessions, by the prompt that each is made of

    @contextmanager
    def lend(self) -> Iterator[LogStore]:
        """Lend it, with nothing known from before."""
        with self._lock:
            self._store.look_anew()
            yield self._store

    def title_of(self, row: SessionRow) -> str:
        """Return what a session was begun with; no event is ever another, but one may be gone."""
        name = row.first_prompt
        if not name or not self._store.holds(EventId(name)):
            self._titles.pop(name, None)
            return ""
        title = self._titles.get(name)
        if title is None:
            prompt = self._store.get(EventId(name))
            title = preview(prompt.text, _TITLE_CHARS_MAX) if prompt is not None else ""
            if len(self._titles) >= _TITLES_KEPT_MAX:
                self._titles.clear()
            self._titles[name] = title
        return title


class Conversation:
    """The log of one project."""

    def __init__(
        self,
        store: LogStore,
        *,
        project: str,
        clock: Clock,
        bus: Bus,
        turns: tuple[RLock, _Reading] | None = None,
    ) -> None:
        self._store = store
        self._project = project
        self._clock = clock
        self._bus = bus
        self._lock, self._reading = turns if turns is not None else (RLock(), _Reading(store))

    @property
    def project(self) -> str:
        """The project whose log this is."""
        return self._project

    def projects(self) -> tuple[str, ...]:
        """Return every project that has events in the store."""
        with self._lock:
            return self._store.projects()

    def contents(self, toc: Callable[[str], TocStore], rules: ContentsRules) -> Contents:
        """Return the table of contents of this log; it takes turns with it."""
        return Contents(
            toc(self._project),
            project=self._project,
            clock=self._clock,
            rules=rules,
            lock=self._lock,
        )

    def feed(self, toc: Callable[[str], TocStore]) -> Feed:
        """Return what another view reads of this log; it takes turns with it."""
        return Feed(toc(self._project), self._lock)

    def of_project(self, project: str) -> Conversation:
        """Return the log of another project in the same store."""
        turns = self._lock, self._reading
        return Conversation(
            self._store, project=project, clock=self._clock, bus=self._bus, turns=turns
        )

    def append(self, drafts: Iterable[Draft]) -> Receipt:
        """Store what is new; return after it is on disk."""
        from agentx.conversation.cleaning import clean  # noqa: PLC0415  who reads redacts nothing

        stored: list[EventId] = []
        duplicates = forgotten = 0
        for chunk in _chunks(drafts):
            now_ms = self._clock.now_ms()
            drafts_clean = [clean(draft, now_ms=now_ms) for draft in chunk]
            with self._lock:
                receipt = self._store.append(drafts_clean, project=self._project)
            stored.extend(receipt.stored)
            duplicates += receipt.duplicates
            forgotten += receipt.forgotten
        if stored:
            self._bus.tell(EventsAppended(project=self._project, event_ids=tuple(stored)))
        return Receipt(stored=tuple(stored), duplicates=duplicates, forgotten=forgotten)

    def get(self, event_id: str) -> Event:
        """Return one event.

        Raises: NotFound, InvalidValue.
        """
        if not is_ulid(event_id):
            raise InvalidValue(
                f"{event_id[:60]!r} is not an event id", hint="`agentx events --json` shows ids"
            )
        with self._reading.lend() as store:
            event = store.get(EventId(event_id))
        if event is None or event.project != self._project:
            raise NotFound(f"{event_id}: no such event", hint="it may have been forgotten")
        return event

    def events(self, query: EventQuery) -> EventPage:
        """Return one page of events, in the order of their own time.

        Raises: InvalidValue for a filter or a cursor that cannot be.
        """
        _check(query)
        start, end = self._store.bounds(query)
        found: list[Event] = []
        with self._reading.lend() as store:
            last = ""
            for looked, (event_id, event) in enumerate(self._rows(store, query, start, end)):
                if looked >= SCAN_ROWS_MAX:
                    return EventPage(events=tuple(found), next=last)
                if event is not None and self._matches(event, query):
                    if len(found) == query.limit:
                        return EventPage(events=tuple(found), next=last)
                    found.append(event)
                last = event_id
        return EventPage(events=tuple(found))

    def sessions(self, query: SessionQuery) -> tuple[Session, ...]:
        """Return sessions, newest first."""
        limit = max(query.limit, 0)
        with self._reading.lend() as store:
            rows = None
            if 0 < limit <= _NEWEST_MAX and query.until_ms is None and not query.short_ids:
                wants = partial(_session_matches, query=query)
                rows = store.find_newest(self._project, limit, wants, query.since_ms)
            known: list[SessionRow] = []
            if rows is None:
                known = [row for _, row in store.session_rows(self._project)]
                rows = [row for row in known if _session_matches(row, query)]
            rows.sort(key=lambda row: (row.last_ms, row.session_id, row.harness), reverse=True)
            shown = [row.session_id for row in rows[:limit]]
            # What is short is so among all of them.
            short = shorten_ids(shown, (row.session_id for row in known)) if query.short_ids else {}
            return tuple(
                _session(row, self._reading.title_of(row), short.get(row.session_id, ""))
                for row in rows[:limit]
            )

    def status(self) -> LogStatus:
        """Say what the log holds."""
        by_harness: Counter[str] = Counter()
        by_type: Counter[str] = Counter()
        times: list[Millis] = []
        sessions = forgotten = resumed = 0
        with self._lock:
            for _, row in self._store.session_rows(self._project):
                forgotten += row.forgotten
                count = sum(row.counts.values())
                if count == 0:
                    continue
                sessions += 1
                resumed += bool(row.forgotten_ms)
                by_harness[row.harness] += count
                by_type.update(row.counts)
                times += (Millis(row.first_ms), Millis(row.last_ms))
            size = self._store.size_bytes()
        return LogStatus(
            events=by_harness.total(),
            sessions=sessions,
            forgotten=forgotten,
            resumed=resumed,
            first_ms=min(times, default=None),
            last_ms=max(times, default=None),
            by_harness=dict(by_harness.most_common()),
            by_type=dict(by_type.most_common()),
            bytes_on_disk=size,
        )

    def forget_event(self, event_id: str) -> Forgotten:
        """Erase one event for good.

        Raises: NotFound, InvalidValue.
        """
        self.get(event_id)
        return self.forget_events((event_id,))

    def forget_events(self, event_ids: Iterable[str]) -> Forgotten:
        """Erase events for good, all at once; those that are gone already are passed over.

        Raises: InvalidValue.
        """
        with self._lock:
            found = [event for one in dict.fromkeys(event_ids) if (event := self._find(one))]
            gone = self._store.forget_events(found) if found else Forgotten(events=0, sessions=0)
        for event in found:
            told = EventsForgotten(project=self._project, event_id=event.event_id, session_id="")
            self._bus.tell(told)
        return gone

    def forget_session(self, session_id: str) -> Forgotten:
        """Erase a session for good, whichever agent CLIs used that id.

        Raises: NotFound.
        """
        events = sessions = 0
        with self._lock:
            for ref, row in self._sessions_called(self._store, session_id):
                gone = self._store.forget_session(ref, row, now_ms=self._clock.now_ms())
                events += gone.events
                sessions += gone.sessions
        self._bus.tell(EventsForgotten(project=self._project, event_id="", session_id=session_id))
        return Forgotten(events=events, sessions=sessions)

    def _find(self, event_id: str) -> Event | None:
        with suppress(NotFound):
            return self.get(event_id)
        return None

    def close(self) -> None:
        """Close the store."""
        with self._lock:
            self._store.close()

    def _rows(
        self, store: LogStore, query: EventQuery, start: bytes, end: bytes
    ) -> Iterator[Found]:
        if not query.session_id:
            yield from store.scan(start, end, reverse=query.newest_first)
            return
        alike = [
            store.scan_session(ref, start, end, reverse=query.newest_first)
            for ref in self._refs_called(store, query)
        ]
        yield from heapq.merge(*alike, key=lambda row: row[0], reverse=query.newest_first)

    def _refs_called(self, store: LogStore, query: EventQuery) -> list[bytes]:
        """Return where the sessions of a query lie; of one that is named whole no other is read."""
        if query.harness:
            ref = session_ref(self._project, query.harness, query.session_id)
            if store.has_session(ref):
                return [ref]
        return [ref for ref, _ in self._sessions_called(store, query.session_id)]

    def _sessions_called(self, store: LogStore, session_id: str) -> list[tuple[bytes, SessionRow]]:
        """Return the sessions of that id; a prefix will do when only one session has it."""
        rows = [
            (ref, row)
            for ref, row in store.session_rows(self._project)
            if row.session_id.startswith(session_id) and any(row.counts.values())
        ]
        exact = [(ref, row) for ref, row in rows if row.session_id == session_id]
        if exact:
            return exact
        if not rows:
            raise NotFound(f"{session_id}: no such session", hint="`agentx sessions` lists them")
        if len({row.session_id for _, row in rows}) > 1:
            raise InvalidValue(
                f"{session_id}: {len(rows)} sessions begin like that", hint="give more of the id"
            )
        return rows

    def _matches(self, event: Event, query: EventQuery) -> bool:
        return (
            event.project == self._project
            and query.harness in ("", event.harness)
            and query.agent in ("", event.agent)
            and query.role in ("", event.role)
            and query.event_type in ("", event.event_type)
        )


def _session(row: SessionRow, title: str, short_id: str) -> Session:
    return Session(
        session_id=row.session_id,
        harness=row.harness,
        agent=row.agent,
        project=row.project,
        first_ms=Millis(row.first_ms),
        last_ms=Millis(row.last_ms),
        events=sum(row.counts.values()),
        prompts=row.counts.get(EventType.USER_MESSAGE, 0),
        ended=row.ended_ms >= row.last_ms > 0,
        title=title,
        working_directory=row.working_directory,
        branch=row.branch,
        short_id=short_id,
    )


def _chunks(drafts: Iterable[Draft]) -> Iterator[list[Draft]]:
    chunk: list[Draft] = []
    for draft in drafts:
        chunk.append(draft)
        if len(chunk) == APPEND_BATCH_EVENTS_MAX:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _check(query: EventQuery) -> None:
    if not 1 <= query.limit <= EVENTS_PAGE_MAX:
        raise InvalidValue(f"limit {query.limit} is outside 1 to {EVENTS_PAGE_MAX:,}")
    for value, words in ((query.event_type, tuple(EventType)), (query.role, tuple(Role))):
        if value and value not in words:
            raise InvalidValue(f"{value!r} is none of {', '.join(words)}")


def _session_matches(row: SessionRow, query: SessionQuery) -> bool:
    return (
        any(row.counts.values())
        and query.harness in ("", row.harness)
        and query.agent in ("", row.agent)
        and (query.since_ms is None or row.last_ms >= query.since_ms)
        and (query.until_ms is None or row.first_ms < query.until_ms)
    )
