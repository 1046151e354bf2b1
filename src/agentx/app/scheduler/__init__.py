"""What the house does by itself, and when: jobs on a schedule, and how each of them went."""

from agentx.app.scheduler.cron import Cron, parse_cron
from agentx.app.scheduler.door import LocalScheduler, SchedulerDoor
from agentx.app.scheduler.model import (
    Every,
    JobRecord,
    JobRun,
    JobSpec,
    JobState,
    JobStatus,
    RunResult,
    SchedulerStatus,
)
from agentx.app.scheduler.registry import Registry
from agentx.app.scheduler.scheduler import Scheduler

__all__ = [
    "Scheduler",
    "LocalScheduler",
    "SchedulerDoor",
    "Registry",
    "JobSpec",
    "Cron",
    "Every",
    "parse_cron",
    "JobRecord",
    "JobRun",
    "JobState",
    "JobStatus",
    "RunResult",
    "SchedulerStatus",
]
