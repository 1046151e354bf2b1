"""The way to the jobs of a store, with a daemon and without one.

With a daemon, its scheduler answers. Without one nothing runs by itself; then the
registry on disk is read and edited here, and a job that is asked for runs in this
process. Both are a `SchedulerDoor`, so no command knows which it has.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo
from typing import Protocol

from agentx.daemon.scheduler import life
from agentx.daemon.scheduler.life import Calendar
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
from agentx.daemon.scheduler.scheduler import job_status, run_of, spec_named, status_of
from agentx.host.files.atomic import make_private_directory
from agentx.host.locks.flock import Flock
from agentx.kernel.clock import Clock
from agentx.kernel.ids import Entropy
from agentx.kernel.paths import StorePaths


class SchedulerDoor(Protocol):
    """Everything the verbs ask of the scheduler."""

    def status(self) -> SchedulerStatus:
        """Say how every job stands."""
        ...

    def pause(self, name: str) -> JobStatus:
        """Let a job run no more by itself.

        Raises: NotFound.
        """
        ...

    def resume(self, name: str) -> JobStatus:
        """Let a job run by itself again.

        Raises: NotFound.
        """
        ...

    def run_now(self, name: str) -> JobRun:
        """Run a job now and return when it is done; one that runs already is skipped.

        Raises: NotFound.
        """
        ...


class LocalScheduler:
    """The jobs of a store that no daemon serves."""

    def __init__(
        self,
        specs: Iterable[JobSpec],
        store: StorePaths,
        *,
        clock: Clock,
        zone: tzinfo,
        entropy: Entropy,
    ) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._store = store
        self._registry = Registry(store.scheduler, clock)
        self._clock = clock
        self._calendar = Calendar(zone=zone, entropy=entropy)

    def status(self) -> SchedulerStatus:
        """Say how every job stands; what the disk says of a run that nobody is at is no run."""
        found = self._registry.read()
        records = {
            name: self._understand(spec, found.get(name)) for name, spec in self._specs.items()
        }
        return status_of(self._specs.values(), records, self._calendar.zone, daemon_runs=False)

    def pause(self, name: str) -> JobStatus:
        """Let a job run no more by itself."""
        spec = spec_named(self._specs, name)
        record = self._registry.change(name, lambda found: life.pause(self._take_up(spec, found)))
        return job_status(spec, record)

    def resume(self, name: str) -> JobStatus:
        """Let a job run by itself again, once there is a daemon."""
        spec = spec_named(self._specs, name)
        now_ms = self._clock.now_ms()
        record = self._registry.change(
            name,
            lambda found: life.resume(spec, self._take_up(spec, found), self._calendar, now_ms),
        )
        return job_status(spec, record)

    def run_now(self, name: str) -> JobRun:
        """Run a job in this process; skip it while another command runs one."""
        spec = spec_named(self._specs, name)
        make_private_directory(self._store.root)
        held = Flock.claim(self._store.scheduler_lock)
        if held is None:
            return JobRun(name=name, result=RunResult.SKIPPED)
        with held:
            now_ms = self._clock.now_ms()
            self._registry.change(
                name,
                lambda found: life.begin_run(
                    spec, self._take_up(spec, found), self._calendar, now_ms
                ),
            )
            done = perform(spec)
            record = self._registry.change(
                name,
                lambda found: life.end_run(
                    found or JobRecord(name=name, last_started_ms=now_ms),
                    self._clock.now_ms(),
                    error=done.error,
                    said=done.said,
                ),
            )
            return run_of(record)

    def _take_up(self, spec: JobSpec, found: JobRecord | None) -> JobRecord:
        return life.take_up(spec, found, self._calendar, self._clock.now_ms())

    def _understand(self, spec: JobSpec, found: JobRecord | None) -> JobRecord:
        """Return a record as it is to be understood: another command may be running the job."""
        if found is not None and found.result is RunResult.RUNNING:
            held = Flock.claim(self._store.scheduler_lock)
            if held is None:
                return found
            held.release()
        return self._take_up(spec, found)
