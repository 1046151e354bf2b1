"""A process for the fault tests to kill: one verb of runs, struck at a crash point.

python -m tests.fault.run_child ROOT STORE POINT VERB [RUN]
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from agentx.host.system import SystemClock, system_entropy
from agentx.kernel import crash
from agentx.kernel.bus import Bus
from agentx.kernel.crash import CrashPoint
from agentx.kernel.paths import ProjectPaths, StorePaths
from agentx.runs.lane_work import LaneWork
from agentx.runs.model import Happening
from agentx.runs.service import Runs
from agentx.runs.store import GitLanes, RunStore


def verbs(runs: Runs, run: str) -> dict[str, Callable[[], object]]:
    """Return every verb that writes, by name."""
    lanes = LaneWork(runs)

    def say(kind: str, task: str = "", **detail: str) -> Callable[[], object]:
        said = Happening(kind=kind, actor="executor", task=task, detail=detail)
        return lambda: runs.say(run, said)

    return {
        "start": lambda: runs.start("another run"),
        "event": say("note", text="a note"),
        "phase": lambda: runs.next_phase(run, actor="executor"),
        "task": say("task-added", "TASK-900", title="a task"),
        "checkpoint": say("checkpoint-made", text="here"),
        "verify": say("verification-recorded", verdict="PASSED"),
        "escalate": say("escalation-raised", question="which?"),
        "open": lambda: lanes.open(run, actor="executor", lane="lane-009"),
        "merge": lambda: lanes.merge(run, "lane-001", actor="executor"),
        "rebase": lambda: lanes.rebase(run, actor="executor"),
        "pr": lambda: lanes.record_changes(run, actor="executor"),
        "rebuild": lambda: runs.rebuild(run),
        "resume": lambda: runs.resume(run),
    }


def main() -> None:
    """Do one verb, and die where told."""
    root, store, point, verb, run = sys.argv[1:6]

    def strike() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    crash.arm(CrashPoint(point), strike)
    paths = StorePaths(Path(store))
    files = RunStore(ProjectPaths(Path(root)), paths, SystemClock(), system_entropy)
    runs = Runs(files, GitLanes(Path(root), paths), Bus())
    verbs(runs, run)[verb]()


if __name__ == "__main__":
    main()
