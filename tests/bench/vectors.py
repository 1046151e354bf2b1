"""Vectors: the nearest of 100,000 compared one by one, of a million through the graph, and how
fast a real model embeds.

The vectors are made up around a few hundred topics; they are written as the index writes its
own, without an encoder. `AGENTX_MODEL=FOLDER` names real weights for the speed of embedding.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from agentx.host.system import SystemClock
from agentx.project.config import loading_in_one_thread
from agentx.search.document import Document, Filters
from agentx.views.vectors import open_model
from tests.bench.row import Row

with loading_in_one_thread():  # as the product does
    import numpy as np
    from numpy.typing import NDArray

    from agentx.search.vectors.index import VectorIndex

KEPT = Path(".bench")
WIDE = 384
TOPICS = 400
QUERIES = 60
BATCH = 10_000


class Topics:
    """An encoder of made-up texts: `7 123` is something about topic 7."""

    name = "topics"
    dimensions = WIDE

    def __init__(self) -> None:
        self._topics = _unit(np.random.default_rng(1).normal(size=(TOPICS, WIDE)))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the topic of each text with something of its own."""
        rows = np.empty((len(texts), WIDE), dtype=np.float32)
        for at, text in enumerate(texts):
            topic, _, own = text.partition(" ")
            rows[at] = np.random.default_rng(int(own)).normal(size=WIDE) * 0.04
            rows[at] += self._topics[int(topic)]
        return _unit(rows)


def _unit(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    made: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("f4")
    return made


def run(size: str) -> list[Row]:
    """Measure."""
    rows = _queries(100_000, "compared one by one", 60.0)
    if size == "full":
        rows += _queries(1_000_000, "through the graph", 60.0)
    folder = os.environ.get("AGENTX_MODEL", "")
    return rows + (_embedding(Path(folder)) if folder else [])


def _queries(count: int, how: str, at_most: float) -> list[Row]:
    rows = []
    folder, encoder, clock = KEPT / f"vectors-{count}", Topics(), SystemClock()
    if not (folder / "current").exists():
        began = time.perf_counter()
        _build(VectorIndex.create(folder, encoder, clock), count)
        spent = time.perf_counter() - began
        rows.append(Row(f"write {count:,} vectors", count / spent, "rows/s"))
    began = time.perf_counter()
    index = VectorIndex.open(folder, encoder, clock)
    rows.append(Row(f"open {count:,} vectors", (time.perf_counter() - began) * 1000, "ms"))
    for name, filters in (
        ("", Filters()),
        (", half of them filtered out", Filters(harnesses=("codex",))),
        (", one session of them", Filters(sessions=("s7",))),
    ):
        taken = []
        for number in range(QUERIES):
            text = f"{number % TOPICS} {10**9 + number}"
            index.search(text, Filters(until_ms=0), 1)  # the query's own vector is not measured
            began = time.perf_counter()
            hits = index.search(text, filters, 10)
            taken.append((time.perf_counter() - began) * 1000)
            assert hits
        p95 = sorted(taken)[int(QUERIES * 0.95)]
        rows.append(Row(f"nearest of {count:,} {how}{name}, p95", p95, "ms", at_most=at_most))
    index.close()
    return rows


def _build(index: VectorIndex, count: int) -> None:
    for start in range(0, count, BATCH):
        index.put(
            Document(
                doc_type="event",
                doc_id=f"e{number}",
                text=f"{number % TOPICS} {number}",
                timestamp_ms=number + 1,
                session=f"s{number // 200}",
                harness=("claude-code", "codex")[number // 200 % 2],
            )
            for number in range(start, min(start + BATCH, count))
        )
        index.commit({})
        while index.grow_graph():
            pass
    index.close()


def _embedding(folder: Path) -> list[Row]:
    model = open_model(folder)
    rows = []
    for words in (12, 150):
        texts = [" ".join(["the retry of webhook deliveries"] * (words // 5))] * 32
        began = time.perf_counter()
        model.encode(texts)
        rate = len(texts) / (time.perf_counter() - began)
        rows.append(Row(f"embed texts of {words} words", rate, "texts/s"))
    began = time.perf_counter()
    for number in range(20):
        model.encode([f"what did we decide about retries {number}?"])
    taken = (time.perf_counter() - began) / 20 * 1000
    return [*rows, Row("embed a question", taken, "ms", at_most=50.0)]
