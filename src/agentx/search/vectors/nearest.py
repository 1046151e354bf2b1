"""Which rows are nearest: every one compared while they are few, found through a graph beyond.

Both answer with the true cosine, so that their answers can be put together and compared: the
graph only proposes, from rounded copies, and what it proposes is measured again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agentx.kernel.values import frozen
from agentx.search.limits import VECTOR_BLOCK_ROWS
from agentx.search.vectors.bert import Floats
from agentx.search.vectors.table import Mask

if TYPE_CHECKING:
    from usearch.index import Index

Rows = NDArray[np.intp]

# How many neighbours each row of the graph knows, and how far a search looks about.
_NEIGHBOURS = 16
_WIDTH_ADD = 64
_WIDTH_SEARCH = 128
# A graph is asked for more, and more again, until enough of what it proposes passes the filters.
_ASKED_PER_HIT = 3
_ASKED_MAX = 8_192


@frozen(kw_only=False)
class Near:
    """Rows and their cosines, nearest first."""

    rows: Rows
    cosines: Floats


class Nearest(Protocol):
    """Finds the rows whose vectors are nearest to a vector."""

    def best(self, query: Floats, count: int, passing: Mask) -> Near:
        """Return so many of the rows that pass, nearest first."""
        ...


class Blocks(Protocol):
    """Vectors by their rows, wherever they lie."""

    def blocks(self) -> Sequence[tuple[int, NDArray[Any]]]:
        """Return the vectors in blocks, each with its first row."""
        ...

    def gather(self, rows: Rows) -> Floats:
        """Return the vectors of some rows."""
        ...


class Exact:
    """Compares with every row."""

    def __init__(self, vectors: Blocks) -> None:
        self._vectors = vectors

    def best(self, query: Floats, count: int, passing: Mask) -> Near:
        """Return so many of the rows that pass, nearest first."""
        found = []
        for first, block in self._vectors.blocks():
            after = min(first + len(block), len(passing))
            rows = np.flatnonzero(passing[first:after]) if first < after else np.empty(0, np.intp)
            if not len(rows):
                continue
            few = len(rows) * 4 < len(block)
            cosines = _product(block[rows] if few else block[: after - first], query)
            found.append(_top(rows + first, cosines if few else cosines[rows], count))
        return _join(found, count)


class Graph:
    """Finds rows through a graph of neighbours. The rows it holds are the first ones."""

    def __init__(self, index: Index, rows: int, vectors: Blocks) -> None:
        self._index = index
        self._rows = rows
        self._vectors = vectors

    def best(self, query: Floats, count: int, passing: Mask) -> Near:
        """Return so many of the rows that pass, nearest first.

        A filter that few rows pass leads by itself: those are compared one by one.
        """
        passing = passing[: self._rows]
        able = int(passing.sum())
        if able <= max(VECTOR_BLOCK_ROWS, count):
            rows = np.flatnonzero(passing)
            return _top(rows, _product(self._vectors.gather(rows), query), count)
        asked = count * _ASKED_PER_HIT
        while True:
            asked = min(asked, self._rows)
            proposed = np.asarray(self._index.search(query, asked).keys, dtype=np.intp)
            rows = proposed[passing[proposed]]
            if len(rows) >= count or asked >= min(_ASKED_MAX, self._rows):
                break
            asked *= 4
        return _top(rows, _product(self._vectors.gather(rows), query), count)


class Both:
    """The graph for the first rows, comparison for those after it."""

    def __init__(self, *parts: Nearest) -> None:
        self._parts = parts

    def best(self, query: Floats, count: int, passing: Mask) -> Near:
        """Return so many of the rows that pass, nearest first."""
        return _join([part.best(query, count, passing) for part in self._parts], count)


def empty_graph(dimensions: int) -> Index:
    """Return a graph without rows. It keeps its vectors in eight bits a number."""
    from usearch.index import Index  # noqa: PLC0415  a quarter of a second, for large memories only

    return Index(
        ndim=dimensions,
        metric="cos",
        dtype="i8",
        connectivity=_NEIGHBOURS,
        expansion_add=_WIDTH_ADD,
        expansion_search=_WIDTH_SEARCH,
    )


def read_graph(path: Path, *, to_grow: bool) -> Index:
    """Open a graph: to grow it in memory, or to search it where it lies on the disk."""
    from usearch.index import Index  # noqa: PLC0415  as above

    graph = Index.restore(str(path), view=not to_grow)
    if graph is None:
        raise ValueError("it is no graph")
    return graph


def _product(vectors: NDArray[Any], query: Floats) -> Floats:
    if vectors.dtype == np.float32:
        whole: Floats = vectors @ query
        return whole
    parts = [
        np.asarray(vectors[at : at + VECTOR_BLOCK_ROWS], dtype=np.float32) @ query
        for at in range(0, len(vectors), VECTOR_BLOCK_ROWS)
    ]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.float32)


def _top(rows: Rows, cosines: Floats, count: int) -> Near:
    """Return the best; of equals, the smaller row."""
    if len(rows) > count:
        best = np.argpartition(-cosines, count - 1)[:count]
        # All that are as good as the last of them, so that chance does not choose.
        best = np.flatnonzero(cosines >= cosines[best].min())
        rows, cosines = rows[best], cosines[best]
    order = np.lexsort((rows, -cosines))[:count]
    return Near(rows[order], cosines[order])


def _join(found: list[Near], count: int) -> Near:
    if not found:
        return Near(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32))
    return _top(
        np.concatenate([near.rows for near in found]),
        np.concatenate([near.cosines for near in found]),
        count,
    )
