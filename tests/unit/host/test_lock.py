"""Goal: one holder at a time, told apart from the dead, the paused and other tools.

Method: real lock files with a clock in the test's hands; threads for the line in one process.
What needs several processes is in tests/fault/test_lock_processes.py.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.limits import LOCK_LAST_WAIT_MS, LOCK_STALE_MS
from agentx.host.locks.file import LockFile, Timing
from agentx.host.locks.flock import Flock
from agentx.host.locks.heartbeat import Heartbeat
from agentx.host.locks.lock import locked
from agentx.host.locks.queue import ProcessLine
from agentx.host.locks.record import Here, LockRecord, Sighting, look
from agentx.host.system import SystemClock, boot_id, host_name
from agentx.kernel.clock import Millis
from agentx.kernel.errors import ConflictError, LockHeld, StaleVersion, UnavailableError
from tests.support.time_and_chance import START_MS, FakeClock

NOW_TEXT = "2026-03-02T10:00:00.000Z"


def _names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def _foreign(path: Path, **fields: object) -> None:
    """Leave a lock as another tool would."""
    record = {"pid": 1, "timestamp": NOW_TEXT, "agent": "another tool", **fields}
    path.with_name(path.name + ".lock").write_text(json.dumps(record), encoding="utf-8")


def _dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait(timeout=30)
    return child.pid


# --- holding ------------------------------------------------------------------------------------


def test_the_lock_file_says_who_holds_it_in_the_words_of_the_convention(tmp_path: Path) -> None:
    path = tmp_path / "issue-7.json"

    with locked(path, owner="engineer", clock=FakeClock()):
        said: dict[str, Any] = json.loads((tmp_path / "issue-7.json.lock").read_bytes())

    assert said["pid"] == os.getpid()
    assert said["agent"] == "engineer"
    assert said["timestamp"] == said["acquired"] == NOW_TEXT
    assert (said["host"], said["boot"]) == (host_name(), boot_id())
    assert said["nonce"]


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "new" / "issue-7.json"

    with locked(path, owner="engineer", clock=FakeClock()) as held:
        held.write(path, b"{}")

    assert _names(tmp_path / "new") == ["issue-7.json"]


def test_an_exception_in_the_block_releases_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "a"

    with pytest.raises(ZeroDivisionError), locked(path, owner="a", clock=FakeClock()):
        raise ZeroDivisionError

    with locked(path, owner="b", clock=FakeClock(), wait_ms=0):
        pass


def test_several_files_are_locked_and_written_together_whatever_their_order(tmp_path: Path) -> None:
    issue, manifest = tmp_path / "issue-1.json", tmp_path / "manifest.json"

    with locked(manifest, issue, issue, owner="a", clock=FakeClock()) as held:
        locks = _names(tmp_path)
        held.write(issue, b"1")
        held.write(manifest, b"2")

    assert locks == ["issue-1.json.lock", "manifest.json.lock"]
    assert _names(tmp_path) == ["issue-1.json", "manifest.json"]


def test_a_file_has_one_lock_whichever_way_its_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    with (
        locked(tmp_path / "real" / "a", owner="first", clock=FakeClock()),
        pytest.raises(LockHeld, match="first"),
        locked(tmp_path / "link" / "a", owner="second", clock=FakeClock(), wait_ms=0),
    ):
        pytest.fail("two held one lock")


def test_a_file_that_is_not_locked_cannot_be_written(tmp_path: Path) -> None:
    with (
        locked(tmp_path / "a", owner="a", clock=FakeClock()) as held,
        pytest.raises(AssertionError, match="not among the locked"),
    ):
        held.write(tmp_path / "b", b"")


def test_a_locked_file_can_be_moved_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x")

    with locked(path, owner="a", clock=FakeClock()) as held:
        held.move(path, tmp_path / "aside")
        held.remove(path)

    assert _names(tmp_path) == ["aside"]


def test_a_folder_that_cannot_be_made_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with (
        pytest.raises(UnavailableError),
        locked(tmp_path / "file" / "a", owner="a", clock=FakeClock()),
    ):
        pytest.fail("locked nothing")


# --- waiting ------------------------------------------------------------------------------------


def test_waiting_ends_after_five_seconds_and_says_who_since_when_and_what_to_do(
    tmp_path: Path,
) -> None:
    path = tmp_path / "issue-7.json"
    _foreign(path, pid=4711, agent="architect")
    clock = FakeClock()

    with pytest.raises(LockHeld) as held, locked(path, owner="engineer", clock=clock):
        pytest.fail("two held one lock")

    assert LOCK_LAST_WAIT_MS <= clock.now_ms() - START_MS <= LOCK_LAST_WAIT_MS + 20
    assert "issue-7.json" in held.value.message
    assert "architect (process 4711)" in held.value.message
    assert NOW_TEXT in held.value.message
    assert "30 s" in held.value.hint
    assert _names(tmp_path) == ["issue-7.json.lock"]


def test_who_does_not_wait_asks_once(tmp_path: Path) -> None:
    clock = FakeClock()
    _foreign(tmp_path / "a")

    with pytest.raises(LockHeld), locked(tmp_path / "a", owner="b", clock=clock, wait_ms=0):
        pytest.fail("two held one lock")
    assert clock.now_ms() == START_MS

    with locked(tmp_path / "free", owner="b", clock=clock, wait_ms=0) as held:
        assert held.waited_ms == 0


def test_a_clock_set_back_does_not_make_one_wait_for_ever(tmp_path: Path) -> None:
    class Stuck(FakeClock):
        def sleep_ms(self, duration_ms: int) -> None:
            self.advance(-duration_ms)

    _foreign(tmp_path / "a")

    with pytest.raises(LockHeld), locked(tmp_path / "a", owner="b", clock=Stuck(), wait_ms=500):
        pytest.fail("two held one lock")


def _stand_in_line(path: Path, number: int, dead: set[int]) -> ProcessLine:
    here = Here(pid=number, host="here", boot="now", alive=lambda pid: pid not in dead)
    return ProcessLine(path, here)


def test_processes_stand_in_line_in_the_order_they_came(tmp_path: Path) -> None:
    line = [_stand_in_line(tmp_path / "a", number, set()) for number in (1, 2, 3)]

    assert line[0].is_empty()
    assert [each.place() for each in line] == [0, 1, 2]
    assert not line[0].is_empty()
    line[0].leave()
    assert [each.place() for each in line[1:]] == [0, 1]
    line[2].leave()
    line[1].leave()
    assert _names(tmp_path) == []


def test_the_dead_do_not_stand_in_line(tmp_path: Path) -> None:
    dead: set[int] = set()
    line = [_stand_in_line(tmp_path / "a", number, dead) for number in (1, 2, 3)]
    assert [each.place() for each in line] == [0, 1, 2]

    dead.update({1, 2})

    assert line[2].place() == 0


def test_who_was_dropped_from_the_line_joins_at_its_end(tmp_path: Path) -> None:
    first, second = (_stand_in_line(tmp_path / "a", number, set()) for number in (1, 2))
    assert (first.place(), second.place()) == (0, 1)

    second.drop_head()
    second.drop_head()

    assert second.place() == 0
    assert first.place() == 1


@pytest.mark.parametrize("torn", [b"", b"[[", b"{}", b'[1, [2], ["x", 3]]', b"\xff"])
def test_a_torn_line_begins_anew(tmp_path: Path, torn: bytes) -> None:
    (tmp_path / "a.queue.lock").write_bytes(torn)

    with locked(tmp_path / "a", owner="a", clock=FakeClock()) as held:
        assert held.waited_ms < 100

    assert _names(tmp_path) == []


def test_who_is_first_in_line_goes_before_who_asks_later(tmp_path: Path) -> None:
    path = tmp_path / "a"
    first = _stand_in_line(path, 1, set())
    first.place()

    with locked(path, owner="later", clock=FakeClock()) as held:
        pass

    assert 200 <= held.waited_ms < 1_000, "the first does not come, so the later goes on"


def test_a_process_stopped_while_it_changes_the_line_does_not_block_the_others(
    tmp_path: Path,
) -> None:
    stopped = Flock.claim(tmp_path / "a.queue.lock")
    assert stopped is not None

    with stopped, locked(tmp_path / "a", owner="b", clock=FakeClock()) as held:
        assert 200 <= held.waited_ms < 1_000


def test_a_line_that_is_being_changed_is_left_within_bounds(tmp_path: Path) -> None:
    line = _stand_in_line(tmp_path / "a", 1, set())
    line.place()
    stopped = Flock.claim(tmp_path / "a.queue.lock")
    assert stopped is not None

    with stopped:
        line.leave()
        line.drop_head()

    assert line.place() == 0


def test_threads_that_update_at_once_lose_no_update(tmp_path: Path) -> None:
    path = tmp_path / "counter"
    path.write_bytes(b"0")

    def count() -> None:
        for _ in range(10):
            with locked(path, owner="thread", clock=SystemClock()) as held:
                held.write(path, b"%d" % (int(path.read_bytes()) + 1))

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert path.read_bytes() == b"80"
    assert _names(tmp_path) == ["counter"]


def test_a_thread_that_gives_up_leaves_the_line_in_order(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with locked(path, owner="first", clock=SystemClock()):
        for _ in range(3):
            with (
                pytest.raises(LockHeld, match="first"),
                locked(path, owner="again", clock=SystemClock(), wait_ms=5),
            ):
                pytest.fail("two held one lock")

    with locked(path, owner="next", clock=SystemClock(), wait_ms=0):
        pass


# --- staleness ----------------------------------------------------------------------------------


@pytest.mark.parametrize("age_ms", [LOCK_STALE_MS + 1, -LOCK_STALE_MS - 1])
def test_a_lock_without_a_heartbeat_for_thirty_seconds_is_taken_over(
    tmp_path: Path, age_ms: int
) -> None:
    path = tmp_path / "a"
    _foreign(path)

    with locked(path, owner="taker", clock=FakeClock(START_MS + age_ms), wait_ms=0):
        said = json.loads((tmp_path / "a.lock").read_bytes())

    assert said["agent"] == "taker"
    assert _names(tmp_path) == []


def test_a_lock_of_exactly_thirty_seconds_still_counts(tmp_path: Path) -> None:
    _foreign(tmp_path / "a")
    clock = FakeClock(START_MS + LOCK_STALE_MS)

    with pytest.raises(LockHeld), locked(tmp_path / "a", owner="b", clock=clock, wait_ms=0):
        pytest.fail("two held one lock")


def test_the_lock_of_a_dead_process_of_this_boot_is_taken_over_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a"
    _foreign(path, pid=_dead_pid(), host=host_name(), boot=boot_id())

    with locked(path, owner="taker", clock=FakeClock(), wait_ms=0):
        pass


@pytest.mark.parametrize("place", [{}, {"host": "elsewhere"}, {"host": host_name(), "boot": "old"}])
def test_a_pid_of_another_machine_says_nothing(tmp_path: Path, place: dict[str, str]) -> None:
    _foreign(tmp_path / "a", pid=_dead_pid(), **place)

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

    assert _names(tmp_path) == []


def test_the_holder_finds_out_that_it_was_taken_over_before_it_writes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"before")

    with locked(path, owner="slow", clock=FakeClock()) as slow:
        _foreign(path, agent="successor")  # as if taken over meanwhile
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

    assert _names(tmp_path) == []


def test_a_holder_that_lives_keeps_its_timestamp_fresh(tmp_path: Path) -> None:
    path = tmp_path / "a"
    clock = FakeClock()
    timing = Timing(stale_ms=30_000, heartbeat_ms=5)

    with locked(path, owner="a", clock=clock, timing=timing) as held:
        clock.advance(20_000)
        deadline = time.monotonic() + 10
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
    assert _names(tmp_path) == ["a"]


def _soon(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
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

    assert _names(tmp_path) == []


def test_where_a_file_has_one_name_only_the_lock_is_made_and_then_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_names: object, **_more: object) -> None:
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

    assert _names(tmp_path) == ["a"]


def test_a_takeover_that_cannot_be_written_leaves_the_lock_and_no_litter(tmp_path: Path) -> None:
    (tmp_path / "a.lock").mkdir()
    later = FakeClock(time.time_ns() // 1_000_000 + LOCK_STALE_MS * 2)

    with pytest.raises(UnavailableError), locked(tmp_path / "a", owner="a", clock=later):
        pytest.fail("locked nothing")

    assert "a.lock" in _names(tmp_path)
    assert not [name for name in _names(tmp_path) if name.endswith(".tmp")]


def test_a_taker_yields_to_a_guard_that_is_held_and_to_a_lock_that_came_alive(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a"
    _foreign(path)
    late = FakeClock(START_MS + LOCK_STALE_MS + 1)
    guard = Flock.claim(tmp_path / "a.guard.lock")
    assert guard is not None
    with guard, pytest.raises(LockHeld), locked(path, owner="b", clock=late, wait_ms=0):
        pytest.fail("two held one lock")

    crash.arm(
        CrashPoint.LOCK_BEFORE_TAKEOVER,
        lambda: _foreign(path, timestamp="2026-03-02T10:00:30.000Z"),
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
