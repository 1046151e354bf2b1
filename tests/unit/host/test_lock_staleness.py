"""Goal: the lock of whoever died or fell silent is taken over, once, and its holder finds out.

Method: locks of others laid by hand, clocks of the test's own, and real threads and processes.
"""

from __future__ import annotations

import errno
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.limits import LOCK_STALE_MS
from agentx.host.locks.file import LockFile, Timing
from agentx.host.locks.flock import Flock
from agentx.host.locks.heartbeat import Heartbeat
from agentx.host.locks.lock import locked
from agentx.host.locks.record import Here, LockRecord, Sighting, look
from agentx.host.system import SystemClock, boot_id, host_name
from agentx.kernel.clock import Millis
from agentx.kernel.errors import ConflictError, LockHeld, StaleVersion, UnavailableError
from tests.support.locks import NOW_TEXT, find_dead_pid, lay_foreign, list_names
from tests.support.time_and_chance import START_MS, FakeClock


@pytest.mark.parametrize("age_ms", [LOCK_STALE_MS + 1, -LOCK_STALE_MS - 1])
def test_a_lock_without_a_heartbeat_for_thirty_seconds_is_taken_over(
    tmp_path: Path, age_ms: int
) -> None:
    path = tmp_path / "a"
    lay_foreign(path)

    with locked(path, owner="taker", clock=FakeClock(START_MS + age_ms), wait_ms=0):
        said = json.loads((tmp_path / "a.lock").read_bytes())

    assert said["agent"] == "taker"
    assert list_names(tmp_path) == []


def test_a_lock_of_exactly_thirty_seconds_still_counts(tmp_path: Path) -> None:
    lay_foreign(tmp_path / "a")
    clock = FakeClock(START_MS + LOCK_STALE_MS)

    with pytest.raises(LockHeld), locked(tmp_path / "a", owner="b", clock=clock, wait_ms=0):
        pytest.fail("two held one lock")


def test_the_lock_of_a_dead_process_of_this_boot_is_taken_over_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a"
    lay_foreign(path, pid=find_dead_pid(), host=host_name(), boot=boot_id())

    with locked(path, owner="taker", clock=FakeClock(), wait_ms=0):
        pass


@pytest.mark.parametrize("place", [{}, {"host": "elsewhere"}, {"host": host_name(), "boot": "old"}])
def test_a_pid_of_another_machine_says_nothing(tmp_path: Path, place: dict[str, str]) -> None:
    lay_foreign(tmp_path / "a", pid=find_dead_pid(), **place)

    with pytest.raises(LockHeld), locked(tmp_path / "a", owner="b", clock=FakeClock(), wait_ms=0):
        pytest.fail("two held one lock")


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'{"pid": 1}', b'{"pid": "x", "timestamp": 5}', b"\xff\x00"],
)
def test_an_unreadable_lock_counts_by_its_own_time(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a"
    lock = tmp_path / "a.lock"
    lock.write_bytes(content)
    written_ms = lock.stat().st_mtime_ns // 1_000_000

    with (
        pytest.raises(LockHeld, match="left no name"),
        locked(path, owner="b", clock=FakeClock(written_ms), wait_ms=0),
    ):
        pytest.fail("two held one lock")
    with locked(path, owner="b", clock=FakeClock(written_ms + LOCK_STALE_MS + 1), wait_ms=0):
        pass

    assert list_names(tmp_path) == []


def test_the_holder_finds_out_that_it_was_taken_over_before_it_writes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"before")

    with locked(path, owner="slow", clock=FakeClock()) as slow:
        lay_foreign(path, agent="successor")  # as if taken over meanwhile
        path.write_bytes(b"by the successor")
        with pytest.raises(StaleVersion, match="held by successor") as stale:
            slow.write(path, b"by the slow one")

    assert isinstance(stale.value, ConflictError)
    assert "again" in stale.value.hint
    assert path.read_bytes() == b"by the successor"
    assert json.loads((tmp_path / "a.lock").read_bytes())["agent"] == "successor"


def test_a_lock_that_vanished_is_lost_too(tmp_path: Path) -> None:
    path = tmp_path / "a"

    with locked(path, owner="a", clock=FakeClock()) as held:
        (tmp_path / "a.lock").unlink()
        with pytest.raises(StaleVersion, match="nobody holds it now"):
            held.write(path, b"x")

    assert list_names(tmp_path) == []


def test_a_holder_that_lives_keeps_its_timestamp_fresh(tmp_path: Path) -> None:
    path = tmp_path / "a"
    clock = FakeClock()
    timing = Timing(stale_ms=30_000, heartbeat_ms=5)

    with locked(path, owner="a", clock=clock, timing=timing) as held:
        clock.advance(20_000)
        deadline = time.monotonic() + 60
        while True:
            seen = look(tmp_path / "a.lock")
            assert seen is not None
            assert seen.record is not None
            if seen.record.timestamp_ms == START_MS + 20_000:
                break
            assert time.monotonic() < deadline, "no heartbeat"
            time.sleep(0.005)
        held.write(path, b"x")

    assert seen.record.acquired_ms == START_MS
    assert list_names(tmp_path) == ["a"]


