"""Goal: one holder at a time, told apart from the dead, the paused and other tools.

Method: real lock files with a clock in the test's hands; threads for the line in one process.
What needs several processes is in tests/fault/test_lock_processes.py.
"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from agentx.host.limits import LOCK_LAST_WAIT_MS
from agentx.host.locks.flock import Flock
from agentx.host.locks.lock import locked
from agentx.host.locks.queue import ProcessLine
from agentx.host.locks.record import Here
from agentx.host.system import SystemClock, boot_id, host_name
from agentx.kernel.errors import LockHeld, UnavailableError
from tests.support.locks import NOW_TEXT, lay_foreign, list_names
from tests.support.time_and_chance import START_MS, FakeClock

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

    assert list_names(tmp_path / "new") == ["issue-7.json"]


def test_an_exception_in_the_block_releases_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "a"

    with pytest.raises(ZeroDivisionError), locked(path, owner="a", clock=FakeClock()):
        raise ZeroDivisionError

    with locked(path, owner="b", clock=FakeClock(), wait_ms=0):
        pass


def test_several_files_are_locked_and_written_together_whatever_their_order(tmp_path: Path) -> None:
    issue, manifest = tmp_path / "issue-1.json", tmp_path / "manifest.json"

    with locked(manifest, issue, issue, owner="a", clock=FakeClock()) as held:
        locks = list_names(tmp_path)
        held.write(issue, b"1")
        held.write(manifest, b"2")

    assert locks == ["issue-1.json.lock", "manifest.json.lock"]
    assert list_names(tmp_path) == ["issue-1.json", "manifest.json"]


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

    assert list_names(tmp_path) == ["aside"]


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
    lay_foreign(path, pid=4711, agent="architect")
    clock = FakeClock()

    with pytest.raises(LockHeld) as held, locked(path, owner="engineer", clock=clock):
        pytest.fail("two held one lock")

    assert LOCK_LAST_WAIT_MS <= clock.now_ms() - START_MS <= LOCK_LAST_WAIT_MS + 20
    assert "issue-7.json" in held.value.message
    assert "architect (process 4711)" in held.value.message
    assert NOW_TEXT in held.value.message
    assert "30 s" in held.value.hint
    assert list_names(tmp_path) == ["issue-7.json.lock"]


def test_who_does_not_wait_asks_once(tmp_path: Path) -> None:
    clock = FakeClock()
    lay_foreign(tmp_path / "a")

    with pytest.raises(LockHeld), locked(tmp_path / "a", owner="b", clock=clock, wait_ms=0):
        pytest.fail("two held one lock")
    assert clock.now_ms() == START_MS

    with locked(tmp_path / "free", owner="b", clock=clock, wait_ms=0) as held:
        assert held.waited_ms == 0


def test_a_clock_set_back_does_not_make_one_wait_for_ever(tmp_path: Path) -> None:
    class Stuck(FakeClock):
        def sleep_ms(self, duration_ms: int) -> None:
            self.advance(-duration_ms)

    lay_foreign(tmp_path / "a")

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
    assert list_names(tmp_path) == []


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

    assert list_names(tmp_path) == []


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
        thread.join(60)

    assert path.read_bytes() == b"80"
    assert list_names(tmp_path) == ["counter"]


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
