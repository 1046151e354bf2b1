"""The life of a job, as pure steps from one record to the next.

    planned --> due --> running --> ok | failed --> planned
       |  ^                +-> interrupted (its process ended) --> planned
       v  | resumed
      paused                    due while running: skipped, planned anew

However many runs were missed, a job is due once: what they would have done, one run
does. A clock that is set back by less than an hour runs nothing twice; one that is
set back further was wrong, and what it made us plan is planned anew.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import tzinfo

from agentx.daemon.limits import JOB_ERROR_CHARS_MAX
from agentx.daemon.scheduler.cron import Cron
from agentx.daemon.scheduler.model import JobRecord, JobSpec, JobState, RunResult
from agentx.kernel.clock import HOUR_MS, Millis
from agentx.kernel.ids import Entropy
from agentx.kernel.text import cut
from agentx.kernel.values import frozen

CLOCK_SET_BACK_MS_MAX = HOUR_MS


@frozen
class Calendar:
    """What a plan depends on beside the job: where, and how late by chance."""

    zone: tzinfo
    entropy: Entropy

    def next_run(self, spec: JobSpec, after_ms: int) -> Millis:
        """Return when a job runs next, later than `after_ms`."""
        late_ms = int.from_bytes(self.entropy(8)) % (spec.jitter_ms + 1)
        return Millis(self._moment(spec, after_ms) + late_ms)

    def latest_next_run(self, spec: JobSpec, now_ms: int) -> Millis:
        """Return the latest moment that can have been planned by now."""
        return Millis(self._moment(spec, now_ms) + spec.jitter_ms)

    def name_of(self, spec: JobSpec) -> str:
        """Return what the plan of a job depends on, as text."""
        return f"{spec.when.text} ({self.zone})"

    def _moment(self, spec: JobSpec, after_ms: int) -> int:
        if isinstance(spec.when, Cron):
            return spec.when.next_after(after_ms, self.zone)
        return after_ms + spec.when.ms


def is_due(record: JobRecord, now_ms: int) -> bool:
    """Tell whether a job has to run now."""
    return record.next_run_ms is not None and record.next_run_ms <= now_ms


def take_up(
    spec: JobSpec, found: JobRecord | None, calendar: Calendar, now_ms: Millis
) -> JobRecord:
    """Return the record with which a new process goes on where another ended.

    A run that was missed meanwhile is due at once. A plan that another schedule or zone made, or
    a clock that was wrong, is made anew.
    """
    record = found or JobRecord(name=spec.name)
    if record.result is RunResult.RUNNING:
        record = replace(
            record,
            result=RunResult.INTERRUPTED,
            error="the process ended while it ran",
            failures=record.failures + 1,
        )
    if record.state is JobState.PAUSED:
        return replace(record, next_run_ms=None)
    return correct_plan(spec, record, calendar, now_ms)


def correct_plan(spec: JobSpec, record: JobRecord, calendar: Calendar, now_ms: Millis) -> JobRecord:
    """Keep a plan that can be true; replace one that cannot."""
    if record.state is JobState.PAUSED:
        return record
    is_kept = (
        record.next_run_ms is not None
        and record.planned_by == calendar.name_of(spec)
        and record.next_run_ms <= calendar.latest_next_run(spec, _base_ms(record, now_ms))
    )
    return record if is_kept else _plan(spec, record, calendar, now_ms)


def begin_run(spec: JobSpec, record: JobRecord, calendar: Calendar, now_ms: Millis) -> JobRecord:
    """Note that a run begins; one that was due is planned anew, one that was asked for is not."""
    record = replace(
        record,
        result=RunResult.RUNNING,
        last_started_ms=now_ms,
        last_finished_ms=None,
        duration_ms=None,
        error="",
        said="",
        runs=record.runs + 1,
    )
    return _plan(spec, record, calendar, now_ms) if is_due(record, now_ms) else record


def end_run(record: JobRecord, now_ms: Millis, *, error: str = "", said: str = "") -> JobRecord:
    """Note that a run is over; with an error, that it failed."""
    started_ms = record.last_started_ms if record.last_started_ms is not None else now_ms
    return replace(
        record,
        result=RunResult.FAILED if error else RunResult.OK,
        last_finished_ms=now_ms,
        duration_ms=max(0, now_ms - started_ms),
        error=cut(error, JOB_ERROR_CHARS_MAX),
        said=cut(said, JOB_ERROR_CHARS_MAX),
        failures=record.failures + (1 if error else 0),
    )


def pass_over(spec: JobSpec, record: JobRecord, calendar: Calendar, now_ms: Millis) -> JobRecord:
    """Note that a run was skipped because the one before still goes on."""
    record = replace(record, skipped=record.skipped + 1)
    return _plan(spec, record, calendar, now_ms) if is_due(record, now_ms) else record


def pause(record: JobRecord) -> JobRecord:
    """Let a job run no more by itself."""
    return replace(record, state=JobState.PAUSED, next_run_ms=None)


def resume(spec: JobSpec, record: JobRecord, calendar: Calendar, now_ms: Millis) -> JobRecord:
    """Let a job run by itself again, from now on; what was missed stays missed."""
    if record.state is JobState.ACTIVE:
        return record
    return _plan(spec, replace(record, state=JobState.ACTIVE), calendar, now_ms)


def _plan(spec: JobSpec, record: JobRecord, calendar: Calendar, now_ms: Millis) -> JobRecord:
    return replace(
        record,
        next_run_ms=calendar.next_run(spec, _base_ms(record, now_ms)),
        planned_by=calendar.name_of(spec),
    )


def _base_ms(record: JobRecord, now_ms: Millis) -> Millis:
    """Return the moment after which a run is due next: now, or the last run if that is later."""
    last_ms = record.last_started_ms
    if last_ms is not None and now_ms < last_ms <= now_ms + CLOCK_SET_BACK_MS_MAX:
        return last_ms
    return now_ms
