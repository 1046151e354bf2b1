"""Goal: in a long history too, every line of every node is proven.

Method: the sample imported again and again into the past, and generated sessions, come in
batches in any order into a store on disk; the view follows now and then. 1,200 events in the
suite, 50,000 in `make soak`.
"""

from __future__ import annotations

import random
import time
from itertools import chain
from pathlib import Path

import pytest

from agentx.host.kv.rocks import open_rocks
from agentx.host.system import SystemClock, system_entropy
from tests.bench.log import drafts
from tests.support.contents import Shelf, prove
from tests.support.history import repeated_sample

BATCH = 400


@pytest.mark.parametrize(
    "size", [1_200, pytest.param(50_000, marks=[pytest.mark.soak, pytest.mark.timeout(900)])]
)
def test_every_line_of_a_long_history_is_proven(
    tmp_path: Path, size: int, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = SystemClock()
    kv = open_rocks(tmp_path / "db", clock)
    shelf = Shelf(kv, clock, system_entropy)
    history = list(chain(repeated_sample(size // 2), drafts(size - size // 2)))
    batches = [history[start : start + BATCH] for start in range(0, size, BATCH)]
    random.Random(7).shuffle(batches)  # history comes late as often as not
    stored, took = 0, 0.0
    for number, batch in enumerate(batches):
        stored += len(shelf.log.append(batch).stored)
        if number % 7 == 6 or number == len(batches) - 1:
            began = time.perf_counter()
            shelf.contents.catch_up()
            took += time.perf_counter() - began

    lines = prove(shelf)
    view = shelf.view()
    began = time.perf_counter()
    shelf.contents.rebuild()
    anew = time.perf_counter() - began
    rebuilt = shelf.view()
    kv.close()

    assert stored == size
    assert lines > size / 50
    assert view == rebuilt
    with capsys.disabled():
        print(
            f"\n{size:,} events: {len(view.nodes):,} nodes, {lines:,} lines proven, "
            f"{size / took:,.0f} events/s out of order, {size / anew:,.0f} events/s anew"
        )
