"""Goal: what the daemon does by itself is not felt: views rest while calls work, and leave off;
chores run again and again, fail without harm and stop when told; idleness is counted right.

Method: a memory whose views take as many steps as the test says; a second thread that calls;
chores with a pause of a millisecond; a clock in the hands of the test.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable

import pytest

from agentx.conversation.toc_model import CaughtUp
from agentx.daemon.activity import Activity
from agentx.daemon.chores import Chore, Chores, Heap, Views, pace_of
from agentx.daemon.limits import (
    DAEMON_DRAIN_EVERY_MS,
    DAEMON_DROWSY_AFTER_MS,
    DAEMON_HEAP_SLACK_BYTES,
    DAEMON_VIEWS_EVERY_MS,
)
from tests.support.fake_memory import FakeMemory


class SteppedMemory(FakeMemory):
    """A memory whose views need many steps."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.done = 0

    def catch_up(self, told: Callable[[int, int], None] = lambda _done, _total: None) -> CaughtUp:
        """Take the steps that are left."""
        while self.done < self.steps:
            self.done += 1
            told(self.done, self.steps)
        return CaughtUp(events=self.done, nodes=0)


def test_views_that_nobody_disturbs_are_brought_up_to_date() -> None:
    memory = SteppedMemory(5)

    Views(memory, Activity()).again()

    assert memory.done == 5


def test_views_leave_off_after_the_step_they_are_at() -> None:
    memory = SteppedMemory(1_000)
    views = Views(memory, Activity())
    views.leave_off()

    views.again()

    assert memory.done == 1


def test_views_rest_while_a_call_is_at_work_but_do_not_wait_for_ever() -> None:
    memory, activity = SteppedMemory(2), Activity()
    with activity.working():
        began = time.monotonic()
        Views(memory, activity).again()
        took = time.monotonic() - began

    assert memory.done == 2
    assert 0.4 < took < 60  # two rests of a quarter of a second


def test_a_lull_begins_when_the_last_call_leaves_work() -> None:
    activity = Activity()
    release = threading.Event()

    def call() -> None:
        with activity.working():
            begun.set()
            release.wait(60)

    begun = threading.Event()
    calling = threading.Thread(target=call)
    calling.start()
    assert begun.wait(60)
    assert not activity.await_lull(lull_ms=0, wait_ms=1)
    release.set()

    assert activity.await_lull(lull_ms=0, wait_ms=5_000)
    calling.join(60)


def test_a_call_that_waits_for_its_caller_is_in_flight_and_not_at_work() -> None:
    activity = Activity()

    with activity.working():
        with activity.waiting():
            assert activity.await_lull(lull_ms=0, wait_ms=0)
            assert activity.idle_ms() == 0
        assert not activity.await_lull(lull_ms=0, wait_ms=0)


def test_a_chore_runs_again_and_again_until_it_is_stopped() -> None:
    runs = threading.Semaphore(0)
    chores = Chores([Chore(name="count", every_ms=1, run=runs.release)])

    chores.start()
    for _ in range(3):
        assert runs.acquire(timeout=60)
    chores.stop()

    while runs.acquire(blocking=False):
        pass
    assert not runs.acquire(timeout=0.05)


def test_a_failing_chore_is_logged_tried_again_and_harms_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tried, other = threading.Semaphore(0), threading.Semaphore(0)

    def fail() -> None:
        tried.release()
        raise OSError("the disk is full")

    chores = Chores(
        [Chore(name="bad", every_ms=1, run=fail), Chore(name="good", every_ms=1, run=other.release)]
    )
    chores.start()
    for semaphore in (tried, tried, other, other):
        assert semaphore.acquire(timeout=60)
    chores.stop()

    assert "bad failed; tried again in 2 ms" in caplog.text
    assert "bad failed; tried again in 4 ms" in caplog.text
    assert "the disk is full" in caplog.text


def test_stopping_waits_for_a_chore_that_runs() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        threading.Event().wait(0.05)
        ended.set()

    chores = Chores([Chore(name="work", every_ms=1, run=work)])
    chores.start()
    assert begun.wait(60)
    chores.stop()

    assert ended.is_set()


