"""The words of the scheduler: what a job is, what is known of it, what a run of it gave."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from agentx.daemon.scheduler.cron import Cron
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_NAME = compile_late(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@frozen(kw_only=False)
class Every:
    """A schedule by duration: that long after the run before."""

    ms: int

    def __post_init__(self) -> None:
        if self.ms < 1:
            raise InvalidValue(f"every {self.ms} ms cannot be", hint="use 1 or more")

    @property
    def text(self) -> str:
        """The schedule as it is written down."""
        return f"every {self.ms} ms"


Schedule = Cron | Every


class JobState(StrEnum):
    """Whether a job runs by itself."""

    ACTIVE = "active"
    PAUSED = "paused"


class RunResult(StrEnum):
    """What became of a run."""

    NEVER = "never"  # there was none
    RUNNING = "running"
    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"  # asked for while the one before was still going on
    INTERRUPTED = "interrupted"  # its process ended first


@frozen
class JobSpec:
    """Something that the house does by itself.

    `run` may return a sentence that says what it did. A run starts up to `jitter_ms` late, so
    that many machines, or many projects of one, do not all work in the same second.
    """

    name: str
    about: str
    when: Schedule
    run: Callable[[], object]
    jitter_ms: int = 0

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InvalidValue(f"{self.name!r} is no name of a job", hint="use words like day-roll")


@frozen
class JobRecord:
    """What is known of a job; it is kept on disk."""

    name: str
    state: JobState = JobState.ACTIVE
    result: RunResult = RunResult.NEVER  # of the last run
    last_started_ms: Millis | None = None
    last_finished_ms: Millis | None = None
    duration_ms: int | None = None
    error: str = ""  # of the last run
    said: str = ""  # what the last run did, in its own words
    runs: int = 0
    failures: int = 0
    skipped: int = 0
    next_run_ms: Millis | None = None  # None while paused
    planned_by: str = ""  # the schedule and zone that gave `next_run_ms`


@frozen
class JobStatus:
    """A job and what is known of it."""

    name: str
    about: str
    schedule: str
    in_words: str
    record: JobRecord


@frozen
class SchedulerStatus:
    """All jobs, and whether something runs them."""

    jobs: tuple[JobStatus, ...]
    zone: str
    daemon_runs: bool


@frozen
class JobRun:
    """One run that was asked for."""

    name: str
    result: RunResult
    started_ms: Millis | None = None
    duration_ms: int = 0
    error: str = ""
    said: str = ""
