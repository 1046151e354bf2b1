"""The scheduler's values as protobuf messages, and back.

Whoever reads a status over gRPC is served by a daemon, so that is not sent.
"""

from __future__ import annotations

from agentx.daemon.scheduler import (
    JobRecord,
    JobRun,
    JobState,
    JobStatus,
    RunResult,
    SchedulerStatus,
)
from agentx.kernel.clock import Millis
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.messages import whole


def job_message(job: JobStatus) -> pb2.ScheduledJob:
    """Write a job."""
    record = job.record
    return pb2.ScheduledJob(
        name=job.name,
        about=job.about,
        schedule=job.schedule,
        schedule_in_words=job.in_words,
        state=record.state,
        result=record.result,
        next_run_ms=record.next_run_ms,
        last_started_ms=record.last_started_ms,
        last_finished_ms=record.last_finished_ms,
        duration_ms=record.duration_ms,
        error=whole(record.error),
        said=whole(record.said),
        runs=record.runs,
        failures=record.failures,
        skipped=record.skipped,
    )


def job_value(message: pb2.ScheduledJob) -> JobStatus:
    """Read a job."""
    return JobStatus(
        name=message.name,
        about=message.about,
        schedule=message.schedule,
        in_words=message.schedule_in_words,
        record=JobRecord(
            name=message.name,
            state=JobState(message.state),
            result=RunResult(message.result),
            next_run_ms=_moment(message, "next_run_ms"),
            last_started_ms=_moment(message, "last_started_ms"),
            last_finished_ms=_moment(message, "last_finished_ms"),
            duration_ms=_moment(message, "duration_ms"),
            error=message.error,
            said=message.said,
            runs=message.runs,
            failures=message.failures,
            skipped=message.skipped,
        ),
    )


def scheduler_status_message(status: SchedulerStatus) -> pb2.GetSchedulerStatusResponse:
    """Write how the jobs stand."""
    return pb2.GetSchedulerStatusResponse(
        jobs=[job_message(job) for job in status.jobs], zone=status.zone
    )


def scheduler_status_value(message: pb2.GetSchedulerStatusResponse) -> SchedulerStatus:
    """Read how the jobs stand."""
    return SchedulerStatus(
        jobs=tuple(job_value(job) for job in message.jobs), zone=message.zone, daemon_runs=True
    )


def run_message(run: JobRun) -> pb2.RunJobResponse:
    """Write a run."""
    return pb2.RunJobResponse(
        name=run.name,
        result=run.result,
        started_ms=run.started_ms,
        duration_ms=run.duration_ms,
        error=whole(run.error),
        said=whole(run.said),
    )


def run_value(message: pb2.RunJobResponse) -> JobRun:
    """Read a run."""
    return JobRun(
        name=message.name,
        result=RunResult(message.result),
        started_ms=_moment(message, "started_ms"),
        duration_ms=message.duration_ms,
        error=message.error,
        said=message.said,
    )


def _moment(message: pb2.ScheduledJob | pb2.RunJobResponse, field: str) -> Millis | None:
    return Millis(getattr(message, field)) if message.HasField(field) else None
