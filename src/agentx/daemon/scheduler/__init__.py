"""What the house does by itself, and when: jobs on a schedule, and how each of them went."""

from agentx.daemon.scheduler.cron import Cron, parse_cron
from agentx.daemon.scheduler.door import LocalScheduler, SchedulerDoor
from agentx.daemon.scheduler.model import (
    Every,
    JobRecord,
    JobRun,
    JobSpec,
    JobState,
    JobStatus,
    RunResult,
    SchedulerStatus,
)
from agentx.daemon.scheduler.registry import Registry
from agentx.daemon.scheduler.scheduler import Scheduler

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
