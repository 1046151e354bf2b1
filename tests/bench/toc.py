"""The table of contents: made from nothing, followed live, and read."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Iterable
from pathlib import Path

from agentx.host.kv.rocks import open_rocks
from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.capture import Draft
from tests.bench.log import BATCH, KEPT, drafts
from tests.bench.row import Row
from tests.support.contents import Shelf
from tests.support.history import repeated_sample

SIZES = {"small": 10_000, "full": 200_000}
LIVE = 200
# Longer than this nobody else should wait for the store.
STEP_MS_MAX = 2_000


def run(size: str) -> list[Row]:
    """Measure."""
    count = SIZES[size]
    sample = _build("sample told again", repeated_sample(count), KEPT / "toc-sample")
    generated = _build("generated", drafts(count), KEPT / "toc-generated")
    return [*sample, *generated]


def _build(what: str, history: Iterable[Draft], folder: Path) -> list[Row]:
    shutil.rmtree(folder, ignore_errors=True)
    clock = SystemClock()
    kv = open_rocks(folder, clock)
    shelf = Shelf(kv, clock, system_entropy)
    made = list(history)
    for start in range(0, len(made), BATCH):
        shelf.log.append(made[start : start + BATCH])
    steps: list[float] = []
    began = last = time.perf_counter()

    def told(_done: int, _total: int) -> None:
        nonlocal last
        now = time.perf_counter()
        steps.append((now - last) * 1000)
        last = now

    caught = shelf.contents.catch_up(told)
    took = time.perf_counter() - began
    rows = [
        Row(f"TOC build, {what}", caught.events / took, "events/s", at_least=1_500),
        Row(f"longest step of it, {what}", max(steps), "ms", at_most=STEP_MS_MAX),
        Row(f"one more event into the TOC, {what}", _live(shelf), "ms"),
    ]
    kv.close()
    shutil.rmtree(folder)
    return rows


def _live(shelf: Shelf) -> float:
    """Append one event at a time to a session and follow each; return the median."""
    times = []
    for draft in drafts(LIVE, start=10_000_000):
        shelf.log.append([draft])
        began = time.perf_counter()
        shelf.contents.catch_up()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)
