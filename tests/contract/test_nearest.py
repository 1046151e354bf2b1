"""Goal: whoever looks for the nearest rows finds the same ones, with the same cosines.

Method: one suite for comparison in memory, comparison on disk, the graph, and the graph with
a tail that is compared. The truth is a product of matrices written here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from agentx.search.vectors.nearest import Both, Exact, Graph, Nearest, empty_graph
from agentx.search.vectors.segments import SegmentMark, VectorSegment
from agentx.search.vectors.shelf import Shelf
from agentx.search.vectors.table import columns_of

ROWS, WIDE = 600, 16
Floats = NDArray[np.float32]


def _vectors(count: int, seed: int = 3) -> Floats:
    made = np.random.default_rng(seed).normal(size=(count, WIDE)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    # As they lie on disk.
    return made.astype(np.float16).astype(np.float32)


def _segments(vectors: Floats) -> list[VectorSegment]:
    none = columns_of(())
    return [
        VectorSegment(SegmentMark(f"s-{at}", len(part), 0, 0), none, part.astype(np.float16))
        for at in range(0, len(vectors), 100)
        if len(part := vectors[at : at + 100])
    ]


def _warm(vectors: Floats) -> Nearest:
    return Exact(Shelf(_segments(vectors), WIDE, first=0, warm=0))


def _cold(vectors: Floats) -> Nearest:
    return Exact(Shelf(_segments(vectors), WIDE, first=0, warm=len(vectors) - 150))


def _graph(vectors: Floats, rows: int) -> tuple[Graph, Shelf]:
    shelf = Shelf(_segments(vectors), WIDE, first=rows, warm=rows)
    graph = empty_graph(WIDE)
    graph.add(np.arange(rows), vectors[:rows])
    return Graph(graph, rows, shelf), shelf


def _whole_graph(vectors: Floats) -> Nearest:
    return _graph(vectors, len(vectors))[0]


def _graph_and_tail(vectors: Floats) -> Nearest:
    graph, shelf = _graph(vectors, 400)
    return Both(graph, Exact(shelf))


MAKERS = {"warm": _warm, "cold": _cold, "graph": _whole_graph, "graph and tail": _graph_and_tail}


@pytest.fixture(params=list(MAKERS.values()), ids=list(MAKERS))
def make(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Floats], Nearest]:
    # So that filters do not lead by themselves, and the graph is asked.
    monkeypatch.setattr("agentx.search.vectors.nearest.VECTOR_BLOCK_ROWS", 70)
    made: Callable[[Floats], Nearest] = request.param
    return made


def _truth(vectors: Floats, query: Floats, passing: NDArray[np.bool_], count: int) -> list[int]:
    cosines = np.where(passing, vectors @ query, -2)
    order = np.lexsort((np.arange(len(vectors)), -cosines))
    return [int(row) for row in order[:count] if passing[row]]


FILTERS = {
    "everybody": lambda rows: rows >= 0,
    "every third": lambda rows: rows % 3 == 0,
    "the newest few": lambda rows: rows >= ROWS - 40,
    "three of them": lambda rows: np.isin(rows, (5, 333, 599)),
    "nobody": lambda rows: rows < 0,
}


@pytest.mark.parametrize("chosen", FILTERS.values(), ids=FILTERS.keys())
def test_the_nearest_that_pass_are_found_in_order(
    make: Callable[[Floats], Nearest], chosen: Callable[[NDArray[np.intp]], NDArray[np.bool_]]
) -> None:
    vectors = _vectors(ROWS)
    nearest, passing = make(vectors), chosen(np.arange(ROWS))
    found = total = 0
    for query in _vectors(12, seed=9):
        near = nearest.best(query, 10, passing)
        wanted = _truth(vectors, query, passing, 10)

        assert len(near.rows) == len(wanted)
        assert passing[near.rows].all()
        assert np.abs(near.cosines - vectors[near.rows] @ query).max(initial=0) < 1e-5
        assert (np.diff(near.cosines) <= 0).all()
        found += len(set(near.rows.tolist()) & set(wanted))
        total += len(wanted)
    # A graph may miss one in a hundred; who compares may miss none.
    assert found >= (1 if isinstance(nearest, Exact) else 0.97) * total


def test_of_equals_the_first_come_first(make: Callable[[Floats], Nearest]) -> None:
    vectors = np.repeat(_vectors(1), ROWS, axis=0)
    vectors[50:] = _vectors(ROWS - 50, seed=4)

    near = make(vectors).best(vectors[0], 50, np.ones(ROWS, dtype=np.bool_))

    assert near.rows.tolist() == list(range(50))


def test_fewer_rows_than_asked_for_are_all_of_them(make: Callable[[Floats], Nearest]) -> None:
    vectors = _vectors(ROWS)

    near = make(vectors).best(vectors[7], 5_000, np.ones(ROWS, dtype=np.bool_))

    assert sorted(near.rows.tolist()) == list(range(ROWS))
    assert near.rows[0] == 7
