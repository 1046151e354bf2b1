"""Goal: real processes that die, stop and compete for a lock lose no update and overwrite none.

Method: children of tests/fault/host_child.py, killed or stopped at the protocol's named points,
while this process is their successor. The stale time is a second here; the soak runs use thirty.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from agentx.host.crash import CrashPoint
from agentx.host.limits import LOCK_STALE_MS
from agentx.host.locks.file import Timing
from agentx.host.locks.lock import locked
from agentx.host.system import SystemClock
from agentx.kernel.errors import LockHeld

ROOT = Path(__file__).parents[2]
CLOCK = SystemClock()
STALE_MS = 1_000
SOON = Timing(stale_ms=STALE_MS, heartbeat_ms=STALE_MS // 10)

Child = subprocess.Popen[str]


@pytest.fixture
def children() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def _start(children: ExitStack, *words: object) -> Child:
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.fault.host_child", *map(str, words)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )

    def end() -> None:
        if child.poll() is None:
            child.kill()
        child.communicate(timeout=60)

    children.callback(end)
    return child


def _line(child: Child) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def _wait_until_stopped(child: Child) -> None:
    deadline = time.monotonic() + 60
    while True:
        state = Path(f"/proc/{child.pid}/stat").read_text(encoding="ascii").rpartition(") ")[2][0]
        if state == "T":
            return
        assert child.poll() is None, "it ended and was never stopped"
        assert time.monotonic() < deadline, f"state {state}"
        time.sleep(0.01)


def _list(tmp_path: Path) -> Path:
    path = tmp_path / "names.json"
    path.write_bytes(b"[]")
    return path


def _leave_a_dead_holders_lock(path: Path) -> None:
    record = {"pid": 1, "timestamp": "2026-01-01T00:00:00.000Z", "agent": "dead"}
    path.with_name(path.name + ".lock").write_text(json.dumps(record), encoding="utf-8")


def _append(path: Path, name: str, *, timing: Timing = SOON, wait_ms: int = 60_000) -> None:
    with locked(path, owner=name, clock=CLOCK, timing=timing, wait_ms=wait_ms) as held:
        names = json.loads(path.read_bytes())
        held.write(path, json.dumps([*names, name]).encode())


def _names(path: Path) -> list[str]:
    names: list[str] = json.loads(path.read_bytes())
    return names


def _stopped(
    children: ExitStack, path: Path, point: CrashPoint, *, stale_ms: int = STALE_MS
) -> Child:
    child = _start(children, "append", path, "paused", stale_ms, point, int(signal.SIGSTOP))
    _wait_until_stopped(child)
    return child


def _go_on(child: Child) -> str:
    child.send_signal(signal.SIGCONT)
    said, _ = child.communicate(timeout=60)
    return said.strip()


# --- competing ----------------------------------------------------------------------------------


def _compete(children: ExitStack, path: Path, processes: int, times: int) -> None:
    started = [_start(children, "count", path, times) for _ in range(processes)]

    said = [child.communicate(timeout=600)[0].strip() for child in started]

    assert said == ["done"] * processes
    assert json.loads(path.read_bytes()) == {"n": processes * times}
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.promise("lock.no-lost-update")
def test_processes_that_update_one_file_lose_nothing_and_never_time_out(
    tmp_path: Path, children: ExitStack
) -> None:
    _compete(children, tmp_path / "ledger.json", 6, 15)


@pytest.mark.soak
def test_sixteen_processes_with_a_hundred_updates_each_lose_nothing(
    tmp_path: Path, children: ExitStack
) -> None:
    _compete(children, tmp_path / "ledger.json", 16, 100)


# --- dying --------------------------------------------------------------------------------------


def test_a_killed_holder_leaves_no_lock_behind(tmp_path: Path, children: ExitStack) -> None:
    path = _list(tmp_path)
    holder = _start(children, "hold", path)
    assert _line(holder) == "held"
    holder.kill()
    holder.wait(60)

    began = time.monotonic()
    _append(path, "next", timing=Timing(), wait_ms=20_000)

    assert time.monotonic() - began < 20, "it is not waited for until it is stale"
    assert _names(path) == ["next"]
    assert [file.name for file in tmp_path.iterdir()] == ["names.json"]


def test_a_holder_that_lives_keeps_its_lock_beyond_the_stale_time(
    tmp_path: Path, children: ExitStack
) -> None:
    path = _list(tmp_path)

    with locked(path, owner="slow", clock=CLOCK, timing=SOON) as held:
        eager = _start(children, "append", path, "eager", STALE_MS, "journal-written", 0)
        deadline = time.monotonic() + 2.5 * STALE_MS / 1000
        while time.monotonic() < deadline:
            assert _names(path) == []
            time.sleep(0.05)
        held.write(path, b'["slow"]')

    assert eager.communicate(timeout=60)[0].strip() == "written"
    assert _names(path) == ["slow", "eager"]


@pytest.mark.parametrize(
    "point",
    [
        CrashPoint.LOCK_BEFORE_NAMED,
        CrashPoint.LOCK_BEFORE_TAKEOVER,
        CrashPoint.LOCK_IN_GUARD,
        CrashPoint.LOCK_BEFORE_COMMIT,
        CrashPoint.ATOMIC_TEMP_WRITTEN,
        CrashPoint.ATOMIC_REPLACED,
    ],
)
def test_a_process_killed_at_any_point_blocks_nobody_and_damages_nothing(
    tmp_path: Path, children: ExitStack, point: CrashPoint
) -> None:
    path = _list(tmp_path)
    if point is CrashPoint.LOCK_BEFORE_TAKEOVER:
        _leave_a_dead_holders_lock(path)
    killed = _start(children, "append", path, "killed", STALE_MS, point, int(signal.SIGKILL))
    assert killed.wait(60) == -signal.SIGKILL

    _append(path, "next", timing=Timing(), wait_ms=20_000)

    wrote = point is CrashPoint.ATOMIC_REPLACED
    assert _names(path) == (["killed", "next"] if wrote else ["next"])


def test_an_empty_lock_file_does_not_block_beyond_the_stale_time(tmp_path: Path) -> None:
    path = _list(tmp_path)
    (tmp_path / "names.json.lock").touch()

    with pytest.raises(LockHeld, match="left no name"):
        _append(path, "too early", timing=Timing(), wait_ms=100)
    _append(path, "in time", timing=SOON)

    assert _names(path) == ["in time"]


# --- stopping -----------------------------------------------------------------------------------


@pytest.mark.promise("lock.no-late-write")
def test_who_was_stopped_before_its_write_does_not_overwrite_its_successor(
    tmp_path: Path, children: ExitStack
) -> None:
    path = _list(tmp_path)
    paused = _stopped(children, path, CrashPoint.LOCK_BEFORE_COMMIT)

    _append(path, "successor")
    said = _go_on(paused)

    assert said == "stale_version"
    assert _names(path) == ["successor"]


def test_who_was_stopped_before_its_write_does_not_take_its_successors_lock(
    tmp_path: Path, children: ExitStack
) -> None:
    path = _list(tmp_path)
    paused = _stopped(children, path, CrashPoint.LOCK_BEFORE_COMMIT)

    with locked(path, owner="successor", clock=CLOCK, timing=SOON) as held:
        said = _go_on(paused)
        held.write(path, b'["successor"]')

    assert said == "stale_version"
    assert _names(path) == ["successor"]


def test_who_was_stopped_while_creating_the_lock_starts_over(
    tmp_path: Path, children: ExitStack
) -> None:
    path = _list(tmp_path)
    paused = _stopped(children, path, CrashPoint.LOCK_BEFORE_NAMED)

    with locked(path, owner="successor", clock=CLOCK, timing=SOON) as held:
        paused.send_signal(signal.SIGCONT)
        time.sleep(0.3)
        assert _names(path) == [], "two takers both held"
        held.write(path, b'["successor"]')

    assert _go_on(paused) == "written"
    assert _names(path) == ["successor", "paused"]


def test_a_taker_that_was_stopped_sees_that_another_was_faster(
    tmp_path: Path, children: ExitStack
) -> None:
    path = _list(tmp_path)
    _leave_a_dead_holders_lock(path)
    paused = _stopped(children, path, CrashPoint.LOCK_BEFORE_TAKEOVER)

    with locked(path, owner="faster", clock=CLOCK, timing=SOON) as held:
        paused.send_signal(signal.SIGCONT)
        time.sleep(0.3)
        assert _names(path) == [], "two takers both held"
        held.write(path, b'["faster"]')

    assert _go_on(paused) == "written"
    assert _names(path) == ["faster", "paused"]


@pytest.mark.parametrize("stale_lock", [True, False], ids=["taking over", "writing"])
def test_who_was_stopped_inside_the_guard_is_waited_for(
    tmp_path: Path, children: ExitStack, stale_lock: bool
) -> None:
    path = _list(tmp_path)
    if stale_lock:
        _leave_a_dead_holders_lock(path)
    paused = _stopped(children, path, CrashPoint.LOCK_IN_GUARD)

    with pytest.raises(LockHeld):
        _append(path, "too early", wait_ms=STALE_MS * 2)
    assert _go_on(paused) == "written"
    _append(path, "after")

    assert _names(path) == ["paused", "after"]


def test_who_was_stopped_inside_the_guard_and_then_killed_blocks_nobody(
    tmp_path: Path, children: ExitStack
) -> None:
    path = _list(tmp_path)
    paused = _stopped(children, path, CrashPoint.LOCK_IN_GUARD)
    os.kill(paused.pid, signal.SIGKILL)
    paused.wait(60)

    _append(path, "next")

    assert _names(path) == ["next"]


@pytest.mark.soak
@pytest.mark.timeout(180)
def test_a_holder_stopped_for_thirty_seconds_does_not_overwrite_its_successor(
    tmp_path: Path, children: ExitStack
) -> None:
    path = _list(tmp_path)
    paused = _stopped(children, path, CrashPoint.LOCK_BEFORE_COMMIT, stale_ms=LOCK_STALE_MS)

    with pytest.raises(LockHeld):
        _append(path, "too early", timing=Timing(), wait_ms=20_000)
    _append(path, "successor", timing=Timing(), wait_ms=20_000)
    said = _go_on(paused)

    assert said == "stale_version"
    assert _names(path) == ["successor"]
