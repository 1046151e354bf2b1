"""A process that keeps observations, for the fault tests to kill.

    python -m tests.fault.observation_child capture FOLDER NAME TIMES
    python -m tests.fault.observation_child settle FOLDER POINT
    python -m tests.fault.observation_child compact FOLDER POINT
    python -m tests.fault.observation_child forget FOLDER POINT ID
    python -m tests.fault.observation_child observe PROJECT POINT

`capture` keeps TIMES batches of three and prints the ids once they are acknowledged, settling
now and then. The others kill themselves the first time they pass POINT.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.system import SystemClock
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.wiring.memory import open_store
from tests.support.observations import observation, opened_store


def _kill_at(point: str) -> None:
    crash.arm(CrashPoint(point), lambda: os.kill(os.getpid(), signal.SIGKILL))


def _capture(folder: Path, name: str, times: int) -> None:
    store = opened_store("json", folder, SystemClock())
    for turn in range(times):
        batch = [
            observation(f"{name} found out number {turn}.{part}", agent=name, issue=turn % 3)
            for part in range(3)
        ]
        store.store(batch)
        print(*(each.id for each in batch), flush=True)
        if turn % 4 == 3:
            store.settle()


def main() -> None:
    """Do what the words say."""
    verb, folder, *rest = sys.argv[1:]
    if verb == "capture":
        _capture(Path(folder), rest[0], int(rest[1]))
        return
    if verb == "observe":
        _kill_at(rest[0])
        with open_store(open_project(Path(folder), read_environment())) as memory:
            memory.catch_up()
        return
    store = opened_store("json", Path(folder), SystemClock())
    _kill_at(rest[0])
    if verb == "settle":
        store.settle()
    elif verb == "forget":
        store.forget(rest[1:])
    else:
        store.compact(0, before_ms=1 << 45)


if __name__ == "__main__":
    main()
