"""The rows of a vector index in memory: what each is of, who is alive, who passes a filter.

    row  =  one part of one document: the words filters ask for, its time, where it stands

Words are kept once and rows hold their numbers, so that a filter over a million rows is a
comparison of integers.

Law: rows are only ever added or marked dead. A reader that remembers how many there were
sees what it saw, while a writer goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentx.kernel.values import frozen
from agentx.search.document import Document, Filters
from agentx.search.text.matching import FILTER_FIELDS
from agentx.search.text.schema import clean
from agentx.search.vectors.chunks import Chunk

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int32]

# Kept once, as words; the part and its stamp say where a document of a room came from.
WORDS = (*(field for _, field in FILTER_FIELDS), "doc_id", "part", "stamp")
# Kept as they are.
SIZES = (("timestamp_ms", np.int64), ("start", np.int32), ("end", np.int32))


@frozen(kw_only=False)
class Columns:
    """Some rows, column by column: words spelled once, and which of them each row has."""

    words: dict[str, list[str]]
    codes: dict[str, Numbers]
    sizes: dict[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.sizes["start"])

    def without(self, gone: Mask) -> Columns:
        """Return the rows that are not gone; words that nobody has any more are forgotten."""
        kept = ~gone
        words: dict[str, list[str]] = {}
        codes: dict[str, Numbers] = {}
        for field in WORDS:
            used, again = np.unique(self.codes[field][kept], return_inverse=True)
            words[field] = [self.words[field][code] for code in used.tolist()]
            codes[field] = again.astype(np.int32)
        return Columns(words, codes, {name: self.sizes[name][kept] for name, _ in SIZES})


def join(parts: Sequence[Columns]) -> Columns:
    """Return the rows of several parts, in order."""
    table = Table()
    for part in parts:
        table.add(part)
    return table.columns(0, len(table))


def columns_of(rows: Iterable[tuple[Document, Chunk, str]]) -> Columns:
    """Return documents and their parts as rows; the third is the stamp of a room's part."""
    spelled = _Spelling()
    sizes: dict[str, list[int]] = {name: [] for name, _ in SIZES}
    for document, chunk, stamp in rows:
        for field in WORDS:
            word = stamp if field == "stamp" else getattr(document, field)
            spelled.add(field, clean(word))
        sizes["timestamp_ms"].append(document.timestamp_ms)
        sizes["start"].append(chunk.start)
        sizes["end"].append(chunk.end)
    return Columns(
        {field: list(known) for field, known in spelled.known.items()},
        {field: np.array(codes, dtype=np.int32) for field, codes in spelled.codes.items()},
        {name: np.array(sizes[name], dtype=kind) for name, kind in SIZES},
    )


class _Spelling:
    def __init__(self) -> None:
        self.known: dict[str, dict[str, int]] = {field: {} for field in WORDS}
        self.codes: dict[str, list[int]] = {field: [] for field in WORDS}

    def add(self, field: str, word: str) -> None:
        known = self.known[field]
        self.codes[field].append(known.setdefault(word, len(known)))


