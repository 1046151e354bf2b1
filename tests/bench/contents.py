"""What periods tell: how much of their lines the commonest kind takes, level by level."""

from __future__ import annotations

import shutil
from collections import Counter

from agentx.host.kv.rocks import open_rocks
from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.periods import Level
from tests.bench.log import BATCH, KEPT
from tests.bench.row import Row
from tests.support.contents import Shelf
from tests.support.history import repeated_sample

SIZES = {"small": 10_000, "full": 100_000}
SHARE_MAX = 50  # percent


def run(size: str) -> list[Row]:
    """Measure."""
    folder = KEPT / "contents"
    shutil.rmtree(folder, ignore_errors=True)
    clock = SystemClock()
    kv = open_rocks(folder, clock)
    shelf = Shelf(kv, clock, system_entropy)
    made = list(repeated_sample(SIZES[size]))
    for start in range(0, len(made), BATCH):
        shelf.log.append(made[start : start + BATCH])
    shelf.contents.catch_up()
    kinds = {level: Counter[str]() for level in Level}
    for node in shelf.view().nodes.values():
        kinds[node.level].update(str(one.kind) for one in node.bullets)
    kv.close()
    shutil.rmtree(folder)
    rows = []
    for level, counts in kinds.items():
        (kind, most), *_ = counts.most_common(1) or [("none", 0)]
        share = 100 * most / max(counts.total(), 1)
        name = f"commonest kind of the lines of a {level}: {kind}"
        rows.append(Row(name, share, "%", at_most=SHARE_MAX))
    return rows
