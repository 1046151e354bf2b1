"""What a driver has done in threads of its own, one a task, while it goes on looking."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, Queue

from agentx.kernel.errors import AgentXError, ConflictError
from agentx.kernel.text import printable

LOOK_S = 1.0  # how often a driver looks whether a person answered
_JOIN_S = 30.0


@dataclass(slots=True)
class DriveJobs:
    """What runs, by task; what is of no task is of the whole."""

    done: Queue[tuple[str, AgentXError | None]] = field(default_factory=Queue)
    running: dict[str, threading.Thread] = field(default_factory=dict)

    def begin(self, task: str, work: Callable[[], None]) -> None:
        """Do some work for a task."""

        def run() -> None:
            error: AgentXError | None = None
            try:
                work()
            except AgentXError as caught:
                error = caught
            except OSError as caught:
                error = ConflictError(f"{task}: {caught}")
            finally:
                # A fault of ours is told like all that is in the way: else it would be done again.
                fault = sys.exception()
                if fault is not None:
                    said = printable(f"{type(fault).__name__}: {fault}")
                    error = ConflictError(said, hint="that is a fault of AgentX: please report it")
                self.done.put((task, error))

        thread = threading.Thread(target=run, name=f"drive {task}", daemon=True)
        self.running[task] = thread
        thread.start()

    def wait(self) -> tuple[str, AgentXError | None] | None:
        """Return what ended next; None where nothing does for a moment."""
        try:
            task, error = self.done.get(timeout=LOOK_S)
        except Empty:
            return None
        self.running.pop(task, None)
        return task, error

    def join(self) -> None:
        """Wait for all of it, a while."""
        until = time.monotonic() + _JOIN_S
        for thread in self.running.values():
            thread.join(max(until - time.monotonic(), 0))
