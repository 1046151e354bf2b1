"""Goal: jobs begin when they are due, never twice at once, and no failure stops the others.

Method: a clock in the hands of the test and `tick` called by hand; jobs wait for the test at
gates, so nothing sleeps. Only the last tests let the scheduler keep time by itself.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from pathlib import Path

import pytest

from agentx.daemon.limits import JOBS_RUNNING_MAX
from agentx.daemon.scheduler.cron import parse_cron
from agentx.daemon.scheduler.model import Every, JobRecord, JobSpec, JobState, RunResult
from agentx.daemon.scheduler.registry import Registry
from agentx.daemon.scheduler.scheduler import Scheduler
from agentx.kernel.clock import DAY_MS, HOUR_MS, Millis, from_iso
from agentx.kernel.errors import NotFound, UnavailableError
from tests.support.company import until
from tests.support.time_and_chance import CountingEntropy, FakeClock

WAIT_S = 60
NOON = from_iso("2026-03-04T12:00:00Z")


class Gate:
    """A job that says when it begins, and goes on when it is let."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.may_end = threading.Event()
        self.runs = 0

    def __call__(self) -> str:
        self.runs += 1
        self.begun.release()
        assert self.may_end.wait(WAIT_S), "the test never opened the gate"
        return "passed"


class World:
    """A clock, a disk, and schedulers that come and go."""

    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock(NOON)
        self.registry = Registry(folder / "scheduler.json", FakeClock())
        self.schedulers: list[Scheduler] = []

    def scheduler(self, *specs: JobSpec) -> Scheduler:
        made = Scheduler(
            specs, self.registry, clock=self.clock, zone=UTC, entropy=CountingEntropy()
        )
        self.schedulers.append(made)
        return made


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    for scheduler in made.schedulers:
        scheduler.stop(wait_ms=0)
    # What still writes down how it ended needs its folder.
    for thread in threading.enumerate():
        if thread.name.startswith("agentx-job-"):
            thread.join(60)


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate()
    yield made
    made.may_end.set()


def job(run: Callable[[], object], name: str = "roll", when: str = "0 3 * * *") -> JobSpec:
    return JobSpec(name=name, about=f"does {name}", when=parse_cron(when), run=run)


def record(scheduler: Scheduler, name: str = "roll") -> JobRecord:
    return next(job.record for job in scheduler.status().jobs if job.name == name)


def settled(scheduler: Scheduler) -> None:
    """Wait until nothing runs."""
    for _ in range(WAIT_S * 200):
        if not scheduler.is_busy:
            return
        threading.Event().wait(0.005)
    pytest.fail("a job did not end")


def test_nothing_runs_before_its_time(world: World) -> None:
    runs: list[str] = []
    scheduler = world.scheduler(job(lambda: runs.append("run")))

    scheduler.tick()
    world.clock.advance(15 * HOUR_MS - 1)
    scheduler.tick()
    settled(scheduler)
    assert runs == []

    world.clock.advance(1)
    scheduler.tick()
    settled(scheduler)
    assert runs == ["run"]


def test_a_run_is_known_afterwards_here_and_on_disk(world: World, gate: Gate) -> None:
    scheduler = world.scheduler(job(gate))
    world.clock.advance(15 * HOUR_MS)
    scheduler.tick()
    assert gate.begun.acquire(timeout=WAIT_S)

    assert record(scheduler).result is RunResult.RUNNING
    assert world.registry.read()["roll"].result is RunResult.RUNNING

    world.clock.advance(1_234)
    gate.may_end.set()
    settled(scheduler)

    known = record(scheduler)
    assert (known.result, known.duration_ms, known.said, known.runs) == (
        RunResult.OK,
        1_234,
        "passed",
        1,
    )
    assert known.next_run_ms == NOON + 15 * HOUR_MS + DAY_MS
    assert world.registry.read()["roll"] == known


