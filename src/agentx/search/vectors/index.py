"""Everything that can be found by its meaning, in one folder.

    index = VectorIndex.open(folder, encoder, clock)   # IndexUnavailable: then `create` one
    index.put(documents)                               # embeds them; the same id replaces
    index.commit(owner={"sequence": 7})                # seen by searches, and durable
    index.search("why do we retry", Filters(), 10)

Whoever commits is the one writer while it does, and begins from what lies on the disk. A document
is as near as its nearest part.

Law: putting is idempotent, and what `owner` says is never ahead of what was committed. What
was deleted with `purge` is in no file of the index once the commit has returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

import msgspec
import numpy as np

from agentx.kernel.clock import Clock
from agentx.kernel.errors import IndexUnavailable
from agentx.kernel.values import frozen
from agentx.search.document import Document, Filters, Hit
from agentx.search.limits import SEARCH_HITS_MAX, VECTOR_EXACT_ROWS_MAX, VECTOR_GRAPH_STEP_ROWS
from agentx.search.text.store import IndexStore, bytes_in
from agentx.search.vectors.bert import Floats
from agentx.search.vectors.chunks import Chunk, chunks
from agentx.search.vectors.nearest import Both, Exact, Graph, Near, empty_graph, read_graph
from agentx.search.vectors.port import Encoder, VectorStatus
from agentx.search.vectors.segments import IndexMark, SegmentStore
from agentx.search.vectors.shelf import Shelf
from agentx.search.vectors.table import Columns, Table, columns_of
from agentx.search.vectors.writing import append, is_stale, rewritten, rows_of, with_deaths

FORMAT_VERSION = 1
# Rows looked at for each hit asked for: several may be of one document.
_ROWS_PER_HIT = 3
_QUERIES_KEPT = 32
_WORDS = ("doc_id", "doc_type", "project", "session", "agent", "harness", "role", "issue")


@frozen(kw_only=False)
class _Pending:
    """A part that was embedded and is not yet committed."""

    document: Document
    chunk: Chunk
    stamp: str
    vector: Floats


class VectorIndex:
    """Finds documents by their meaning. Safe to use from several threads."""

    def __init__(self, store: IndexStore, encoder: Encoder, clock: Clock) -> None:
        self._store = store
        self._encoder = encoder
        self._clock = clock
        self._lock = RLock()
        self._files = SegmentStore(store, store.current())
        self._exact_rows_max = VECTOR_EXACT_ROWS_MAX
        self._pending: list[_Pending] = []
        self._doomed: dict[str, set[str]] = {"doc_id": set(), "part": set()}
        self._growing: tuple[Any, int] | None = None
        self._queries: dict[str, Floats] = {}
        self._manifest: IndexMark
        self._table: Table
        self._shelf: Shelf
        self._graph: Any
        self._load(self._check())

    @classmethod
    def open(cls, folder: Path, encoder: Encoder, clock: Clock) -> VectorIndex:
        """Open the index.

        Raises: IndexUnavailable when there is none, it is damaged, of another version, or of
            another model.
        """
        return cls(IndexStore(folder, version=FORMAT_VERSION), encoder, clock)

    @classmethod
    def create(cls, folder: Path, encoder: Encoder, clock: Clock) -> VectorIndex:
        """Make an empty index in place of whatever was there.

        Raises: LockHeld when another process writes; UnavailableError.
        """
        store = IndexStore(folder, version=FORMAT_VERSION)
        store.claim(clock)
        try:
            generation = store.begin()
            empty = IndexMark(encoder.name, encoder.dimensions)
            SegmentStore(store, generation).commit(empty)
            store.adopt(generation)
        finally:
            store.release()
        return cls(store, encoder, clock)

    def with_bound(self, exact_rows_max: int) -> VectorIndex:
        """Return this index with another bound between comparison and graph."""
        with self._lock:
            self._exact_rows_max = exact_rows_max
            self._load(self._manifest)
            return self

    # --- writing ----------------------------------------------------------------------------

    def put(self, documents: Iterable[Document], stamp: str = "") -> int:
        """Embed documents; seen after `commit`. Returns how many parts they have.

        `stamp` is kept with the part of a room that they are from.
        """
        rows = [(document, chunk) for document in documents for chunk in chunks(document.text)]
        vectors = self._encoder.encode([_speak(document, chunk) for document, chunk in rows])
        with self._lock:
            self.delete({document.doc_id for document, _ in rows})
            self._pending += [
                _Pending(document, chunk, stamp, vector)
                for (document, chunk), vector in zip(rows, vectors, strict=True)
            ]
        return len(rows)

    def delete(self, doc_ids: Iterable[str]) -> None:
        """Remove documents; seen after `commit`."""
        with self._lock:
            doomed = set(doc_ids)
            self._doomed["doc_id"] |= doomed
            self._pending = [each for each in self._pending if each.document.doc_id not in doomed]

    def delete_parts(self, parts: Iterable[str]) -> None:
        """Remove every document of some parts of rooms; seen after `commit`."""
        with self._lock:
            doomed = set(parts)
            self._doomed["part"] |= doomed
            self._pending = [each for each in self._pending if each.document.part not in doomed]

    def discard(self) -> None:
        """Forget what was put and deleted since the last commit."""
        with self._lock:
            self._pending = []
            for words in self._doomed.values():
                words.clear()

    def commit(self, owner: dict[str, Any], *, purge: bool = False) -> None:
        """Make what was put and deleted seen and durable, with what the owner notes.

        With `purge`, what was deleted before or now is in no file afterwards.

        Raises: LockHeld, UnavailableError; IndexUnavailable when the index on disk is gone.
        """
        with self._writing():
            for field, words in self._doomed.items():
                self._table.bury(self._table.rows_with(field, words))
                words.clear()
            number = self._manifest.next
            segments = with_deaths(self._shelf.segments, self._table.dead())
            columns, vectors = self._take()
            segments, number = append(self._files, segments, number, columns, vectors)
            stale = [at for at, each in enumerate(segments) if is_stale(each, purge=purge)]
            graph = self._manifest.graph
            if stale and graph is not None and rows_of(segments[: stale[0]]) < graph.rows:
                graph = None  # it knows rows by their numbers, and those change
            for at in stale:
                segments[at] = rewritten(self._files, segments[at], number)
                number += 1
            kept = [each for each in segments if len(each.vectors)]
            manifest = IndexMark(
                self._encoder.name,
                self._encoder.dimensions,
                number,
                tuple(each.held for each in kept),
                graph,
                owner,
            )
            self._files.commit(manifest)
            if stale:
                self._load(manifest)
            else:
                self._manifest = manifest
                self._table.add(columns)
                self._shelf.grow(kept, vectors)

    def grow_graph(self, rows_max: int = VECTOR_GRAPH_STEP_ROWS) -> bool:
        """Take some more rows into the graph, if there are so many; tell whether some are left.

        Raises: LockHeld, UnavailableError.
        """
        with self._lock:
            covered = self._manifest.graph.rows if self._manifest.graph is not None else 0
            if self._growing is None:
                bearable = self._exact_rows_max // (5 if covered else 1)
                if len(self._shelf) - covered <= bearable:
                    return False
                self._growing = (self._graph_to_grow(), covered)
            graph, first = self._growing
            after = min(first + rows_max, self._shelf.rows_closed)
            rows = np.arange(first, after)
            vectors = self._shelf.gather(rows)
        if len(rows):
            graph.add(rows, vectors)
        with self._lock:
            if self._growing is None or self._growing[0] is not graph:
                return True  # what it was made from was written again meanwhile
            self._growing = (graph, after)
            if after < self._shelf.rows_closed:
                return True
            self._adopt_graph(graph, after)
            return False

    # --- reading ----------------------------------------------------------------------------

    def owner(self) -> dict[str, Any]:
        """Return what the owner noted at the last commit."""
        return self._manifest.owner

    def lacking(self, doc_ids: Iterable[str]) -> list[str]:
        """Return those of some documents that are not in the index."""
        with self._lock:
            return self._table.lacking("doc_id", doc_ids)

    def stamps(self) -> dict[str, str]:
        """Return the parts of rooms that are held, each with its stamp."""
        with self._lock:
            return self._table.stamps()

    def search(self, text: str, filters: Filters, limit: int) -> tuple[Hit, ...]:
        """Return the documents that mean most nearly the same, nearest first.

        A text without words finds nothing.
        """
        limit = max(1, min(limit, SEARCH_HITS_MAX))
        asked = chunks(text)[:1]
        if not asked:
            return ()
        query = self._encode(asked[0].text)
        with self._lock:
            passing = self._table.passing(filters)
            able = int(passing.sum())
            count = limit * _ROWS_PER_HIT
            while True:
                near = self._nearest().best(query, count, passing)
                hits = list(self._hits(near, limit))
                if len(hits) == limit or count >= able or len(near.rows) < min(count, able):
                    return tuple(hits)
                count *= 4

    def status(self) -> VectorStatus:
        """Return what the index holds."""
        with self._lock:
            graph = self._manifest.graph
            return VectorStatus(
                documents=len(self._table.living_words("doc_id")),
                chunks=int((~self._table.dead()).sum()),
                bytes_on_disk=bytes_in(self._files.root),
                model=self._manifest.model,
                dimensions=self._manifest.dimensions,
                in_graph=graph.rows if graph is not None else 0,
            )

    def close(self) -> None:
        """Let go; what was not committed is gone."""
        self.discard()

    # --- inside -----------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Be the one writer for a moment, of the index as it lies on the disk now.

        Raises: LockHeld; IndexUnavailable when it was taken away or damaged meanwhile.
        """
        with self._lock:
            self._store.claim(self._clock)
            try:
                self._files = SegmentStore(self._store, self._store.current())
                manifest = self._check()
                if manifest != self._manifest:
                    self._load(manifest)
                yield
            finally:
                self._store.release()

    def _check(self) -> IndexMark:
        manifest = self._files.manifest()
        if (manifest.model, manifest.dimensions) != (self._encoder.name, self._encoder.dimensions):
            raise IndexUnavailable(
                f"{self._files.root}: the vectors are of another model",
                hint="they are made again by `agentx sync`",
            )
        return manifest

    def _load(self, manifest: IndexMark) -> None:
        """Read everything that a manifest names.

        Raises: IndexUnavailable.
        """
        wide = manifest.dimensions
        total = sum(held.rows for held in manifest.segments)
        covered = manifest.graph.rows if manifest.graph is not None else 0
        # What the graph covers is looked at only to measure what it proposes.
        warm = max(covered, total - self._exact_rows_max)
        segments, table, first = [], Table(), 0
        for held in manifest.segments:
            whole = first + held.rows > warm
            segments.append(self._files.read(held, wide, whole=whole))
            table.add(segments[-1].columns)
            first += held.rows
        table.bury(
            np.flatnonzero(np.concatenate([np.empty(0, bool), *(s.dead() for s in segments)]))
        )
        self._graph = None
        if manifest.graph is not None:
            path = self._files.graph_path(manifest.graph)
            try:
                self._graph = read_graph(path, to_grow=False)
            except (RuntimeError, ValueError) as error:
                raise IndexUnavailable(f"{path}: the graph is damaged: {error}") from error
        self._manifest, self._table, self._growing = manifest, table, None
        self._shelf = Shelf(segments, wide, first=covered, warm=warm)

    def _nearest(self) -> Exact | Both:
        exact = Exact(self._shelf)
        if self._graph is None or self._manifest.graph is None:
            return exact
        return Both(Graph(self._graph, self._manifest.graph.rows, self._shelf), exact)

    def _hits(self, near: Near, limit: int) -> Iterator[Hit]:
        table, seen = self._table, set[int]()
        for row, cosine in zip(near.rows.tolist(), near.cosines.tolist(), strict=True):
            document = table.code("doc_id", row)
            if document in seen:
                continue
            seen.add(document)
            yield Hit(
                score=cosine,
                timestamp_ms=table.size("timestamp_ms", row),
                passage="",  # vectors hold no words
                start=table.size("start", row),
                **{field: table.word(field, row) for field in _WORDS},
            )
            if len(seen) == limit:
                return

    def _encode(self, text: str) -> Floats:
        with self._lock:
            known = self._queries.get(text)
        if known is not None:
            return known
        made: Floats = self._encoder.encode([text])[0]
        with self._lock:
            if len(self._queries) >= _QUERIES_KEPT:
                self._queries.pop(next(iter(self._queries)))
            self._queries[text] = made
        return made

    def _take(self) -> tuple[Columns, Floats]:
        """Return what was put, once."""
        rows, self._pending = self._pending, []
        vectors = np.empty((len(rows), self._encoder.dimensions), dtype=np.float32)
        for at, each in enumerate(rows):
            vectors[at] = each.vector
        return columns_of((each.document, each.chunk, each.stamp) for each in rows), vectors

    def _graph_to_grow(self) -> Any:
        graph = self._manifest.graph
        if graph is None:
            return empty_graph(self._encoder.dimensions)
        return read_graph(self._files.graph_path(graph), to_grow=True)

    def _adopt_graph(self, graph: Any, rows: int) -> None:
        before = self._manifest
        with self._writing():
            if self._manifest is not before:
                return  # somebody else wrote meanwhile: its rows may be others now
            number = before.next
            made = self._files.write_graph(number, rows, graph.save)
            manifest = msgspec.structs.replace(before, next=number + 1, graph=made)
            self._files.commit(manifest)
            self._load(manifest)


def _speak(document: Document, chunk: Chunk) -> str:
    """Return a part as it is embedded: who says it belongs to what it means."""
    return f"{document.speaker}: {chunk.text}" if document.speaker else chunk.text