def _soon(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_heartbeat_waits_for_a_busy_guard_and_ends_when_the_lock_is_lost(tmp_path: Path) -> None:
    clock = FakeClock()
    lock = LockFile(
        tmp_path / "a", owner="a", clock=clock, timing=Timing(heartbeat_ms=5), here=Here()
    )
    assert lock.try_acquire()
    heart = Heartbeat()
    busy = Flock.claim(tmp_path / "a.guard.lock")
    assert busy is not None

    with busy:
        heart.add(lock)
        clock.advance(1_000)
        time.sleep(0.1)
        assert _timestamp(tmp_path / "a.lock") == START_MS
    _soon(lambda: _timestamp(tmp_path / "a.lock") == START_MS + 1_000)
    _soon(lambda: _unlink_guarded(tmp_path / "a.lock"))

    _soon(lambda: heart._pulses == {})


def test_a_lock_that_is_held_for_a_moment_wakes_nobody(tmp_path: Path) -> None:
    lock = LockFile(tmp_path / "a", owner="a", clock=FakeClock(), timing=Timing(), here=Here())
    heart = Heartbeat()
    heart.add(lock)
    _soon(lambda: heart._wakes_at > 0)  # it waits

    with patch.object(heart._changed, "notify") as waking:
        for _ in range(100):
            heart.remove(lock)
            heart.add(lock)

    assert waking.call_count == 0
    heart.remove(lock)


def _unlink_guarded(path: Path) -> bool:
    """As all who take a lock away do: a beat between its look and its write would undo it."""
    guard = Flock.claim(path.with_name("a.guard.lock"))
    if guard is None:
        return False
    with guard:
        path.unlink()
    return True


def _timestamp(path: Path) -> int:
    seen = look(path)
    assert seen is not None
    assert seen.record is not None
    return seen.record.timestamp_ms


def test_a_lock_file_that_cannot_be_written_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "a"

    def no_room() -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    crash.arm(CrashPoint.LOCK_BEFORE_NAMED, no_room)
    try:
        with (
            pytest.raises(UnavailableError, match="no room left"),
            locked(path, owner="a", clock=FakeClock()),
        ):
            pytest.fail("locked nothing")
    finally:
        crash.disarm()

    assert list_names(tmp_path) == []


def test_where_a_file_has_one_name_only_the_lock_is_made_and_then_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*list_names: object, **_more: object) -> None:
        raise OSError(errno.EPERM, "a file system without hard links")

    monkeypatch.setattr(os, "link", refuse)

    with locked(tmp_path / "a", owner="a", clock=FakeClock()) as held:
        seen = look(tmp_path / "a.lock")
        assert seen is not None
        assert seen.record is not None
        with (
            pytest.raises(LockHeld),
            locked(tmp_path / "a", owner="b", clock=FakeClock(), wait_ms=50),
        ):
            pytest.fail("two held")
        held.write(tmp_path / "a", b"x")

    assert list_names(tmp_path) == ["a"]


def test_a_takeover_that_cannot_be_written_leaves_the_lock_and_no_litter(tmp_path: Path) -> None:
    (tmp_path / "a.lock").mkdir()
    later = FakeClock(time.time_ns() // 1_000_000 + LOCK_STALE_MS * 2)

    with pytest.raises(UnavailableError), locked(tmp_path / "a", owner="a", clock=later):
        pytest.fail("locked nothing")

    assert "a.lock" in list_names(tmp_path)
    assert not [name for name in list_names(tmp_path) if name.endswith(".tmp")]


def test_a_taker_yields_to_a_guard_that_is_held_and_to_a_lock_that_came_alive(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a"
    lay_foreign(path)
    late = FakeClock(START_MS + LOCK_STALE_MS + 1)
    guard = Flock.claim(tmp_path / "a.guard.lock")
    assert guard is not None
    with guard, pytest.raises(LockHeld), locked(path, owner="b", clock=late, wait_ms=0):
        pytest.fail("two held one lock")

    crash.arm(
        CrashPoint.LOCK_BEFORE_TAKEOVER,
        lambda: lay_foreign(path, timestamp="2026-03-02T10:00:30.000Z"),
    )
    try:
        with pytest.raises(LockHeld), locked(path, owner="b", clock=late, wait_ms=0):
            pytest.fail("two held one lock")
    finally:
        crash.disarm()


def test_one_thread_beats_for_all_locks(tmp_path: Path) -> None:
    before = set(threading.enumerate())

    with locked(tmp_path / "a", tmp_path / "b", tmp_path / "c", owner="a", clock=FakeClock()):
        started = set(threading.enumerate()) - before

    assert len(started) <= 1


def test_a_write_waits_for_a_guard_within_bounds(tmp_path: Path) -> None:
    path = tmp_path / "a"
    clock = FakeClock()

    with locked(path, owner="a", clock=clock) as held:
        stopped = Flock.claim(tmp_path / "a.guard.lock")
        assert stopped is not None
        with stopped, pytest.raises(LockHeld, match="does not go on"):
            held.write(path, b"x")

    assert not path.exists()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # 3.12 warns of forks beside threads
def test_a_forked_child_does_not_release_its_parents_lock(tmp_path: Path) -> None:
    path = tmp_path / "a"

    with locked(path, owner="parent", clock=SystemClock()) as held:
        child = os.fork()
        if child == 0:
            try:
                held.write(path, b"by the child")
            except StaleVersion:
                os._exit(7)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        held.write(path, b"by the parent")

    assert os.waitstatus_to_exitcode(status) == 7
    assert path.read_bytes() == b"by the parent"


def test_a_sighting_tells_of_whom_it_knows_little() -> None:
    record = LockRecord(pid=5, agent="", timestamp_ms=START_MS, acquired_ms=START_MS)

    sighting = Sighting(record=record, changed_ms=Millis(0))

    assert sighting.holder() == f"somebody (process 5) since {NOW_TEXT}"
    assert not sighting.is_stale(START_MS, 10, Here(alive=lambda _pid: False))
