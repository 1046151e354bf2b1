"""The search index as a view of the log and of the table of contents.

    outbox --> touched sessions --> documents, chapters \\
    noted nodes ------------------> nodes, grips         > one commit, with its mark
    changed parts of rooms -------> their documents     /

The mark of a commit is how far the outbox was read, which parts of the rooms were seen and,
of an index that began with nothing, which sessions are left: so a process may die anywhere
and goes on from there; putting again what was put changes nothing.

Where no index can answer (there is none, it is damaged or of another version) a new one answers
at once, and is filled step by step, the newest sessions first. After something was forgotten one
is built beside the old one, which answers meanwhile: deleted words stay in an index's files until
they are merged, and only a new one is clean.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from threading import RLock

from agentx.conversation.model import Event
from agentx.conversation.store.feed import Feed
from agentx.conversation.toc_model import TocNode
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import IndexUnavailable
from agentx.kernel.ids import NodeId, ulid_ms
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.search.document import Chapter, Document
from agentx.search.model import TextIndexState
from agentx.search.text.index import TextIndex
from agentx.search.text.scales import chapters
from agentx.views.documents.conversation import (
    chapter_documents,
    event_document,
    grip_document,
    node_document,
)
from agentx.views.documents.rooms import Rooms, Stamps
from agentx.views.limits import INDEX_BATCH_EVENTS_MAX, INDEX_BATCH_NODES_MAX, INDEX_FIRST_EVENTS
from agentx.views.port import View

Place = tuple[Millis, str]  # the time and the id of an event


class SearchView(View):
    """Keeps the index of one project up to date. One process writes."""

    name = "search"

    def __init__(
        self,
        source: Feed,
        *,
        folder: Path,
        project: str,
        clock: Clock,
        rooms: Rooms | None = None,
        lost: Callable[[int], None] = lambda _entries: None,
    ) -> None:
        """Keep an index; `lost` is told how many entries the log has lost that were read."""
        self._lost = lost
        self._source = source
        self._rooms = rooms if rooms is not None else Rooms()
        self._folder = folder
        self._project = project
        self._clock = clock
        self._lock = RLock()  # who writes
        self._opening = RLock()
        self._writer: TextIndex | None = None
        self._reader: TextIndex | None = None
        # Where the last chapter of a session begins: most news comes at the end.
        self._last_chapters: dict[bytes, Millis] = {}

    def index(self) -> TextIndex:
        """Return the index that answers; it need not wait for who writes.

        Raises: IndexUnavailable when there is none that can be read.
        """
        with self._opening:
            if self._reader is None:
                self._reader = TextIndex.open(self._folder, self._clock)
            return self._reader

    def status(self) -> TextIndexState:
        """Say how the index stands."""
        try:
            held = self.index().status()
        except IndexUnavailable:
            return TextIndexState(ready=False, entries_left=self.count_left())
        return TextIndexState(
            ready=True,
            documents=held.documents,
            passages=held.passages,
            bytes_on_disk=held.bytes_on_disk,
            generation=held.generation,
            entries_left=self.count_left(),
        )

    def count_left(self) -> int:
        """Return how many log entries are not in the index that answers."""
        newest = self._source.newest_sequence()
        try:
            noted = _Noted.of(self.index().mark())
        except IndexUnavailable:
            return newest
        left = self._source.count_events(noted.left) if noted.left else 0
        return left + max(0, newest - noted.sequence)

    def catch_up(self, told: HowFar = unheard) -> int:
        """Bring the index up to date; return how many log entries were read."""
        return sum(self.take_steps(told))

    def take_in(self, batch: int, told: HowFar = unheard) -> None:
        """Bring the index up to date for nobody who waits: in few large steps."""
        for _ in self.take_steps(told, batch, first=batch):
            pass

    def begin_taking_in(self, batch: int) -> None:
        """Put what is new of the log in one step that is committed behind who goes on.

        What is left, also where that step fails, is for whoever brings the index up to date next.
        """
        with self._lock, suppress(IndexUnavailable):
            index = self._open_writer()
            noted = _Noted.of(index.mark())
            news = self._source.news(noted.sequence, batch)
            is_plain = self._is_of_this_log(index.mark()) and not news.has_forgotten
            if is_plain and news.is_complete and news.entries:
                for ref, places in news.touched.items():
                    self._update_session(index, ref, places)
                index.commit_soon(self._mark(replace(noted, sequence=news.sequence)))

    def take_steps(
        self,
        told: HowFar = unheard,
        batch: int = INDEX_BATCH_EVENTS_MAX,
        *,
        first: int = INDEX_FIRST_EVENTS,
    ) -> Generator[int, None, None]:
        """Bring the index up to date step by step, each of which is on disk when it is told.

        The first steps are small: who reads does not wait for more, and each step stays. Yield
        how many log entries each has read, of `first`, then of about `batch`.
        """
        with self._lock:
            try:
                yield from self._follow(told, batch, first)
            except IndexUnavailable:
                self._begin()
                yield from self._follow(told, batch, first)

    def rebuild(self, told: HowFar = unheard) -> int:
        """Build the index from nothing, beside the one that answers."""
        with self._lock:
            self._stop_writing()
            self._last_chapters.clear()
            sequence = self._source.newest_sequence()
            refs = self._source.session_refs()
            with TextIndex.building(self._folder, self._clock) as fresh:
                for done, ref in enumerate(refs):
                    told(done, len(refs))
                    self._put_session(fresh, ref)
                for node in self._source.all_nodes():
                    fresh.put(self._of_node(node))
                rooms = self._put_rooms(fresh, {})
                fresh.commit(mark=self._mark(_Noted(sequence=sequence, rooms=rooms)))
            self._reopen()
            told(len(refs), len(refs))
            return sequence

    def _begin(self) -> None:
        """Let an index answer that holds nothing yet, and knows what it is to hold."""
        self._stop_writing()
        self._last_chapters.clear()
        noted = _Noted(
            sequence=self._source.newest_sequence(),
            left=tuple(self._source.session_refs()),
            nodes_before=_ALL_NODES,
        )
        with TextIndex.building(self._folder, self._clock) as fresh:
            fresh.commit(mark=self._mark(noted))
        self._reopen()
        while nodes := self._source.new_nodes(INDEX_BATCH_NODES_MAX):  # all of them are to be put
            self._source.settle_nodes(node_id for node_id, _ in nodes)

    def adopt(self) -> None:
        """Take the index for one of the rooms' files as they are now: both were carried here.

        Raises: IndexUnavailable when there is none.
        """
        with self._lock:
            if self._writer is None:
                self._writer = TextIndex.open(self._folder, self._clock)
            self._writer.verify()
            noted = replace(_Noted.of(self._writer.mark()), rooms=self._rooms.stamps())
            self._writer.commit(mark=self._mark(noted))

    def close(self) -> None:
        """Let go of the index."""
        with self._lock:
            self._stop_writing()
        self._reopen()

    def _stop_writing(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _reopen(self) -> None:
        with self._opening:
            if self._reader is not None:
                self._reader.close()
                self._reader = None

    def _follow(self, told: HowFar, batch: int, first: int) -> Iterator[int]:
        index = self._open_writer()
        total, read = self.count_left(), 0
        if not self._is_of_this_log(index.mark()):
            # The end of the log is gone. What came since has numbers that were read before.
            newest = self._source.newest_sequence()
            self._lost(max(1, _Noted.of(index.mark()).sequence - newest))
            yield self.rebuild(told)
            return
        size = min(batch, first)
        while True:
            noted = _Noted.of(index.mark())
            news = self._source.news(noted.sequence, size)
            nodes = self._source.new_nodes(INDEX_BATCH_NODES_MAX)
            seen = self._put_rooms(index, noted.rooms)
            if news.has_forgotten or not news.is_complete:
                yield self.rebuild(told)
                return
            after = replace(noted, sequence=news.sequence, rooms=seen)
            for ref, places in news.touched.items():
                self._update_session(index, ref, places)
            self._put_nodes(index, nodes)
            taken = news.entries
            if not taken and not nodes:
                after, taken = self._put_left(index, after, size)
            size = min(batch, 2 * size)
            if after != noted or nodes:
                index.commit(mark=self._mark(after))
            self._source.settle_nodes(node_id for node_id, _ in nodes)
            if not news.entries and not nodes and after == replace(noted, rooms=seen):
                return
            read += taken
            told(read, max(total, read))
            yield taken

    def _open_writer(self) -> TextIndex:
        if self._writer is None:
            self._writer = TextIndex.open(self._folder, self._clock)
            self._writer.sweep_left()
        self._writer.verify()
        return self._writer

    def _put_nodes(self, index: TextIndex, nodes: Iterable[tuple[NodeId, TocNode | None]]) -> None:
        for node_id, node in nodes:
            index.delete((node_id,))
            if node is not None:
                index.put(self._of_node(node))

    def _put_left(self, index: TextIndex, noted: _Noted, batch: int) -> tuple[_Noted, int]:
        """Put the next of what was there when the index began; return what is left, and how much.

        Sessions go first, the newest of them before all others; then the table of contents.
        """
        taken, count = 0, 0
        while taken < len(noted.left) and count < batch:
            count += self._put_session(index, noted.left[taken])
            taken += 1
        noted = replace(noted, left=noted.left[taken:])
        if noted.nodes_before and not noted.left and count < batch:
            page = self._source.nodes_before(noted.nodes_before, INDEX_BATCH_NODES_MAX)
            self._put_nodes(index, page)
            is_whole = len(page) < INDEX_BATCH_NODES_MAX
            noted = replace(noted, nodes_before="" if is_whole else page[-1][0])
        return noted, count

    def _mark(self, noted: _Noted) -> dict[str, object]:
        mark: dict[str, object] = {
            "sequence": noted.sequence,
            "entry": self._source.entry_at(noted.sequence),
            "rooms": noted.rooms,
        }
        if noted.left:
            mark["left"] = [ref.hex() for ref in noted.left]
        if noted.nodes_before:
            mark["nodes_before"] = noted.nodes_before
        return mark

    def _is_of_this_log(self, mark: object) -> bool:
        """Tell whether the log still has what the index has read last, as far as it can tell."""
        sequence = _Noted.of(mark).sequence
        if self._source.newest_sequence() < sequence:
            return False
        noted = mark.get("entry") if isinstance(mark, dict) else None
        there = self._source.entry_at(sequence)
        return not noted or not there or there == noted

    def _put_rooms(self, index: TextIndex, noted: Stamps) -> Stamps:
        """Put the parts of rooms that changed in place of what they held; return their stamps."""
        news = self._rooms.news(noted)
        if news:
            index.delete_parts((*news.gone, *news.changed))
            for part in news.changed:
                index.put(self._rooms.documents(part))
        return news.stamps

    def _put_session(self, index: TextIndex, ref: bytes) -> int:
        events = self._source.session_events(ref, Millis(0))
        index.put(filter(None, map(event_document, events)))
        self._put_chapters(index, ref, _chapters(ref, events))
        return len(events)

    def _update_session(self, index: TextIndex, ref: bytes, places: list[Place]) -> None:
        """Put what is new of a session, and the chapters it falls into, and drop what is gone."""
        touched = {event_id for _, event_id in places}
        first_ms, last_ms = min(places)[0], max(places)[0]
        known = self._last_chapters.get(ref)
        if known is not None and known <= first_ms:
            # News at the end: what comes after it is not yet told of, so it is left for later.
            events = self._source.session_events(ref, known, last_ms)
            made = _chapters(ref, events)
        else:
            events = self._source.session_events(ref, Millis(0))
            made = _from_first_touched(_chapters(ref, events), touched)
            # Chapters are named after their beginning, and a late event moves beginnings.
            moved = {document.doc_id for one in made for document in one.documents}
            index.delete(moved - touched)
            touched |= moved
        here = {event.event_id for event in events}
        index.delete(touched - here)
        here_now = (event for event in events if event.event_id in touched)
        index.put(filter(None, map(event_document, here_now)))
        self._put_chapters(index, ref, made)

    def _put_chapters(self, index: TextIndex, ref: bytes, made: list[Chapter]) -> None:
        index.put_chapters(made)
        if made:
            self._last_chapters[ref] = ulid_ms(made[-1].documents[0].doc_id)

    def _of_node(self, node: TocNode) -> Iterator[Document]:
        yield node_document(node, self._project)
        for grip in self._source.grips_of(node):
            yield grip_document(grip, node, self._project)


def _chapters(ref: bytes, events: list[Event]) -> list[Chapter]:
    """Cut a session into chapters; two agent CLIs may have sessions of one id."""
    if not events:
        return []
    return [
        Chapter(chapter_id=one.chapter_id, session=events[0].session_id, documents=one.documents)
        for one in chapters(ref.hex(), chapter_documents(events))
    ]


def _from_first_touched(made: list[Chapter], touched: set[str]) -> list[Chapter]:
    """Return the chapters from the first that holds news: those after it may have moved."""
    for number, chapter in enumerate(made):
        if any(document.doc_id in touched for document in chapter.documents):
            return made[number:]
    return made[-1:]


@frozen
class _Noted:
    """What a mark says: how far the index is."""

    sequence: int = 0
    rooms: Stamps = field(default_factory=dict)
    left: tuple[bytes, ...] = ()  # sessions that are still to be put, the newest first
    nodes_before: str = ""  # nodes still to be put: those whose ids stand before this one

    @classmethod
    def of(cls, mark: object) -> _Noted:
        """Read a mark; whatever is no mark says that nothing was read."""
        if not isinstance(mark, dict):
            return cls()
        sequence, rooms, left = mark.get("sequence"), mark.get("rooms"), mark.get("left")
        before = mark.get("nodes_before")
        refs = left if isinstance(left, list) and all(map(_is_ref, left)) else ()
        return cls(
            sequence=sequence if isinstance(sequence, int) else 0,
            rooms={str(part): str(stamp) for part, stamp in rooms.items()}
            if isinstance(rooms, dict)
            else {},
            left=tuple(map(bytes.fromhex, refs)),
            nodes_before=before if isinstance(before, str) else "",
        )


def _is_ref(said: object) -> bool:
    return isinstance(said, str) and _REF.fullmatch(said) is not None


_REF = compile_late(r"(?:[0-9a-f]{2})+")
_ALL_NODES = "toc:~"  # behind every id
