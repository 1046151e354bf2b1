"""One folder of the engine: one scale of the evidence.

The engine maps its files into memory: a file cut short under it would end the process. So
every search first asks the disk for the sizes of the files it read them with; a shorter one
makes the index unavailable. Files that are gone are no harm, for what is mapped stays.

Law: a damaged folder is an `IndexUnavailable`, whatever the engine calls it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import tantivy

from agentx.kernel.errors import IndexUnavailable
from agentx.kernel.values import frozen
from agentx.search.limits import SEARCH_WRITER_BYTES
from agentx.search.text.schema import register, schema
from agentx.search.text.store import leave_aside, open_aside

T = TypeVar("T")

_META = "meta.json"
_NO_ROOM = ("No space left", "Disk quota exceeded", "File too large")
# More threads make more segments; ours come in small batches.
_WRITER_THREADS = 1


@frozen(kw_only=False)
class Found:
    """Where the hits of a search lie, best first."""

    scores: tuple[float, ...]
    addresses: tuple[tantivy.DocAddress, ...]

    def __len__(self) -> int:
        return len(self.addresses)


NOTHING = Found((), ())


@frozen(kw_only=False)
class Reader:
    """One commit of one folder. What it returns stays true while others write."""

    folder: Path
    searcher: tantivy.Searcher

    @property
    def count(self) -> int:
        """How many records there are."""
        return self.searcher.num_docs

    def search(self, query: tantivy.Query, limit: int) -> Found:
        """Return the best hits.

        Raises: IndexUnavailable.
        """
        result = guard(self.folder, lambda: self.searcher.search(query, limit, count=False))
        hits = result.hits
        return Found(tuple([score for score, _ in hits]), tuple([at for _, at in hits]))

    def count_hits(self, query: tantivy.Query) -> int:
        """Return how many records a query finds.

        Raises: IndexUnavailable.
        """
        result = guard(self.folder, lambda: self.searcher.search(query, 1, count=True))
        return int(result.count or 0)  # type: ignore[attr-defined]  # the stubs lack it

    def column(self, field: str, addresses: Sequence[tantivy.DocAddress]) -> list[int]:
        """Return the numbers of some hits without opening them; none counts as 0."""
        if not addresses:
            return []
        listed = list(addresses)
        values = guard(self.folder, lambda: self.searcher.fast_field_values(field, listed))
        return [int(value or 0) for value in values]

    def open_document(self, address: tantivy.DocAddress) -> tantivy.Document:
        """Return what is stored of a hit."""
        return guard(self.folder, lambda: self.searcher.doc(address))

    def having(self, term: str, field: str = "text") -> int:
        """Return how many records have a term."""
        return guard(self.folder, lambda: self.searcher.doc_freq(field, term))

    def beginning(self, prefix: str, limit: int) -> list[str]:
        """Return terms that begin so."""
        found = guard(
            self.folder, lambda: self.searcher.terms_with_prefix("text", prefix, None, limit)
        )
        return [term for term, _ in found]


@frozen(kw_only=False)
class FoundPlace:
    """Where one hit lies."""

    reader: Reader
    address: tantivy.DocAddress


class Engine:
    """Reads and writes one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: tantivy.IndexWriter | None = None
        self._is_changed = False  # since the last commit
        self._added: set[str] = set()  # the ids of what was put since
        self._seen: tuple[int, int, int] | None = None
        self._sizes: dict[str, int] = {}
        self._aside: Path | None = None  # a folder of ours, through which it is read
        self._index = self._guard(self._open)
        self._searcher = self._guard(self._index.searcher)
        self._refresh(force=True)

    @classmethod
    def create(cls, folder: Path) -> Engine:
        """Make an empty one."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            tantivy.Index(schema(), str(folder))
        except (ValueError, OSError) as error:
            raise _unavailable(folder, error) from error
        return cls(folder)

    def reader(self) -> Reader:
        """Return what sees the last commit, of whichever process.

        Raises: IndexUnavailable.
        """
        self._refresh()
        return Reader(self._folder, self._searcher)

    def add(self, records: Iterable[tantivy.Document]) -> None:
        """Add records; seen after `commit`."""
        writer = self._writing()

        def write() -> None:
            for record in records:
                writer.add_document(record)

        self._guard(write)

    def replace(self, doc_id: str, records: Iterable[tantivy.Document]) -> None:
        """Put records in the place of those that have an id; seen after `commit`."""
        # Most are new, and what is removed is looked for in all that was ever added.
        if doc_id in self._added or self._holds(doc_id):
            self.remove("doc_id", (doc_id,))
        self._added.add(doc_id)
        self.add(records)

    def _holds(self, doc_id: str) -> bool:
        self._writing()  # nobody else adds any from here on
        return self._guard(lambda: self._searcher.doc_freq("doc_id", doc_id)) > 0

    def remove(self, field: str, words: Iterable[str]) -> None:
        """Remove what has a word in a field; what was added before this call goes too."""
        listed = tuple(words)
        if not self._is_changed:
            # A commit that removes nothing takes as long as one that does.
            held = self.reader()
            listed = tuple(word for word in listed if held.having(word, field))
        if not listed:
            return
        writer = self._writing()

        def write() -> None:
            for word in listed:
                writer.delete_documents_by_term(field, word)

        self._guard(write)

    def commit(self) -> None:
        """Make what was written seen, and durable."""
        if self._writer is not None and self._is_changed:
            self._guard(self._writer.commit)
            self._is_changed = False
            self._added.clear()
            # Mapped at once: what is mapped outlives the names of its files.
            self._refresh()

    def close(self) -> None:
        """Let go of the folder, damaged or not; what was not committed is gone."""
        writer, self._writer = self._writer, None
        self._added.clear()
        self._leave_aside()
        if writer is not None:
            with suppress(IndexUnavailable):
                self._guard(writer.wait_merging_threads)

    def _writing(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self._guard(
                lambda: self._index.writer(SEARCH_WRITER_BYTES, _WRITER_THREADS)
            )
            self._refresh()
        self._is_changed = True
        return self._writer

    def _open(self) -> tantivy.Index:
        self._aside = open_aside(self._folder)
        try:
            index = tantivy.Index.open(str(self._aside or self._folder))
        except BaseException:
            self._leave_aside()
            raise
        register(index)
        index.config_reader("manual")
        return index

    def _leave_aside(self) -> None:
        aside, self._aside = self._aside, None
        if aside is not None:
            leave_aside(aside)

    def _refresh(self, *, force: bool = False) -> None:
        """See the newest commit; refuse files that became shorter than they were."""
        stamp = self._stamp()
        if stamp is not None and (force or stamp != self._seen):
            self._guard(self._index.reload)
            self._searcher = self._guard(self._index.searcher)
            self._seen = stamp
            self._sizes = _sizes(self._folder)
        for path, size in self._sizes.items():
            try:
                now = os.stat(path).st_size  # noqa: PTH116  a third of the time, every search
            except OSError:
                continue
            if now < size:
                raise IndexUnavailable(
                    f"{path}: became shorter than it was",
                    hint="the index is rebuilt from the log by `agentx rebuild search`",
                )

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            state = (self._folder / _META).stat()
        except OSError:
            return None
        return state.st_mtime_ns, state.st_size, state.st_ino

    def _guard(self, work: Callable[[], T]) -> T:
        return guard(self._folder, work)


def guard(folder: Path, work: Callable[[], T]) -> T:
    """Do something with the engine; whatever it complains of makes the index unavailable."""
    try:
        return work()
    except (ValueError, OSError, RuntimeError) as error:
        raise _unavailable(folder, error) from error
    except BaseException as error:
        # The engine's panics have a class that cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise _unavailable(folder, error) from error


def _sizes(folder: Path) -> dict[str, int]:
    """Return the sizes of the files of segments: they are written once."""
    sizes = {}
    for path in folder.iterdir():
        if path.suffix and not path.name.startswith(".") and path.suffix != ".json":
            try:
                sizes[str(path)] = path.stat().st_size
            except OSError:
                continue
    return sizes


def _unavailable(folder: Path, error: BaseException) -> IndexUnavailable:
    said = str(error)
    if any(mark in said for mark in _NO_ROOM):
        return IndexUnavailable(
            f"{folder}: no room left for the search index; every event that was kept is safe",
            hint="free some disk space, then try again",
        )
    return IndexUnavailable(
        f"{folder}: the search index cannot be used ({said[:200]})",
        hint="it is rebuilt from the log by `agentx rebuild search`",
    )
