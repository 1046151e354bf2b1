"""Work that a daemon does by itself, again and again, each job in a thread of its own.

A job that fails is logged and tried again, later and later while it keeps
failing. No job runs twice at once, and after `stop` none runs.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Thread

from agentx.daemon.limits import JOB_RETRY_MS_MAX

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Something to do, and the pause after it was done."""

    name: str
    every_ms: int
    run: Callable[[], object]


class Jobs:
    """Runs jobs from `start` to `stop`."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._stopping = Event()
        self._threads = [
            Thread(target=self._repeat, args=(job,), name=f"agentx-{job.name}", daemon=True)
            for job in jobs
        ]

    def start(self) -> None:
        """Let every job begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Begin no job any more, and return when those that run are done."""
        self._stopping.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _repeat(self, job: Job) -> None:
        pause_ms = job.every_ms
        while not self._stopping.wait(pause_ms / 1000):
            try:
                job.run()
                pause_ms = job.every_ms
            except Exception:  # noqa: BLE001  one of the three places: a job may fail and is tried again
                pause_ms = min(max(pause_ms, 1) * 2, max(JOB_RETRY_MS_MAX, job.every_ms))
                _log.exception("%s failed; tried again in %d ms", job.name, pause_ms)
