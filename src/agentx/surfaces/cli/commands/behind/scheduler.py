"""`agentx scheduler`: what the daemon does by itself, and how it went."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from agentx.daemon.door import open_scheduler
from agentx.daemon.scheduler.model import (
    JobRecord,
    JobRun,
    JobState,
    JobStatus,
    RunResult,
    SchedulerStatus,
)
from agentx.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, age
from agentx.kernel.errors import ConflictError, UnavailableError
from agentx.operations.upkeep.people import require_person_to_pause
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, VerbGroup

_ERROR_CHARS_MAX = 300
_STYLES = {
    RunResult.OK: "green",
    RunResult.FAILED: "red",
    RunResult.INTERRUPTED: "yellow",
    RunResult.RUNNING: "cyan",
}


@click.group(cls=VerbGroup)
def command() -> None:
    """Show, pause, resume and run the jobs that the daemon does by itself.

    Without a daemon nothing runs by itself: `run` then runs a job here and now.
    """


@command.command("status")
@click.pass_obj
def status(invocation: Invocation) -> None:
    """Show every job: when it ran, what came of it, when it runs next."""
    with open_scheduler(invocation.project) as scheduler:
        found = scheduler.status()
    now_ms = invocation.project.clock.now_ms()
    invocation.show(
        {
            "daemon_runs": found.daemon_runs,
            "zone": found.zone,
            "jobs": [_tell(job) for job in found.jobs],
        },
        lambda screen: _draw(screen, found, now_ms),
    )


@command.command("pause")
@click.argument("name", metavar="JOB")
@click.pass_obj
def pause(invocation: Invocation, name: str) -> None:
    """Let a job run no more by itself, also after a restart."""
    require_person_to_pause(invocation.project, name)
    with open_scheduler(invocation.project) as scheduler:
        job = scheduler.pause(name)
    invocation.show(_tell(job), lambda screen: screen.print(f"{job.name} is paused"))


@command.command("resume")
@click.argument("name", metavar="JOB")
@click.pass_obj
def resume(invocation: Invocation, name: str) -> None:
    """Let a job run by itself again."""
    with open_scheduler(invocation.project) as scheduler:
        job = scheduler.resume(name)
    next_run = invocation.dates.say(job.record.next_run_ms)
    invocation.show(
        _tell(job), lambda screen: screen.print(f"{job.name} is active, next {next_run}")
    )


@command.command("run")
@click.argument("name", metavar="JOB")
@click.pass_obj
def run(invocation: Invocation, name: str) -> None:
    """Run a job now, paused or not, and return when it is done."""
    with open_scheduler(invocation.project) as scheduler:
        done = scheduler.run_now(name)
    match done.result:
        case RunResult.OK:
            invocation.show(done, lambda screen: _draw_run(screen, done))
        case RunResult.SKIPPED:
            raise ConflictError(
                f"{name} was not run: it, or another that was asked for, runs already",
                hint="`agentx scheduler status` shows it",
            )
        case _:
            raise UnavailableError(
                f"{name} {done.result}: {done.error or 'the daemon stops'}",
                hint="`agentx daemon status` shows whether one runs; its log has the whole story",
            )


def _tell(job: JobStatus) -> dict[str, Any]:
    record = {field.name: getattr(job.record, field.name) for field in fields(JobRecord)}
    del record["planned_by"]
    return {
        **record,
        "about": job.about,
        "schedule": job.schedule,
        "schedule_in_words": job.in_words,
    }


def _draw(screen: Console, found: SchedulerStatus, now_ms: int) -> None:
    table = render.table("JOB", "SCHEDULE", "LAST", "RESULT", ">TOOK", "NEXT", ">ERRORS")
    for job in found.jobs:
        record = job.record
        last_ms = record.last_started_ms
        table.add_row(
            job.name,
            job.in_words,
            "-" if last_ms is None else age(last_ms, now_ms=now_ms),
            Text(record.result, style=_STYLES.get(record.result, "")),
            "-" if record.duration_ms is None else _took(record.duration_ms),
            _next(record, now_ms),
            f"{record.failures:,}",
        )
    screen.print(table)
    screen.print()
    for job in found.jobs:
        _draw_about(screen, job)
    screen.print(f"\ntimes of schedules are in {found.zone}", style="dim")
    if not found.daemon_runs:
        screen.print(
            "hint: no daemon runs, so no job begins by itself: `agentx daemon start`", style="dim"
        )


def _draw_about(screen: Console, job: JobStatus) -> None:
    screen.print(Text(f"{job.name}: {job.about}"), style="dim", soft_wrap=True)
    if job.record.error:
        error = render.line(job.record.error, _ERROR_CHARS_MAX)
        screen.print(Text("  last run: ").append(error), style="red", soft_wrap=True)
    if job.record.skipped:
        times = render.count(job.record.skipped, "time")
        screen.print(f"  skipped {times}, because it was still running", style="yellow")


def _draw_run(screen: Console, done: JobRun) -> None:
    said = f": {done.said}" if done.said else ""
    screen.print(Text(f"{done.name} done in {_took(done.duration_ms)}{said}"), soft_wrap=True)


def _next(record: JobRecord, now_ms: int) -> str:
    if record.state is JobState.PAUSED or record.next_run_ms is None:
        return "paused"
    wait_ms = record.next_run_ms - now_ms
    for unit_ms, name in ((DAY_MS, "d"), (HOUR_MS, "h"), (MINUTE_MS, "min")):
        if wait_ms >= unit_ms:
            return f"in {wait_ms // unit_ms} {name}"
    return "at once" if wait_ms <= 0 else "in a minute"


def _took(duration_ms: int) -> str:
    if duration_ms < 1_000:
        return f"{duration_ms} ms"
    if duration_ms < 60_000:
        return f"{duration_ms / 1000:.1f} s"
    return f"{duration_ms // 60_000} min {duration_ms // 1000 % 60} s"
