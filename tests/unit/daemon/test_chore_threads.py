"""Goal: jobs run again and again, fail without harm and stop when told; idleness is counted right.

Method: jobs with a pause of a millisecond; a clock in the hands of the test.
"""

from __future__ import annotations

import threading

import pytest

from agentx.daemon.activity import Activity
from agentx.daemon.chores import Chore, Chores


def test_a_job_runs_again_and_again_until_it_is_stopped() -> None:
    runs = threading.Semaphore(0)
    jobs = Chores([Chore(name="count", every_ms=1, run=runs.release)])

    jobs.start()
    for _ in range(3):
        assert runs.acquire(timeout=5)
    jobs.stop()

    while runs.acquire(blocking=False):
        pass
    assert not runs.acquire(timeout=0.05)


def test_a_failing_job_is_logged_tried_again_and_harms_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tried, other = threading.Semaphore(0), threading.Semaphore(0)

    def fail() -> None:
        tried.release()
        raise OSError("the disk is full")

    jobs = Chores(
        [Chore(name="bad", every_ms=1, run=fail), Chore(name="good", every_ms=1, run=other.release)]
    )
    jobs.start()
    for semaphore in (tried, tried, other, other):
        assert semaphore.acquire(timeout=5)
    jobs.stop()

    assert "bad failed; tried again in 2 ms" in caplog.text
    assert "bad failed; tried again in 4 ms" in caplog.text
    assert "the disk is full" in caplog.text


def test_stopping_waits_for_a_job_that_runs() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        threading.Event().wait(0.05)
        ended.set()

    jobs = Chores([Chore(name="work", every_ms=1, run=work)])
    jobs.start()
    assert begun.wait(5)
    jobs.stop()

    assert ended.is_set()


def test_jobs_that_never_started_can_be_stopped() -> None:
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
    activity.seen()
    assert activity.idle_ms() == 0