class Table:
    """All rows. One thread adds; others read what there was when they looked."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, int]] = {field: {} for field in WORDS}
        self._words: dict[str, list[str]] = {field: [] for field in WORDS}
        self._codes = {field: Grown(np.int32) for field in WORDS}
        self._sizes = {name: Grown(kind) for name, kind in SIZES}
        self._dead = Grown(np.bool_)

    def __len__(self) -> int:
        return len(self._dead)

    def add(self, columns: Columns) -> None:
        """Add rows after the last."""
        for field in WORDS:
            known, words = self._known[field], self._words[field]
            renumbered = np.empty(len(columns.words[field]), dtype=np.int32)
            for code, word in enumerate(columns.words[field]):
                number = known.setdefault(word, len(words))
                if number == len(words):
                    words.append(word)
                renumbered[code] = number
            self._codes[field].add(renumbered[columns.codes[field]])
        for name, _ in SIZES:
            self._sizes[name].add(columns.sizes[name])
        self._dead.add(np.zeros(len(columns), dtype=np.bool_))

    def columns(self, first: int, after: int) -> Columns:
        """Return some rows by themselves."""
        every = Columns(
            self._words,
            {field: self._codes[field].all()[first:after] for field in WORDS},
            {name: self._sizes[name].all()[first:after] for name, _ in SIZES},
        )
        return every.without(np.zeros(after - first, dtype=np.bool_))

    def rows_with(self, field: str, words: Iterable[str]) -> NDArray[np.intp]:
        """Return the rows alive that have one of the words."""
        return np.flatnonzero(self._having(field, words) & ~self._dead.all())

    def _having(self, field: str, words: Iterable[str]) -> Mask:
        known = self._known[field]
        codes = [known[word] for word in map(clean, words) if word in known]
        column = self._codes[field].all()
        # One word is the common case, and ten times as fast.
        return column == codes[0] if len(codes) == 1 else np.isin(column, codes)

    def bury(self, rows: NDArray[np.intp]) -> None:
        """Mark rows dead. Who reads meanwhile may still see them."""
        dead = self._dead.all().copy()
        dead[rows] = True
        self._dead = Grown(np.bool_)
        self._dead.add(dead)

    def dead(self) -> Mask:
        """Return who is dead."""
        return self._dead.all()

    def lacking(self, field: str, words: Iterable[str]) -> list[str]:
        """Return those of some words that no row alive has."""
        has = np.zeros(len(self._words[field]) + 1, dtype=np.bool_)
        has[self._codes[field].all()[~self._dead.all()]] = True
        known = self._known[field]
        # One place more than there are words, for those that nobody ever had.
        return [word for word in words if not has[known.get(clean(word), -1)]]

    def living_words(self, field: str) -> list[str]:
        """Return the words that rows alive have."""
        codes = np.unique(self._codes[field].all()[~self._dead.all()])
        return [self._words[field][code] for code in codes.tolist()]

    def stamps(self) -> dict[str, str]:
        """Return the parts of rooms that are held, each with its stamp."""
        alive = ~self._dead.all()
        pairs = np.stack([self._codes[name].all()[alive] for name in ("part", "stamp")], axis=1)
        parts, stamps = self._words["part"], self._words["stamp"]
        found = {parts[part]: stamps[stamp] for part, stamp in np.unique(pairs, axis=0).tolist()}
        found.pop("", None)
        return found

    def passing(self, filters: Filters) -> Mask:
        """Return who is alive and passes the filters."""
        count = len(self)
        passing = ~self._dead.all()[:count]
        for name, field in FILTER_FIELDS:
            wanted: tuple[str, ...] = getattr(filters, name)
            if wanted:
                passing &= self._having(field, wanted)[:count]
        times = self._sizes["timestamp_ms"].all()[:count]
        if filters.since_ms is not None:
            passing &= times >= filters.since_ms
        if filters.until_ms is not None:
            passing &= times < filters.until_ms
        return passing

    def code(self, field: str, row: int) -> int:
        """Return the number of a row's word."""
        return int(self._codes[field].all()[row])

    def word(self, field: str, row: int) -> str:
        """Return a row's word."""
        return self._words[field][self.code(field, row)]

    def size(self, name: str, row: int) -> int:
        """Return a row's number."""
        return int(self._sizes[name].all()[row])


class Grown:
    """An array that grows at its end; what was handed out before stays as it is."""

    def __init__(self, kind: Any, wide: int = 0) -> None:
        self._wide = (wide,) if wide else ()
        self._room: NDArray[Any] = np.empty((0, *self._wide), dtype=kind)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, values: NDArray[Any]) -> None:
        """Add values after the last."""
        after = self._count + len(values)
        if after > len(self._room):
            # Half as much again: an array that grows a little each time is rarely copied.
            roomier = np.empty((after + after // 2, *self._wide), dtype=self._room.dtype)
            roomier[: self._count] = self._room[: self._count]
            self._room = roomier
        self._room[self._count : after] = values
        self._count = after

    def all(self) -> NDArray[Any]:
        """Return what is there now."""
        return self._room[: self._count]
