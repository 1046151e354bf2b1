"""Everything that can be found: what was said, at three scales, and what other rooms keep of it.

    index = TextIndex.open(folder, clock)      # IndexUnavailable: then build one
    index.put(documents)                       # passages of each; the same id replaces
    index.put_chapters(chapters)               # windows and chapters of sessions
    index.commit(mark)                         # seen by every reader, the mark beside it
    index.search(parse("..."), Filters(), 10)

    with TextIndex.building(folder, clock) as fresh:   # the old one answers meanwhile
        fresh.put(...)                                 # ... and is replaced at the end

One process writes, any number read; a reader sees each commit at its next search.

Law: putting is idempotent, and a commit's mark is never ahead of what was committed. So an
owner that goes on from the mark repeats at most what it had just done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, RLock, Thread
from typing import Any

import tantivy

from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
from agentx.search.document import Chapter, Document, Filters, Hit, IndexStatus
from agentx.search.limits import KEPT_MAX, SEARCH_HITS_MAX
from agentx.search.paths import GenerationPaths
from agentx.search.query import Query
from agentx.search.text.copies import search_apart
from agentx.search.text.engine import Engine, FoundPlace, Reader
from agentx.search.text.hits import best_hits, open_hit, read_passage
from agentx.search.text.matching import (
    match_keys,
    match_kind,
    match_made_of,
    match_replaced,
    match_session,
    match_typed,
)
from agentx.search.text.scales import windows
from agentx.search.text.schema import (
    FORMAT_VERSION,
    chapter_record,
    clean,
    passage_records,
    unpack,
    window_record,
)
from agentx.search.text.store import IndexStore, bytes_in


@frozen(kw_only=False)
class Scales:
    """The engines of one generation."""

    passages: Engine
    windows: Engine
    chapters: Engine
    kept: Engine

    def each(self) -> tuple[Engine, ...]:
        """Return them all."""
        return self.passages, self.windows, self.chapters, self.kept


@frozen(kw_only=False)
class Ties:
    """The keys of the documents that one was drawn from, and of what replaced it, or 0."""

    doc_id: str
    superseded_by: int
    drawn_from: tuple[int, ...]


@frozen(kw_only=False)
class Kept:
    """Something that was made of documents, where it lies, and what it is like."""

    key: int
    session_key: int
    traits: int
    place: FoundPlace


@frozen(kw_only=False)
class Reading:
    """One state of the index, at every scale. What it returns stays true while others write."""

    passages: Reader
    windows: Reader
    chapters: Reader
    kept: Reader

    def hit(self, place: FoundPlace, score: float) -> Hit:
        """Open a found passage."""
        return open_hit(place.reader.open_document(place.address), score)

    def ties(self, place: FoundPlace) -> Ties:
        """Return what the document of a found passage is tied to."""
        return _read_ties(place.reader.open_document(place.address))

    def open_tied(self, place: FoundPlace) -> tuple[Ties, str]:
        """Return the same with the passage."""
        stored = place.reader.open_document(place.address)
        return _read_ties(stored), read_passage(stored)

    def find_made_of(self, keys: Sequence[int], filters: Filters) -> tuple[Kept, ...]:
        """Return what was made of some documents."""
        return self._open_kept(match_made_of(keys, filters)) if keys else ()

    def find_replaced(self, keys: Sequence[int], filters: Filters) -> tuple[Kept, ...]:
        """Return what was made of some documents and was replaced since."""
        return self._open_kept(match_replaced(keys, filters)) if keys else ()

    def find_kept_of(self, session_key: int, filters: Filters) -> tuple[Kept, ...]:
        """Return what was kept of a session."""
        return self._open_kept(match_session(session_key, filters))

    def find_kept_at(self, key: int) -> Kept | None:
        """Return what is kept under a key, if anything is."""
        return next(iter(self._open_kept(match_keys((key,), Filters()))), None)

    def find_of_kind(self, kind: str, words: Sequence[str], filters: Filters) -> tuple[Kept, ...]:
        """Return what was kept as a kind and has any of some terms, the best first."""
        query = match_kind(kind, words, filters)
        return self._open_kept(query) if query is not None else ()

    def _open_kept(self, query: tantivy.Query) -> tuple[Kept, ...]:
        found = search_apart(self.kept, query, KEPT_MAX).addresses
        columns = [self.kept.column(name, found) for name in ("doc_key", "session_key", "traits")]
        return tuple(
            Kept(key, session, traits, FoundPlace(self.kept, address))
            for key, session, traits, address in zip(*columns, found, strict=True)
        )

    def session_of(self, chapter: tantivy.DocAddress) -> str:
        """Return the session of a found chapter."""
        return str(self.chapters.open_document(chapter).get_first("session") or "")


def _read_ties(stored: tantivy.Document) -> Ties:
    replacement, *sources = unpack(bytes(stored.get_first("members") or b"")) or (0,)
    return Ties(str(stored.get_first("doc_id") or ""), replacement, tuple(sources))


class TextIndex:
    """Finds documents by their words. Safe to use from several threads."""

    def __init__(self, store: IndexStore, generation: GenerationPaths, clock: Clock) -> None:
        self._store = store
        self._generation = generation
        self._clock = clock
        self._lock = RLock()
        self._builds = False
        self._failed: AgentXError | None = None  # of a commit that nobody waited for
        self._scales = _open(generation)

    @classmethod
    def open(cls, folder: Path, clock: Clock) -> TextIndex:
        """Open the index that answers.

        Raises: IndexUnavailable when there is none, it is damaged, or of another version.
        """
        store = IndexStore(folder, version=FORMAT_VERSION)
        return cls(store, store.current(), clock)

    def sweep_left(self) -> None:
        """Remove what a process left that died while it put one index in the place of another."""
        if not self._builds:
            self._store.sweep_left(self._clock)

    @classmethod
    @contextmanager
    def building(cls, folder: Path, clock: Clock) -> Iterator[TextIndex]:
        """Build a new index beside the one that answers; it takes its place when the block ends.

        When the block fails, the old one stays.

        Raises: LockHeld when another process writes; UnavailableError.
        """
        store = IndexStore(folder, version=FORMAT_VERSION)
        store.claim(clock)
        try:
            generation = store.begin()
            for scale in generation.scales():
                Engine.create(scale)
            fresh = cls(store, generation, clock)
            fresh._builds = True
            try:
                yield fresh
                fresh.commit()
            finally:
                fresh._close_engines()
            store.adopt(generation)
        finally:
            store.release()

    def put(self, documents: Iterable[Document]) -> None:
        """Add documents, or replace those of the same id; seen after `commit`."""
        with self._lock:
            writing = self._writing()
            for document in documents:
                # Lines that were kept are short and say again what was said: counted among it
                # they would make every turn a long one, and its words common.
                engine = writing.kept if document.part else writing.passages
                engine.replace(clean(document.doc_id), passage_records(document))

    def put_chapters(self, chapters: Iterable[Chapter]) -> None:
        """Add chapters of sessions, or replace those of the same id; seen after `commit`."""
        with self._lock:
            writing = self._writing()
            for chapter in chapters:
                name, is_kept = clean(chapter.chapter_id), bool(chapter.documents)
                writing.windows.replace(
                    name, (window_record(chapter, window) for window in windows(chapter))
                )
                writing.chapters.replace(name, (chapter_record(chapter),) if is_kept else ())

    def delete(self, doc_ids: Iterable[str]) -> None:
        """Remove documents, and the windows and chapters that hold any of their words.

        The owner puts those chapters again without them.
        """
        with self._lock:
            writing = self._writing()
            names = [clean(doc_id) for doc_id in doc_ids]
            writing.passages.remove("doc_id", names)
            writing.windows.remove("member", names)
            writing.chapters.remove("member", names)

    def delete_parts(self, parts: Iterable[str]) -> None:
        """Remove every document that was put as one of these parts."""
        with self._lock:
            self._writing().kept.remove("member", [clean(part) for part in parts])

    def commit(self, mark: object = None) -> None:
        """Make what was put and deleted seen and durable; then note the owner's mark.

        Raises: IndexUnavailable; then the owner builds a new index.
        """
        with self._lock:
            for engine in self._writing().each():
                engine.commit()
            if mark is not None:
                self._store.set_mark(self._generation, mark)

    def commit_soon(self, mark: object) -> None:
        """Commit, and return before that is done: whoever goes on with this index waits for it.

        The disk takes a while over a large commit, in which the owner may read on. Should it fail,
        the mark stays as it was and the next one to write is told.
        """
        has_begun = Event()

        def work() -> None:
            with self._lock:
                has_begun.set()
                try:
                    self.commit(mark)
                except AgentXError as error:
                    self._failed = error

        Thread(target=work, name="agentx-commit").start()
        has_begun.wait()

    def mark(self) -> Any:
        """Return what the owner noted at the last commit, or None."""
        with self._lock:
            return self._store.mark(self._generation)

    def search(self, query: Query, filters: Filters, limit: int) -> tuple[Hit, ...]:
        """Return the documents that match best, each with its best passage.

        Phrases are insisted on first; when nothing has them, their words do.

        Raises: IndexUnavailable.
        """
        reading = self.reading()
        limit = max(1, min(limit, SEARCH_HITS_MAX))
        for strict in (True, False) if query.phrases else (False,):
            hits: list[Hit] = []
            for reader in (reading.passages, reading.kept):
                wanted = match_typed(reader, query, strict=strict)
                if wanted is not None:
                    hits += best_hits(reader, wanted, filters, limit)
            if hits:
                return tuple(sorted(hits, key=lambda hit: -hit.score)[:limit])
        return ()

    def reading(self) -> Reading:
        """Return the index as the last commit left it.

        Raises: IndexUnavailable.
        """
        with self._lock:
            return Reading(*(engine.reader() for engine in self._answering().each()))

    def verify(self) -> None:
        """See that the files are there, whole, and of this version.

        Raises: IndexUnavailable.
        """
        self._store.current()
        self.reading()

    def _answering(self) -> Scales:
        """Return the engines of the generation that answers now."""
        name = self._store.current_name()
        if not self._builds and name is not None and name != self._generation.root.name:
            generation = self._store.current()
            scales = _open(generation)
            self._close_engines()
            self._generation, self._scales = generation, scales
        return self._scales

    def status(self) -> IndexStatus:
        """Return what the index holds."""
        with self._lock:
            counts = [engine.reader().count for engine in self._answering().each()]
            return IndexStatus(
                documents=sum(counts),
                passages=counts[0] + counts[-1],
                bytes_on_disk=bytes_in(self._generation.root),
                generation=self._generation.root.name,
            )

    def close(self) -> None:
        """Let go; what was not committed is gone."""
        with self._lock:
            self._close_engines()
            if not self._builds:
                self._store.release()

    def _writing(self) -> Scales:
        failed, self._failed = self._failed, None
        if failed is not None:
            raise failed
        if not self._builds:
            self._store.claim(self._clock)
        return self._answering()

    def _close_engines(self) -> None:
        for engine in self._scales.each():
            engine.close()


def _open(generation: GenerationPaths) -> Scales:
    return Scales(*map(Engine, generation.scales()))
