"""Goal: without a daemon the jobs can be seen, paused, resumed and run, and the disk keeps it.

Method: a local door over a temporary folder; a scheduler stands for the daemon that comes later.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from agentx.daemon.scheduler.cron import parse_cron
from agentx.daemon.scheduler.door import LocalScheduler, SchedulerDoor
from agentx.daemon.scheduler.model import JobRecord, JobSpec, JobState, RunResult
from agentx.daemon.scheduler.registry import Registry
from agentx.daemon.scheduler.scheduler import Scheduler
from agentx.host.locks.flock import Flock
from agentx.kernel.clock import DAY_MS, HOUR_MS, Millis, from_iso
from agentx.kernel.errors import NotFound
from agentx.kernel.paths import StorePaths
from tests.support.time_and_chance import CountingEntropy, FakeClock

NOON = from_iso("2026-03-04T12:00:00Z")
THREE = NOON + 15 * HOUR_MS


@pytest.fixture
def store(tmp_path: Path) -> StorePaths:
    return StorePaths(tmp_path / "store")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOON)


Door = Callable[..., LocalScheduler]


@pytest.fixture
def door(store: StorePaths, clock: FakeClock) -> Door:
    def made(run: Callable[[], object] = lambda: "done") -> LocalScheduler:
        return LocalScheduler([job(run)], store, clock=clock, zone=UTC, entropy=CountingEntropy())

    return made


def job(run: Callable[[], object]) -> JobSpec:
    return JobSpec(name="roll", about="", when=parse_cron("0 3 * * *"), run=run)


def only(found: SchedulerDoor) -> JobRecord:
    (status,) = found.status().jobs
    return status.record


def daemon(store: StorePaths, clock: FakeClock) -> Scheduler:
    registry = Registry(store.scheduler, clock)
    return Scheduler(
        [job(lambda: "done")], registry, clock=clock, zone=UTC, entropy=CountingEntropy()
    )


def test_looking_writes_nothing(door: Door, store: StorePaths) -> None:
    status = door().status()

    assert not status.daemon_runs
    assert status.jobs[0].record.next_run_ms == THREE
    assert not store.root.exists()


def test_a_daemon_that_starts_later_keeps_what_was_paused(
    door: Door, store: StorePaths, clock: FakeClock
) -> None:
    assert door().pause("roll").record.state is JobState.PAUSED

    assert daemon(store, clock).status().jobs[0].record.state is JobState.PAUSED
    assert only(door()).state is JobState.PAUSED

    assert door().resume("roll").record.next_run_ms == THREE
    assert daemon(store, clock).status().jobs[0].record.state is JobState.ACTIVE


def test_a_job_runs_here_and_the_next_daemon_knows(
    door: Door, store: StorePaths, clock: FakeClock
) -> None:
    run = door(lambda: clock.advance(70) or "swept").run_now("roll")  # type: ignore[func-returns-value]  # one line

    assert (run.result, run.said, run.duration_ms) == (RunResult.OK, "swept", 70)
    known = daemon(store, clock).status().jobs[0].record
    assert (known.result, known.runs, known.next_run_ms) == (RunResult.OK, 1, THREE)


def test_a_run_that_was_overdue_is_not_made_up_for_again(
    door: Door, store: StorePaths, clock: FakeClock
) -> None:
    door().pause("roll")
    door().resume("roll")
    clock.advance(3 * DAY_MS)
    assert (only(door()).next_run_ms or 0) < clock.now_ms()

    door().run_now("roll")

    assert only(door()).next_run_ms == THREE + 3 * DAY_MS


def test_a_failing_job_is_counted(door: Door) -> None:
    def fail() -> None:
        raise ValueError("\u0628\u062f")

    run = door(fail).run_now("roll")

    assert (run.result, run.error) == (RunResult.FAILED, "ValueError: \u0628\u062f")
    assert (only(door()).failures, only(door()).error) == (1, "ValueError: \u0628\u062f")


def test_while_another_command_runs_a_job_it_is_skipped_and_seen_running(
    door: Door, store: StorePaths
) -> None:
    inside: list[RunResult] = []

    def run() -> None:
        inside.append(door().run_now("roll").result)
        inside.append(only(door()).result)

    assert door(run).run_now("roll").result is RunResult.OK
    assert inside == [RunResult.SKIPPED, RunResult.RUNNING]
    held = Flock.claim(store.scheduler_lock)
    assert held is not None, "the lock is free again"
    held.release()


def test_a_run_whose_command_was_killed_is_seen_as_interrupted(
    door: Door, store: StorePaths, clock: FakeClock
) -> None:
    killed = JobRecord(name="roll", result=RunResult.RUNNING, last_started_ms=Millis(NOON), runs=1)
    Registry(store.scheduler, clock).write([killed])

    assert only(door()).result is RunResult.INTERRUPTED
    assert door().run_now("roll").result is RunResult.OK
    assert (only(door()).runs, only(door()).failures) == (2, 1)


@pytest.mark.parametrize("verb", ["pause", "resume", "run_now"])
def test_a_job_that_is_not_there_is_named_with_those_that_are(door: Door, verb: str) -> None:
    with pytest.raises(NotFound, match="'nope' is not a job") as refused:
        getattr(door(), verb)("nope")

    assert refused.value.hint == "the jobs are: roll"