def test_a_failing_job_is_logged_counted_and_harms_no_other(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    runs: list[str] = []

    def fail() -> None:
        raise OSError("no room \U0001f4a5")

    scheduler = world.scheduler(job(fail, "bad"), job(lambda: runs.append("run"), "good"))
    for _ in range(3):
        world.clock.advance(DAY_MS)
        scheduler.tick()
        settled(scheduler)

    bad = record(scheduler, "bad")
    assert (bad.result, bad.failures, bad.runs) == (RunResult.FAILED, 3, 3)
    assert bad.error == "OSError: no room \U0001f4a5"
    assert runs == ["run"] * 3
    assert "job bad failed" in caplog.text
    assert "Traceback" in caplog.text


def test_a_job_that_wants_to_end_the_process_has_failed(world: World) -> None:
    def leave() -> None:
        raise SystemExit(3)

    assert world.scheduler(job(leave)).run_now("roll").error == "SystemExit: 3"


def test_a_job_is_not_begun_while_it_runs(world: World, gate: Gate) -> None:
    scheduler = world.scheduler(job(gate))
    world.clock.advance(15 * HOUR_MS)
    scheduler.tick()
    assert gate.begun.acquire(timeout=WAIT_S)

    world.clock.advance(3 * DAY_MS)
    scheduler.tick()
    scheduler.tick()

    assert (gate.runs, record(scheduler).skipped) == (1, 1)
    assert record(scheduler).result is RunResult.RUNNING


def test_more_jobs_than_places_wait_for_a_place_and_are_not_skipped(world: World) -> None:
    gates = {f"job-{number}": Gate() for number in range(JOBS_RUNNING_MAX + 1)}
    scheduler = world.scheduler(*(job(gate, name) for name, gate in gates.items()))
    world.clock.advance(DAY_MS)

    scheduler.tick()
    until(lambda: sum(gate.runs for gate in gates.values()) == JOBS_RUNNING_MAX)
    threading.Event().wait(0.02)
    assert sum(gate.runs for gate in gates.values()) == JOBS_RUNNING_MAX

    for gate in gates.values():
        gate.may_end.set()
    settled(scheduler)
    scheduler.tick()
    settled(scheduler)

    assert [gate.runs for gate in gates.values()] == [1] * len(gates)
    assert [job.record.skipped for job in scheduler.status().jobs] == [0] * len(gates)


def test_a_run_that_is_asked_for_is_answered_when_it_is_done(world: World) -> None:
    scheduler = world.scheduler(job(lambda: "rolled \u4e09 days"))

    run = scheduler.run_now("roll")

    assert (run.result, run.said, run.started_ms) == (RunResult.OK, "rolled \u4e09 days", NOON)
    assert record(scheduler).next_run_ms == NOON + 15 * HOUR_MS
    assert world.registry.read()["roll"].runs == 1


def test_asking_for_what_runs_already_is_answered_with_skipped(world: World, gate: Gate) -> None:
    scheduler = world.scheduler(job(gate))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(scheduler.run_now, "roll")
        assert gate.begun.acquire(timeout=WAIT_S)

        assert scheduler.run_now("roll").result is RunResult.SKIPPED
        assert record(scheduler).skipped == 1
        gate.may_end.set()

        assert first.result(WAIT_S).result is RunResult.OK
    assert gate.runs == 1


def test_of_many_who_ask_at_once_one_runs_the_job(world: World, gate: Gate) -> None:
    scheduler = world.scheduler(job(gate))
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(scheduler.run_now, "roll") for _ in range(8)]
        assert gate.begun.acquire(timeout=WAIT_S)
        for _ in range(WAIT_S * 200):
            if record(scheduler).skipped == 7:
                break
            threading.Event().wait(0.005)
        gate.may_end.set()
        results = sorted(run.result(WAIT_S).result for run in asked)

    assert results == [RunResult.OK, *[RunResult.SKIPPED] * 7]
    assert gate.runs == 1


def test_a_paused_job_runs_only_when_asked_for(world: World) -> None:
    runs: list[str] = []
    scheduler = world.scheduler(job(lambda: runs.append("run")))

    assert scheduler.pause("roll").record.state is JobState.PAUSED
    world.clock.advance(3 * DAY_MS)
    scheduler.tick()
    settled(scheduler)
    assert runs == []

    assert scheduler.run_now("roll").result is RunResult.OK
    assert record(scheduler).state is JobState.PAUSED

    assert scheduler.resume("roll").record.next_run_ms == NOON + 3 * DAY_MS + 15 * HOUR_MS
    scheduler.tick()
    settled(scheduler)
    assert runs == ["run"]


@pytest.mark.parametrize("verb", ["pause", "resume", "run_now"])
def test_a_job_that_is_not_there_is_named_with_those_that_are(world: World, verb: str) -> None:
    scheduler = world.scheduler(job(print, "one"), job(print, "two"))

    with pytest.raises(NotFound, match="'three' is not a job") as refused:
        getattr(scheduler, verb)("three")

    assert refused.value.hint == "the jobs are: one, two"


def test_the_next_process_goes_on_where_the_last_one_stopped(world: World) -> None:
    before = world.scheduler(job(lambda: "x"), job(print, "other"))
    before.run_now("roll")
    before.pause("other")
    known = before.status()
    before.stop()

    world.clock.advance(HOUR_MS)
    after = world.scheduler(job(lambda: "x"), job(print, "other"))

    assert after.status() == known


def test_what_was_missed_while_no_process_ran_is_made_up_for_once(world: World) -> None:
    runs: list[str] = []
    world.scheduler(job(lambda: runs.append("run"))).stop()

    world.clock.advance(30 * DAY_MS)
    scheduler = world.scheduler(job(lambda: runs.append("run")))
    for _ in range(3):
        scheduler.tick()
        settled(scheduler)

    assert runs == ["run"]
    assert record(scheduler).next_run_ms == NOON + 30 * DAY_MS + 15 * HOUR_MS


