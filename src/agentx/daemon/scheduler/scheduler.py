"""The scheduler: begins what is due, each run in a thread of its own, and knows how it went.

Law: a job never runs twice at once, and a job that fails harms nobody. What is due
is decided by the pure steps of `life`; here are only the clock, the threads and the
disk. The registry is written before a run begins and after it ended, so a process
that dies in between leaves word of it.

    scheduler.tick()     begin what is due now; `start` does so again and again
    scheduler.stop()     begin nothing more and let what runs finish, for a bounded time
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import tzinfo
from threading import Condition, Event, Lock, Thread

from agentx.daemon.limits import JOBS_RUNNING_MAX, SCHEDULER_LOOK_EVERY_MS, SCHEDULER_STOP_WAIT_MS
from agentx.daemon.scheduler import life
from agentx.daemon.scheduler.life import CLOCK_SET_BACK_MS_MAX, Calendar
from agentx.daemon.scheduler.model import (
    JobRecord,
    JobRun,
    JobSpec,
    JobStatus,
    RunResult,
    SchedulerStatus,
)
from agentx.daemon.scheduler.performance import perform
from agentx.daemon.scheduler.registry import Registry
from agentx.daemon.scheduler.spoken import in_words
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import AgentXError, NotFound, UnavailableError
from agentx.kernel.ids import Entropy

_log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class _Run:
    """A run that is going on."""

    spec: JobSpec
    started_ms: Millis
    over: Event = field(default_factory=Event)
    outcome: JobRun | None = None


class Scheduler:
    """The jobs of one store. Safe to use from many threads."""

    def __init__(
        self,
        specs: Iterable[JobSpec],
        registry: Registry,
        *,
        clock: Clock,
        zone: tzinfo,
        entropy: Entropy,
    ) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._registry = registry
        self._clock = clock
        self._calendar = Calendar(zone=zone, entropy=entropy)
        self._changed = Condition()  # guards everything below
        self._saving = Lock()  # keeps what is written to disk in order
        self._running: dict[str, _Run] = {}
        self._is_stopping = False
        self._keeper: Thread | None = None
        self._seen_ms = clock.now_ms()
        known = self._read_records()
        self._records = {
            name: life.take_up(spec, known.get(name), self._calendar, self._seen_ms)
            for name, spec in self._specs.items()
        }
        self._save_or_say()

    def start(self) -> None:
        """Let jobs begin by themselves."""
        self._keeper = Thread(target=self._keep_time, name="agentx-scheduler", daemon=True)
        self._keeper.start()

    def stop(self, *, wait_ms: int = SCHEDULER_STOP_WAIT_MS) -> tuple[str, ...]:
        """Begin no job any more and return when those that run are done; name those that are not.

        What is not done by then is left alone, and counts as interrupted.
        """
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
        deadline = time.monotonic() + wait_ms / 1000
        if self._keeper is not None:
            self._keeper.join()
        with self._changed:
            runs = tuple(self._running.values())
        for run in runs:
            run.over.wait(max(0, deadline - time.monotonic()))
        with self._changed:
            left = dict(self._running)
            self._running.clear()
        for name, run in left.items():
            _log.warning("%s did not end in time; it counts as interrupted", name)
            run.outcome = JobRun(name=name, result=RunResult.INTERRUPTED, started_ms=run.started_ms)
            run.over.set()
        return tuple(left)

    def tick(self) -> None:
        """Begin what is due now."""
        now_ms = self._clock.now_ms()
        begun: list[_Run] = []
        with self._changed:
            if self._is_stopping:
                return
            before = dict(self._records)
            if now_ms < self._seen_ms - CLOCK_SET_BACK_MS_MAX:
                self._step_all(now_ms)
            self._seen_ms = now_ms
            due = [name for name, record in self._records.items() if life.is_due(record, now_ms)]
            for name in sorted(due, key=lambda name: self._records[name].next_run_ms or 0):
                if name in self._running:
                    self._step(name, life.pass_over, now_ms)
                elif len(self._running) < JOBS_RUNNING_MAX:
                    begun.append(self._begin(name, now_ms))
            is_changed = self._records != before
        if is_changed:
            self._save_or_say()
        for run in begun:
            self._go(run)

    def status(self) -> SchedulerStatus:
        """Say how every job stands."""
        with self._changed:
            records = dict(self._records)
        return status_of(self._specs.values(), records, self._calendar.zone, daemon_runs=True)

    def pause(self, name: str) -> JobStatus:
        """Let a job run no more by itself; a run that is going on ends as it would.

        Raises: NotFound; UnavailableError when it cannot be written down.
        """
        spec = spec_named(self._specs, name)
        with self._changed:
            self._records[name] = life.pause(self._records[name])
        self._save()
        return self._status_of(spec)

    def resume(self, name: str) -> JobStatus:
        """Let a job run by itself again.

        Raises: NotFound; UnavailableError when it cannot be written down.
        """
        spec = spec_named(self._specs, name)
        with self._changed:
            self._step(name, life.resume, self._clock.now_ms())
        self._save()
        return self._status_of(spec)

    def run_now(self, name: str) -> JobRun:
        """Run a job, paused or not, and return when it is done; one that runs already is skipped.

        Raises: NotFound, UnavailableError when the scheduler is stopping.
        """
        spec_named(self._specs, name)
        now_ms = self._clock.now_ms()
        run: _Run | None = None
        with self._changed:
            if self._is_stopping:
                raise UnavailableError(f"{name}: the scheduler is stopping", hint="try again later")
            if name in self._running:
                self._step(name, life.pass_over, now_ms)
            else:
                run = self._begin(name, now_ms)
        self._save_or_say()
        if run is None:
            return JobRun(name=name, result=RunResult.SKIPPED)
        self._go(run)
        run.over.wait()
        assert run.outcome is not None, "a run that is over has an outcome"
        return run.outcome

    @property
    def is_busy(self) -> bool:
        """Tell whether a job runs."""
        with self._changed:
            return bool(self._running)

    # --- time -------------------------------------------------------------------------------

    def _keep_time(self) -> None:
        while True:
            rest_ms = SCHEDULER_LOOK_EVERY_MS
            try:
                self.tick()
                rest_ms = self._rest_ms()
            except Exception:  # noqa: BLE001  one of the three places: whatever is wrong, the next look comes
                _log.exception("the scheduler could not look at its jobs; it tries again")
            with self._changed:
                if self._changed.wait_for(lambda: self._is_stopping, rest_ms / 1000):
                    return

    def _rest_ms(self) -> int:
        """Return how long nothing is due, at most until the next look."""
        with self._changed:
            if len(self._running) >= JOBS_RUNNING_MAX:
                return SCHEDULER_LOOK_EVERY_MS
            waiting = [record.next_run_ms for record in self._records.values()]
        now_ms = self._clock.now_ms()
        rests = [at_ms - now_ms for at_ms in waiting if at_ms is not None]
        return min(max(min(rests, default=SCHEDULER_LOOK_EVERY_MS), 1), SCHEDULER_LOOK_EVERY_MS)

    # --- steps; the caller holds the condition ----------------------------------------------

    def _step(
        self,
        name: str,
        step: Callable[[JobSpec, JobRecord, Calendar, Millis], JobRecord],
        now_ms: Millis,
    ) -> None:
        self._records[name] = step(self._specs[name], self._records[name], self._calendar, now_ms)

    def _step_all(self, now_ms: Millis) -> None:
        for name in self._specs:
            self._step(name, life.correct_plan, now_ms)

    def _begin(self, name: str, now_ms: Millis) -> _Run:
        self._step(name, life.begin_run, now_ms)
        run = _Run(spec=self._specs[name], started_ms=now_ms)
        self._running[name] = run
        return run

    # --- runs -------------------------------------------------------------------------------

    def _go(self, run: _Run) -> None:
        # A daemon thread: a job that does not end must not keep the process from ending.
        Thread(
            target=self._work, args=(run,), name=f"agentx-job-{run.spec.name}", daemon=True
        ).start()

    def _work(self, run: _Run) -> None:
        name = run.spec.name
        done = perform(run.spec)
        now_ms = self._clock.now_ms()
        with self._changed:
            if self._running.get(name) is not run:
                return  # given up by `stop`: the next process says that it was interrupted
            record = life.end_run(self._records[name], now_ms, error=done.error, said=done.said)
            self._records[name] = record
        # A run is over when that is on disk; until then another of the same job is skipped.
        self._save_or_say()
        with self._changed:
            self._running.pop(name, None)
            run.outcome = run_of(record)
            run.over.set()

    # --- disk -------------------------------------------------------------------------------

    def _read_records(self) -> dict[str, JobRecord]:
        try:
            return self._registry.read()
        except AgentXError as error:
            _log.warning("the scheduler's records could not be read: %s", error.message)
            return {}

    def _save(self) -> None:
        with self._saving:
            with self._changed:
                records = tuple(self._records.values())
            self._registry.write(records)

    def _save_or_say(self) -> None:
        """Save; a disk that refuses must not keep jobs from running."""
        try:
            self._save()
        except AgentXError as error:
            _log.warning("the scheduler's records could not be written: %s", error.message)

    def _status_of(self, spec: JobSpec) -> JobStatus:
        with self._changed:
            return job_status(spec, self._records[spec.name])


def spec_named(specs: dict[str, JobSpec], name: str) -> JobSpec:
    """Return a job by its name.

    Raises: NotFound.
    """
    if name not in specs:
        known = ", ".join(specs) or "none"
        raise NotFound(f"{name[:60]!r} is not a job", hint=f"the jobs are: {known}")
    return specs[name]


def status_of(
    specs: Iterable[JobSpec],
    records: dict[str, JobRecord],
    zone: tzinfo,
    *,
    daemon_runs: bool,
) -> SchedulerStatus:
    """Put jobs and records together."""
    return SchedulerStatus(
        jobs=tuple(job_status(spec, records[spec.name]) for spec in specs),
        zone=str(zone),
        daemon_runs=daemon_runs,
    )


def job_status(spec: JobSpec, record: JobRecord) -> JobStatus:
    """Put a job and its record together."""
    return JobStatus(
        name=spec.name,
        about=spec.about,
        schedule=spec.when.text,
        in_words=in_words(spec.when),
        record=record,
    )


def run_of(record: JobRecord) -> JobRun:
    """Return the last run of a record."""
    return JobRun(
        name=record.name,
        result=record.result,
        started_ms=record.last_started_ms,
        duration_ms=record.duration_ms or 0,
        error=record.error,
        said=record.said,
    )
