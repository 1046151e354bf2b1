"""The daemon itself on the other side of a connection: its jobs, and its end."""

from __future__ import annotations

from agentx.daemon.scheduler.door import SchedulerDoor
from agentx.daemon.scheduler.model import JobRun, JobStatus, SchedulerStatus
from agentx.daemon.servers import Host
from agentx.memory.limits import RPC_LONG_WAIT_MS
from agentx.memory.wire.calls import Call
from agentx.memory.wire.codec import Exemption
from agentx.memory.wire.connection import Connection

_STOP_WAIT_MS = 2_000

_EXEMPTIONS = (
    Exemption(JobStatus, "in_words", "the message says of what", "schedule_in_words"),
    Exemption(SchedulerStatus, "daemon_runs", "only a daemon sends it", read=lambda _message: True),
)

STATUS = Call("GetSchedulerStatus", SchedulerDoor.status, exemptions=_EXEMPTIONS)
PAUSE = Call("PauseJob", SchedulerDoor.pause, part="job", exemptions=_EXEMPTIONS)
RESUME = Call("ResumeJob", SchedulerDoor.resume, part="job", exemptions=_EXEMPTIONS)
RUN = Call("RunJob", SchedulerDoor.run_now, wait_ms=RPC_LONG_WAIT_MS, exemptions=_EXEMPTIONS)
SCHEDULER_CALLS = (STATUS, PAUSE, RESUME, RUN)

STOP = Call("Stop", Host.stop, part="pid", wait_ms=_STOP_WAIT_MS)


class RemoteScheduler:
    """The scheduler of a daemon."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def status(self) -> SchedulerStatus:
        """Say how every job of the daemon stands."""
        return self._connection.ask(STATUS)

    def pause(self, name: str) -> JobStatus:
        """Let a job run no more by itself."""
        return self._connection.ask(PAUSE, name)

    def resume(self, name: str) -> JobStatus:
        """Let a job run by itself again."""
        return self._connection.ask(RESUME, name)

    def run_now(self, name: str) -> JobRun:
        """Run a job in the daemon and return when it is done; one that runs already is skipped."""
        return self._connection.ask(RUN, name)
