"""Goal: a death, or a full disk, at any moment leaves files whole and loses nothing acknowledged.

Method: children of tests/fault/host_child.py that kill themselves at named points, are killed while
they write, or may write only so many bytes (RLIMIT_FSIZE: EFBIG where a full disk says ENOSPC).
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agentx.host.crash import CrashPoint
from agentx.host.files.atomic import replace_file
from agentx.host.files.journal import Journal
from agentx.host.kv.port import Family
from agentx.host.kv.rocks import open_rocks
from agentx.host.system import SystemClock
from tests.fault.host_child import ROWS_IN_A_BATCH
from tests.support.zygote import run_module

ROOT = Path(__file__).parents[2]
CLOCK = SystemClock()
END = b"\xff" * 8


def _run(*words: object) -> subprocess.CompletedProcess[str]:
    return run_module("tests.fault.host_child", *words, timeout_s=60)


@pytest.mark.parametrize("point", [CrashPoint.ATOMIC_TEMP_WRITTEN, CrashPoint.ATOMIC_REPLACED])
def test_a_file_is_old_or_new_after_a_kill_and_can_be_replaced_again(
    tmp_path: Path, point: CrashPoint
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    killed = _run("replace", path, point)

    assert killed.returncode == -signal.SIGKILL
    assert killed.stdout == ""
    replaced = point is CrashPoint.ATOMIC_REPLACED
    assert path.read_bytes() == (b"new" * 100_000 if replaced else b"old")
    replace_file(path, b"newest")
    assert path.read_bytes() == b"newest"


def test_a_journal_keeps_what_was_acknowledged_before_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"

    killed = _run("journal", path, CrashPoint.JOURNAL_WRITTEN)
    Journal(path, CLOCK).append([{"n": 3}])

    assert killed.returncode == -signal.SIGKILL
    assert killed.stdout == "acknowledged\n"
    numbers = [record["n"] for record in Journal(path, CLOCK).records()]
    assert numbers in ([1, 2, 3], [1, 3])


@pytest.mark.parametrize("after_ms", [1, 40, 160])
def test_a_store_killed_while_writing_has_every_acknowledged_batch_and_no_half_one(
    tmp_path: Path, after_ms: int
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.fault.host_child", "store", str(tmp_path / "db")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "0\n"
        time.sleep(after_ms / 1000)
        child.kill()
        acknowledged = [int(line) for line in child.stdout if line.endswith("\n")]

    store = open_rocks(tmp_path / "db", CLOCK, wait_ms=0)
    rows = [key for key, _ in store.scan(Family.EVENTS, b"", END)]
    entries = [key for key, _ in store.scan(Family.OUTBOX, b"", END)]
    store.close()

    last = max(acknowledged, default=0)
    assert len(entries) in (last + 1, last + 2)
    assert entries == [b"%08d" % number for number in range(len(entries))]
    assert len(rows) == len(entries) * ROWS_IN_A_BATCH


def _refused(*words: object) -> tuple[dict[str, Any], int]:
    """Run a child that fills its disk; return how it was refused and what it had done before."""
    child = _run(*words)
    assert child.returncode == 0, child.stderr
    error, done, after = child.stdout.splitlines()
    assert after == "after"
    refusal: dict[str, Any] = json.loads(error)
    assert refusal["code"] == "unavailable"
    assert "no room left" in refusal["message"]
    assert "free some disk space" in refusal["hint"]
    return refusal, int(done)


def test_a_file_on_a_full_disk_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"

    _, done = _refused("full-file", path)

    assert done > 5
    assert path.read_bytes() == b"%06d" % done * (done + 1) * 1_000
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_journal_on_a_full_disk_keeps_whole_records_only(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"

    _, done = _refused("full-journal", path)

    assert done > 5
    numbers = [record["n"] for record in Journal(path, CLOCK).records()]
    assert numbers == [number for number in range(done + 1) for _ in range(2)]


def test_a_store_on_a_full_disk_keeps_what_it_acknowledged_and_goes_on_once_there_is_room(
    tmp_path: Path,
) -> None:
    _, done = _refused("full-store", tmp_path / "db")

    store = open_rocks(tmp_path / "db", CLOCK, wait_ms=0)
    entries = [key for key, _ in store.scan(Family.OUTBOX, b"", END)]
    rows = [key for key, _ in store.scan(Family.EVENTS, b"", END)]
    store.close()
    assert done > 50
    assert entries == [b"%08d" % number for number in range(done + 1)]
    assert len(rows) == len(entries) * ROWS_IN_A_BATCH


def test_a_store_on_a_full_disk_is_read_all_the_while_and_written_once_there_is_room(
    tmp_path: Path,
) -> None:
    child = _run("full-read", tmp_path / "db")

    assert child.returncode == 0, child.stderr
    full = ["unavailable", str(ROWS_IN_A_BATCH)]
    assert child.stdout.split() == [*full * 3, "unavailable", str(2 * ROWS_IN_A_BATCH)]
