"""Goal: what the daemon does by itself is not felt: views rest while calls work, and leave off.

Method: a memory whose views take as many steps as the test says; a second thread that calls.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from agentx.conversation.toc_model import CaughtUp
from agentx.daemon.activity import Activity
from agentx.daemon.chores import Views
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
    assert 0.4 < took < 5  # two rests of a quarter of a second


def test_a_lull_begins_when_the_last_call_leaves_work() -> None:
    activity = Activity()
    release = threading.Event()

    def call() -> None:
        with activity.working():
            begun.set()
            release.wait(5)

    begun = threading.Event()
    calling = threading.Thread(target=call)
    calling.start()
    assert begun.wait(5)
    assert not activity.await_lull(lull_ms=0, wait_ms=1)
    release.set()

    assert activity.await_lull(lull_ms=0, wait_ms=5_000)
    calling.join(5)


def test_a_call_that_waits_for_its_caller_is_in_flight_and_not_at_work() -> None:
    activity = Activity()

    with activity.working():
        with activity.waiting():
            assert activity.await_lull(lull_ms=0, wait_ms=0)
            assert activity.idle_ms() == 0
        assert not activity.await_lull(lull_ms=0, wait_ms=0)
