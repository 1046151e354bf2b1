"""The vectors of all segments: warm ones in memory, as floats; cold ones where they lie on disk.

The newest rows are warm, up to a bound, because they are compared one by one; the graph
holds copies of the others and looks only at a few of the originals.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentx.search.vectors.bert import Floats
from agentx.search.vectors.nearest import Rows
from agentx.search.vectors.segments import VectorSegment
from agentx.search.vectors.table import Grown


class Shelf:
    """The vectors of the rows from `first` on, and of any row by its number."""

    def __init__(
        self, segments: list[VectorSegment], dimensions: int, *, first: int, warm: int
    ) -> None:
        """Hold segments; the vectors from row `warm` on are read into memory."""
        self._segments = segments
        self._first = first
        self._warm_from = max(first, warm)
        self._warm = Grown(np.float32, dimensions)
        for start, segment in zip(self._starts(), segments, strict=False):
            skipped = max(0, self._warm_from - start)
            if skipped < len(segment.vectors):
                self._warm.add(segment.vectors[skipped:].astype(np.float32))

    def __len__(self) -> int:
        return self._starts()[-1]

    @property
    def segments(self) -> list[VectorSegment]:
        """The segments, in order."""
        return self._segments

    @property
    def rows_closed(self) -> int:
        """How many rows lie in segments that are followed by another."""
        return self._starts()[-2] if self._segments else 0

    def grow(self, segments: list[VectorSegment], added: Floats) -> None:
        """Take the segments as they are after rows were added to them."""
        self._segments = segments
        self._warm.add(added)

    def blocks(self) -> Sequence[tuple[int, NDArray[Any]]]:
        """Return the vectors in blocks, each with its first row."""
        cold: list[tuple[int, NDArray[Any]]] = []
        for start, segment in zip(self._starts(), self._segments, strict=False):
            begin = max(0, self._first - start)
            end = min(len(segment.vectors), self._warm_from - start)
            if begin < end:
                cold.append((start + begin, segment.vectors[begin:end]))
        return [*cold, (self._warm_from, self._warm.all())]

    def gather(self, rows: Rows) -> Floats:
        """Return the vectors of some rows, in their order."""
        found = np.empty((len(rows), self._warm.all().shape[1]), dtype=np.float32)
        starts = np.array(self._starts())
        owners = np.searchsorted(starts, rows, side="right") - 1
        for owner in np.unique(owners).tolist():
            here = np.flatnonzero(owners == owner)
            found[here] = self._segments[owner].vectors[rows[here] - starts[owner]]
        return found

    def _starts(self) -> list[int]:
        return [0, *accumulate(len(segment.vectors) for segment in self._segments)]
