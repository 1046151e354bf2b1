"""Lock files: how long one takes to get, to find stale, and whether a crowd loses anything.

The crowd are real processes that update one JSON file; whoever timed out would not end well.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agentx.host.locks.lock import locked
from agentx.host.system import SystemClock
from tests.bench.row import Row

CROWDS = {"small": (8, 25), "full": (16, 100)}
TURNS = 200
CHILD = (sys.executable, "-m", "tests.fault.host_child")


def run(size: str) -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "ledger.json"
        return [_uncontended(ledger), _stale(ledger), *_crowd(ledger, *CROWDS[size])]


def _uncontended(ledger: Path) -> Row:
    times = [_seconds_to_lock(ledger) for _ in range(TURNS)]
    return Row("lock acquire, uncontended, median", _ms(times), "ms", at_most=10)


def _stale(ledger: Path) -> Row:
    """Take over the lock of a process that was killed, again and again."""
    command = [*CHILD, "hold", str(ledger)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="ascii") as dead:
        assert dead.stdout is not None
        assert dead.stdout.readline() == "held\n"
        dead.kill()
    lock = ledger.with_name("ledger.json.lock")
    left_behind = lock.read_bytes()
    times = []
    for _ in range(TURNS // 4):
        lock.write_bytes(left_behind)
        times.append(_seconds_to_lock(ledger))
    return Row("lock of a dead process taken over, median", _ms(times), "ms", at_most=50)


def _crowd(ledger: Path, processes: int, updates: int) -> list[Row]:
    command = [*CHILD, "count", str(ledger), str(updates)]
    began = time.perf_counter()
    crowd = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(processes)]
    failed = sum(child.wait(600) != 0 for child in crowd)
    took = time.perf_counter() - began
    lost = processes * updates - json.loads(ledger.read_bytes())["n"]
    what = f"{processes} processes x {updates} updates"
    return [
        Row(f"{what}: lost", lost, "updates", at_most=0),
        Row(f"{what}: timed out", failed, "processes", at_most=0),
        Row(f"{what}: rate", processes * updates / took, "updates/s"),
    ]


def _seconds_to_lock(path: Path) -> float:
    began = time.perf_counter()
    with locked(path, owner="bench", clock=SystemClock()):
        return time.perf_counter() - began


def _ms(times: list[float]) -> float:
    return statistics.median(times) * 1000
