"""Goal: processes that race for one ledger, are killed or stopped, lose nothing acknowledged.

Method: children of tests/fault/clarify_child.py on one folder; what they printed must stand in the
ledger, every id once, every thread whole.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentx.clarification.model import ClarificationStatus
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.view import ledger_path
from agentx.host.system import SystemClock
from agentx.kernel.clock import to_iso
from agentx.kernel.paths import ProjectPaths
from tests.support.clarifying import PEN, room

ROOT = Path(__file__).parents[2]
ORDER = (ClarificationStatus.PENDING, ClarificationStatus.ANSWERED, ClarificationStatus.RESOLVED)
SPOKEN = {
    ClarificationStatus.PENDING: 1,
    ClarificationStatus.ANSWERED: 2,
    ClarificationStatus.RESOLVED: 3,
}

Child = subprocess.Popen[str]


def start(folder: Path, name: str, operations: int) -> Child:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.fault.clarify_child", str(folder), name, str(operations)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def end(children: Sequence[Child], seconds: float) -> list[tuple[str, str, str]]:
    """Wait for children; return what each printed, and what went wrong."""
    outcomes = []
    for child in children:
        try:
            out, err = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
            err += "too slow"
        outcomes.append((out, err, str(child.returncode)))
    return outcomes


def acknowledged(outputs: Sequence[str]) -> dict[str, ClarificationStatus]:
    """Return the last that was acknowledged of each id; an id is given once."""
    last: dict[str, ClarificationStatus] = {}
    for out in outputs:
        for line in out.splitlines(keepends=True):
            if not line.endswith("\n"):
                continue  # killed while it printed
            known, status = line.split()
            if status == ClarificationStatus.PENDING:
                assert known not in last, f"{known} was given twice"
            last[known] = ClarificationStatus(status)
    return last


def nothing_is_lost(folder: Path, acks: dict[str, ClarificationStatus]) -> int:
    ledger = LedgerStore(ProjectPaths(folder), SystemClock(), PEN).read(42)
    kept = {str(state.id): state for state in ledger}
    assert len(kept) == len(ledger.clarifications)
    for known, status in acks.items():
        assert ORDER.index(kept[known].status) >= ORDER.index(status), known
    for state in kept.values():
        assert len(state.thread) == SPOKEN[state.status]
        assert {entry.body.split()[0] for entry in state.thread} == {state.topic}
    return len(kept)


def race(folder: Path, processes: int, operations: int, seconds: float) -> None:
    children = [start(folder, f"p{number}", operations) for number in range(processes)]
    outcomes = end(children, seconds)

    assert [(err, code) for _, err, code in outcomes] == [("", "0")] * processes
    acks = acknowledged([out for out, _, _ in outcomes])
    assert sum(len(out.splitlines()) for out, _, _ in outcomes) == processes * operations
    assert nothing_is_lost(folder, acks) == processes * -(-operations // 3)
    assert not list(folder.rglob("*.lock"))


@pytest.mark.promise("clarify.concurrent")
def test_8_3_concurrent_writers_lose_nothing(tmp_path: Path) -> None:
    race(tmp_path, processes=3, operations=12, seconds=60)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_16_processes_with_100_operations_each_lose_nothing(tmp_path: Path) -> None:
    race(tmp_path, processes=16, operations=100, seconds=500)


def kill_at_random(folder: Path, *, processes: int, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    children = [start(folder, f"p{number}", 100_000) for number in range(processes)]
    # All are at work before the first is killed.
    outputs = [child.stdout.readline() for child in children if child.stdout is not None]
    try:
        for number in range(kills):
            time.sleep(chance.uniform(0.2, 0.5))
            victim = children.pop(chance.randrange(len(children)))
            victim.kill()
            outputs.append(victim.communicate(timeout=60)[0])
            children.append(start(folder, f"again{number}", 100_000))
    finally:
        for child in children:
            child.kill()
            outputs.append(child.communicate(timeout=60)[0])
    acks = acknowledged(outputs)
    assert len(acks) >= processes
    assert nothing_is_lost(folder, acks) >= len(acks)


def test_kill_9_loses_nothing_acknowledged(tmp_path: Path) -> None:
    kill_at_random(tmp_path, processes=2, kills=2, seed=7)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_kill_9_at_random_for_long_loses_nothing_acknowledged(tmp_path: Path) -> None:
    kill_at_random(tmp_path, processes=16, kills=60, seed=11)


def test_a_dead_holder_and_an_empty_lock_file_stop_nobody(tmp_path: Path) -> None:
    here = room(tmp_path)
    path = ledger_path(here.paths, 42)
    path.parent.mkdir(parents=True)
    lock = path.with_name(path.name + ".lock")
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    record = {"pid": int(dead.stdout), "timestamp": to_iso(here.clock.now_ms()), "agent": "dead"}
    lock.write_text(json.dumps(record), encoding="utf-8")
    old = time.time() - 31
    os.utime(lock, (old, old))
    clock = SystemClock()
    store = LedgerStore(here.paths, clock, PEN)

    with store.editing(42, agent="engineer") as edit:
        assert edit.find("CLR-42-001") is None
    lock.write_bytes(b"")
    os.utime(lock, (old, old))
    with store.editing(42, agent="engineer") as edit:
        assert edit.next_id() == "CLR-42-001"
    assert not lock.exists()


def test_a_process_stopped_while_it_works_goes_on_and_loses_nothing(tmp_path: Path) -> None:
    paused = start(tmp_path, "paused", 20)
    assert paused.stdout is not None
    first = paused.stdout.readline()
    paused.send_signal(signal.SIGSTOP)
    others = end([start(tmp_path, "other", 3)], 60)
    paused.send_signal(signal.SIGCONT)
    out, err = paused.communicate(timeout=60)

    # Stopped while it held the lock, the other one had to wait, and says so; else it went on.
    [(said, fault, _)] = others
    assert not fault or "LockTimeout" in fault
    assert err == ""
    acks = acknowledged([first + out, said])
    nothing_is_lost(tmp_path, acks)
