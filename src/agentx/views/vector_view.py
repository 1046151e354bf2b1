"""The vectors as a view of the log, of its table of contents and of the rooms.

    outbox ----------------> touched sessions --> events that say something \\
    sessions not yet read -> some events each time                            > one small commit
    changed parts of rooms ----------------------> their documents          /

Embedding is slow, so the view goes in slices: each is a commit, and what it has not come to
is for the next. A view that begins has every session still to read; it notes how far it is,
and meanwhile what is new comes first. An event never changes, so one that is there is not
embedded again, whoever asks.

Forgetting goes the other way: what is gone from the log leaves the index in the next commit,
and with `purge` its vectors leave the disk.

Law: what the mark says was read is in the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Any

from agentx.conversation.model import Event
from agentx.conversation.store.feed import Feed
from agentx.conversation.store.toc import News
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.capture import EventType
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import IndexUnavailable
from agentx.search.document import Document
from agentx.search.model import Embedding, VectorIndexState
from agentx.search.vectors.index import VectorIndex
from agentx.search.vectors.port import Encoder
from agentx.views.documents.conversation import event_document
from agentx.views.documents.rooms import Rooms
from agentx.views.limits import (
    INDEX_BATCH_EVENTS_MAX,
    VECTOR_BATCH_EVENTS_MAX,
    VECTOR_ROOMS_EVERY_MS,
    VECTOR_SLICE_MS,
    VECTOR_TOGETHER_CHARS_MAX,
    VECTOR_TOOL_CHARS_MAX,
)

Place = tuple[Millis, str]  # the time and the id of an event
Pause = Callable[[], None]  # somebody may interrupt, by raising

_PRINTED = frozenset({EventType.TOOL_RESULT, EventType.NOTE})


@dataclass(slots=True)
class _Backlog:
    """Sessions still to read, and the events of the first that are still to embed."""

    refs: list[bytes]
    events: list[Event] = field(default_factory=list)


class VectorView:
    """Keeps the vectors of one project up to date. One process writes."""

    def __init__(
        self, source: Feed, encoder: Encoder, *, folder: Path, clock: Clock, rooms: Rooms
    ) -> None:
        self._source = source
        self._encoder = encoder
        self._folder = folder
        self._clock = clock
        self._rooms = rooms
        self._lock = RLock()  # who writes
        self._opening = RLock()
        self._index: VectorIndex | None = None
        self._backlog: _Backlog | None = None
        self._rooms_at: tuple[int, int] = (-1, 0)  # the sequence and the time of the last look
        self._silent: dict[str, str] = {}  # parts without documents, and their stamps

    def index(self) -> VectorIndex:
        """Return the index that answers; it need not wait for who writes.

        Raises: IndexUnavailable when there is none yet, or none that can be used.
        """
        with self._opening:
            if self._index is None:
                self._index = VectorIndex.open(self._folder, self._encoder, self._clock)
            return self._index

    def step(self, between: Pause = lambda: None) -> Embedding:
        """Do one slice: what is new, else what is still to read, else what changed in rooms.

        `between` is called between documents; when it raises, the slice is given up.
        """
        with self._lock:
            index = self._open()
            try:
                return self._slice(index, between)
            except IndexUnavailable:
                # Taken away or damaged while it was open: the next slice begins anew.
                self.close()
                return Embedding(on=True, more=True)
            except BaseException:
                index.discard()
                self._backlog = None
                raise

    def embed(self, told: HowFar = unheard, *, slices: int = 0) -> Embedding:
        """Take so many slices, or all that are left; `told` may raise to leave off."""
        documents = taken = left = 0
        while True:
            done = self.step(partial(told, documents, documents + left))
            documents, taken = documents + done.documents, taken + 1
            left = done.entries_left + done.events_left + done.sessions_left
            told(documents, documents + left)
            if not done.more or taken == slices:
                return replace(done, documents=documents)

    def purge(self) -> None:
        """Take out at once what was forgotten, and its vectors off the disk; embed nothing."""
        with self._lock:
            index = self._open()
            owner = index.owner()
            since, found = _sequence(owner), False
            while True:
                news = self._source.news(since, INDEX_BATCH_EVENTS_MAX)
                if not news.entries:
                    break
                since = news.sequence
                if news.has_forgotten:
                    found = True
                    for ref, places in news.touched.items():
                        self._drop_gone(index, places, self._among(ref, places))
            if found:
                self._drop_rooms(index)
                self._backlog = None
                with suppress(IndexUnavailable):  # then there is nothing left to purge
                    index.commit(owner, purge=True)

    def status(self) -> VectorIndexState:
        """Say how the index stands, without waiting for who writes."""
        refs = self._source.session_refs()
        try:
            owner, held = self.index().owner(), self.index().status()
        except IndexUnavailable:
            return VectorIndexState(ready=False, sessions_left=len(refs))
        done = owner.get("done")
        return VectorIndexState(
            ready=True,
            documents=held.documents,
            chunks=held.chunks,
            bytes_on_disk=held.bytes_on_disk,
            in_graph=held.in_graph,
            entries_left=max(0, self._source.newest_sequence() - _sequence(owner)),
            sessions_left=sum(ref.hex() > done for ref in refs) if isinstance(done, str) else 0,
        )

    def close(self) -> None:
        """Let go of the index."""
        with self._lock, self._opening:
            if self._index is not None:
                self._index.close()
                self._index = self._backlog = None

    def _open(self) -> VectorIndex:
        try:
            return self.index()
        except IndexUnavailable:
            fresh = VectorIndex.create(self._folder, self._encoder, self._clock)
            fresh.commit(_mark(self._source.newest_sequence()))
            with self._opening:
                self._backlog, self._index = None, fresh
            return fresh

    def _slice(self, index: VectorIndex, between: Pause) -> Embedding:
        owner = index.owner()
        news = self._source.news(_sequence(owner), VECTOR_BATCH_EVENTS_MAX)
        if not news.is_complete:
            # The outbox has dropped what was not read: every session is to be looked at.
            index.commit(_mark(self._source.newest_sequence()))
            self._backlog = None
            return self._left(0, more=True)
        if news.entries:
            return self._left(self._take_news(index, news, between), more=True)
        taken = self._take_backlog(index, owner, between)
        if taken is None:
            taken = self._take_rooms(index, owner, between)
        if taken is not None:
            return self._left(taken, more=True)
        return self._left(0, more=index.grow_graph())

    def _take_news(self, index: VectorIndex, news: News, between: Pause) -> int:
        owner, count = index.owner(), 0
        for ref, places in news.touched.items():
            events = self._among(ref, places)
            self._drop_gone(index, places, events)
            count += _put(index, events, between)
        if news.has_forgotten:
            self._drop_rooms(index)
            # What was read of a session ahead of embedding it may hold what is gone.
            self._backlog = None
        index.commit({**owner, "sequence": news.sequence}, purge=news.has_forgotten)
        return count

    def _among(self, ref: bytes, places: list[Place]) -> list[Event]:
        """Return the events at some places of a session that are still there."""
        wanted = {event_id for _, event_id in places}
        events = self._source.session_events(ref, min(places)[0], max(places)[0])
        return [event for event in events if event.event_id in wanted]

    def _drop_gone(self, index: VectorIndex, places: list[Place], here: list[Event]) -> None:
        index.delete({event_id for _, event_id in places} - {event.event_id for event in here})

    def _drop_rooms(self, index: VectorIndex) -> None:
        """Take out what rooms say otherwise now: it may tell of what was forgotten."""
        stale = self._rooms.news(index.stamps())
        index.delete_parts((*stale.gone, *stale.changed))

    def _take_backlog(
        self, index: VectorIndex, owner: dict[str, Any], between: Pause
    ) -> int | None:
        """Embed some events of the sessions that were not yet read; None when all were."""
        backlog = self._backlog_after(owner.get("done"))
        if not backlog.refs:
            return None
        count, done = 0, owner.get("done")
        until_ms = self._clock.now_ms() + VECTOR_SLICE_MS
        while backlog.refs and self._clock.now_ms() < until_ms:
            if not backlog.events:
                every = self._source.session_events(backlog.refs[0], Millis(0))
                lacking = set(index.lacking(event.event_id for event in every))
                backlog.events = [event for event in every if event.event_id in lacking]
            taken = backlog.events[:VECTOR_BATCH_EVENTS_MAX]
            backlog.events = backlog.events[VECTOR_BATCH_EVENTS_MAX:]
            count += _put(index, taken, between)
            if not backlog.events:
                done = backlog.refs.pop(0).hex()
        index.commit({**owner, "done": done if backlog.refs else None})
        return count

    def _backlog_after(self, done: object) -> _Backlog:
        if self._backlog is None:
            every = sorted(self._source.session_refs())
            refs = [ref for ref in every if isinstance(done, str) and ref.hex() > done]
            self._backlog = _Backlog(refs)
        return self._backlog

    def _take_rooms(self, index: VectorIndex, owner: dict[str, Any], between: Pause) -> int | None:
        """Embed some parts of rooms that changed; None when none did, or it is too early."""
        looked = (_sequence(owner), self._clock.now_ms())
        if self._rooms_at[0] == looked[0] and looked[1] < self._rooms_at[1] + VECTOR_ROOMS_EVERY_MS:
            return None
        news = self._rooms.news({**self._silent, **index.stamps()})
        if not news:
            self._rooms_at = looked
            return None
        index.delete_parts(news.gone)
        count = 0
        for part in news.changed:
            index.delete_parts((part,))
            stamp = news.stamps[part]
            if index.put(self._rooms.documents(part), stamp):
                count += 1
            else:
                self._silent[part] = stamp
            between()
            if self._clock.now_ms() >= looked[1] + VECTOR_SLICE_MS:
                break
        for part in news.gone:
            self._silent.pop(part, None)
        index.commit(owner)
        return count

    def _left(self, documents: int, *, more: bool) -> Embedding:
        owner = self.index().owner()
        backlog = self._backlog_after(owner.get("done"))
        return Embedding(
            on=True,
            documents=documents,
            entries_left=max(0, self._source.newest_sequence() - _sequence(owner)),
            events_left=len(backlog.events),
            sessions_left=len(backlog.refs),
            more=more,
        )


def _put(index: VectorIndex, events: Iterable[Event], between: Pause) -> int:
    """Embed events, short ones together, and let somebody interrupt in between."""
    count, chars = 0, 0
    together: list[Document] = []
    for document in _documents(events):
        if together and chars + len(document.text) > VECTOR_TOGETHER_CHARS_MAX:
            index.put(together)
            between()
            together, chars = [], 0
        together.append(document)
        chars += len(document.text)
        count += 1
    if together:
        index.put(together)
    between()
    return count


def _mark(sequence: int) -> dict[str, Any]:
    """Return the mark of a view that begins: from which entry on, and no session read."""
    return {"sequence": sequence, "done": ""}


def _documents(events: Iterable[Event]) -> Iterator[Document]:
    for event in events:
        document = event_document(event)
        if document is None:
            continue
        if event.event_type in _PRINTED and len(document.text) > VECTOR_TOOL_CHARS_MAX:
            document = replace(document, text=document.text[:VECTOR_TOOL_CHARS_MAX])
        yield document


def _sequence(owner: dict[str, Any]) -> int:
    value = owner.get("sequence")
    return value if isinstance(value, int) else 0