def test_a_run_whose_process_died_is_reported_as_interrupted(world: World, gate: Gate) -> None:
    dying = world.scheduler(job(gate))
    world.clock.advance(15 * HOUR_MS)
    dying.tick()
    assert gate.begun.acquire(timeout=WAIT_S)

    known = record(world.scheduler(job(gate)))

    assert (known.result, known.failures) == (RunResult.INTERRUPTED, 1)
    assert known.last_started_ms == NOON + 15 * HOUR_MS


def test_stopping_lets_a_job_finish(world: World, gate: Gate) -> None:
    scheduler = world.scheduler(job(gate))
    scheduler.start()
    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(scheduler.run_now, "roll")
        assert gate.begun.acquire(timeout=WAIT_S)
        stopped = pool.submit(scheduler.stop)
        assert not threading.Event().wait(0.02)
        assert not stopped.done()
        gate.may_end.set()

        assert stopped.result(WAIT_S) == ()
        assert asked.result(WAIT_S).result is RunResult.OK
    assert world.registry.read()["roll"].result is RunResult.OK


def test_stopping_waits_for_a_bounded_time_and_says_what_did_not_end(
    world: World, gate: Gate, caplog: pytest.LogCaptureFixture
) -> None:
    scheduler = world.scheduler(job(gate))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(scheduler.run_now, "roll")
        assert gate.begun.acquire(timeout=WAIT_S)

        assert scheduler.stop(wait_ms=10) == ("roll",)
        assert asked.result(WAIT_S).result is RunResult.INTERRUPTED
    assert "roll did not end in time" in caplog.text

    gate.may_end.set()
    assert record(world.scheduler(job(gate))).result is RunResult.INTERRUPTED


def test_after_stopping_nothing_begins(world: World) -> None:
    runs: list[str] = []
    scheduler = world.scheduler(job(lambda: runs.append("run")))
    scheduler.stop()

    world.clock.advance(DAY_MS)
    scheduler.tick()
    with pytest.raises(UnavailableError, match="stopping"):
        scheduler.run_now("roll")
    assert runs == []


def test_a_disk_that_refuses_does_not_keep_jobs_from_running(
    world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    registry = Registry(tmp_path / "file" / "scheduler.json", FakeClock())
    with pytest.raises(UnavailableError):
        registry.write([])
    nowhere = World(tmp_path)
    nowhere.registry = registry

    assert nowhere.scheduler(job(lambda: "x")).run_now("roll").result is RunResult.OK
    assert "could not be written" in caplog.text


def test_a_clock_that_is_set_far_back_does_not_silence_a_job(world: World) -> None:
    runs: list[str] = []
    world.clock.advance(1000 * DAY_MS)
    scheduler = world.scheduler(job(lambda: runs.append("run")))

    world.clock.advance(-1000 * DAY_MS)
    scheduler.tick()

    assert record(scheduler).next_run_ms == NOON + 15 * HOUR_MS


def test_status_says_what_a_job_is_and_when_it_runs(world: World) -> None:
    scheduler = world.scheduler(job(print, when="30 4 * * sun"))

    status = scheduler.status()

    assert (status.zone, status.daemon_runs) == ("UTC", True)
    (only,) = status.jobs
    assert (only.name, only.about, only.schedule, only.in_words) == (
        "roll",
        "does roll",
        "30 4 * * sun",
        "every Sunday at 04:30",
    )


class WalkingClock(FakeClock):
    """A clock that moves when it is looked at."""

    def now_ms(self) -> Millis:
        """Return the time, a little later than the last time."""
        self.advance(400)
        return super().now_ms()


def test_by_itself_the_scheduler_begins_what_is_due_again_and_again(world: World) -> None:
    runs = threading.Semaphore(0)
    world.clock = WalkingClock(NOON)
    often = JobSpec(name="often", about="", when=Every(500), run=runs.release)
    scheduler = world.scheduler(often)

    scheduler.start()
    for _ in range(3):
        assert runs.acquire(timeout=WAIT_S)
    scheduler.stop()

    assert record(scheduler, "often").failures == 0
    assert not any(thread.name == "agentx-scheduler" for thread in threading.enumerate())


def test_a_look_that_goes_wrong_is_followed_by_the_next(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    class BrokenOnce(WalkingClock):
        is_broken = False

        def now_ms(self) -> Millis:
            if self.is_broken:
                self.is_broken = False
                raise OSError("what time is it?")
            return super().now_ms()

    runs = threading.Semaphore(0)
    clock = BrokenOnce(NOON)
    world.clock = clock
    scheduler = world.scheduler(JobSpec(name="often", about="", when=Every(500), run=runs.release))
    clock.is_broken = True

    scheduler.start()

    assert runs.acquire(timeout=WAIT_S)
    assert "what time is it?" in caplog.text