def test_chores_that_never_started_can_be_stopped() -> None:
    Chores([Chore(name="never", every_ms=1, run=lambda: None)]).stop()


def test_idleness_counts_from_the_end_of_the_last_work() -> None:
    now = [100.0]
    activity = Activity(lambda: now[0])

    now[0] += 2
    assert activity.idle_ms() == 2_000
    with activity.working(), activity.working():
        now[0] += 50
        assert activity.idle_ms() == 0
    now[0] += 1
    assert activity.idle_ms() == 1_000
    activity.note_activity()
    assert activity.idle_ms() == 0


def test_memory_is_given_back_when_there_is_more_than_is_worth_it_and_only_then() -> None:
    slack = DAEMON_HEAP_SLACK_BYTES
    sizes = iter(
        [slack, slack + 1, slack * 4, slack * 2, slack * 5 // 2 - 1, slack, slack * 2, slack]
    )
    released: list[bool] = []
    heap = Heap(lambda: next(sizes), lambda *, whole: released.append(whole))

    counts = []
    for _ in range(5):
        heap.again()
        counts.append(len(released))

    # Hardly larger; much larger, then twice the least; hardly larger than that; less; again more.
    assert counts == [0, 1, 1, 1, 2]


def test_what_was_in_use_when_memory_was_given_back_is_given_back_once_it_is_free() -> None:
    slack = DAEMON_HEAP_SLACK_BYTES
    # Half of what was grown by is in use by work in hand; at the next look it is free, and here.
    sizes = iter([slack, slack * 7, slack * 4, slack * 4, slack, slack, slack])
    released: list[bool] = []
    heap = Heap(lambda: next(sizes), lambda *, whole: released.append(whole))

    counts = []
    for _ in range(4):
        heap.again()
        counts.append(len(released))

    assert counts == [1, 2, 2, 2]


def test_what_is_needed_for_long_is_left_alone_after_a_few_looks() -> None:
    sizes = itertools.chain(
        [DAEMON_HEAP_SLACK_BYTES], itertools.repeat(DAEMON_HEAP_SLACK_BYTES * 9)
    )
    released: list[bool] = []
    heap = Heap(lambda: next(sizes), lambda *, whole: released.append(whole))

    for _ in range(50):
        heap.again()

    assert 1 < len(released) < 6


def test_all_of_memory_is_looked_through_only_while_nobody_asks() -> None:
    sizes = iter(number * 100 * DAEMON_HEAP_SLACK_BYTES for number in range(1, 9))
    is_idle = iter([False, True, False])
    released: list[bool] = []
    heap = Heap(lambda: next(sizes), lambda *, whole: released.append(whole), lambda: next(is_idle))

    for _ in range(3):
        heap.again()

    assert released == [False, True, False]


def test_a_daemon_that_nobody_needs_looks_half_as_often_until_it_is_needed() -> None:
    now = 0.0
    activity = Activity(lambda: now)
    assert pace_of(activity) == 1
    now = DAEMON_DROWSY_AFTER_MS / 1000 + 1
    assert pace_of(activity) == 2
    activity.note_activity()
    assert pace_of(activity) == 1
    with activity.working():
        now *= 3
        assert pace_of(activity) == 1
    assert 2 * (DAEMON_DRAIN_EVERY_MS + DAEMON_VIEWS_EVERY_MS) < 2_000, "seen in time all the same"


def test_pauses_are_as_long_as_the_pace_says() -> None:
    pauses_s: list[float | None] = []

    class Noted(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            pauses_s.append(timeout)
            return super().wait(0)

    paces = [1, 1, 10, 2]
    runs = threading.Semaphore(0)
    chore = Chore(name="x", every_ms=5, run=runs.release)
    chores = Chores([chore], lambda: paces.pop(0) if paces else 1)
    chores._stopping = Noted()
    chores.start()
    for _ in range(4):
        assert runs.acquire(timeout=60)
    chores.stop()

    assert pauses_s[:4] == [0.005, 0.005, 0.05, 0.01]
