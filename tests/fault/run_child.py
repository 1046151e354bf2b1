"""A process for the fault tests to kill: one verb of runs, struck at a crash point.

python -m tests.fault.run_child ROOT STORE POINT VERB [RUN]
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.bus import Bus
from agentx.kernel.paths import ProjectPaths, StorePaths
from agentx.lessons.model import Confidence, Content, LessonKind
from agentx.lessons.promotion import Policy
from agentx.lessons.service import Lessons
from agentx.lessons.store.lesson_store import LessonStore
from agentx.runs.choosing.retention import DAY_MS
from agentx.runs.lane_work import LaneWork
from agentx.runs.model import Happening
from agentx.runs.service import Runs
from agentx.runs.store.archive import Archive
from agentx.runs.store.git_lanes import GitLanes
from agentx.runs.store.run_store import RunStore
from agentx.wiring.taught.archive import Archiving
from agentx.wiring.taught.teaching import Churn, lessons_of
from tests.support.kept_runs import open_kept
from tests.support.time_and_chance import FakeClock


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


@dataclass(frozen=True)
class Afterwards:
    """What is done with a run that is over, a good while later."""

    runs: Runs
    store: RunStore
    learning: Lessons
    archiving: Archiving


def afterwards(root: Path, data: Path, *, days: int = 40) -> Afterwards:
    """Open the rooms of a project some days after the stories of tests begin."""
    project, paths, clock = ProjectPaths(root), StorePaths(data), FakeClock()
    clock.advance(days * DAY_MS)
    store = RunStore(project, paths, clock, system_entropy)
    learning = Lessons(LessonStore(project, paths, clock, system_entropy))
    archiving = Archiving(store, learning, Archive(project), lambda _run: Churn())
    return Afterwards(Runs(store, GitLanes(root, paths), Bus()), store, learning, archiving)


def later_verbs(place: Afterwards, run: str) -> dict[str, Callable[[], object]]:
    """Return every verb that writes what a run leaves behind, by name."""

    def clean() -> None:
        place.archiving.sweep()
        for due in place.archiving.due(tuple(place.runs.all()), place.store.clock.now_ms()):
            place.archiving.archive(due.id, Policy.ALL, actor="retention")

    content = Content(name="", text="Name what you expect")
    return {
        "archive": lambda: place.archiving.archive(run, Policy.ALL, actor="person"),
        "clean": clean,
        "accept": lambda: place.learning.accept(
            lessons_of(place.runs.run(run)[0]), Policy.ALL, actor="person"
        ),
        "add": lambda: place.learning.add(
            LessonKind.LEARNING, content, Confidence.LOW, run="", actor="person"
        ),
    }


def main() -> None:
    """Do one verb, and die where told."""
    root, store, point, verb, run = sys.argv[1:6]

    def strike() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    crash.arm(CrashPoint(point), strike)
    later = later_verbs(afterwards(Path(root), Path(store)), run)
    if verb in later:
        later[verb]()
        return
    paths = StorePaths(Path(store))
    files = RunStore(ProjectPaths(Path(root)), paths, SystemClock(), system_entropy)
    files.kept = open_kept(files, Path(store))
    runs = Runs(files, GitLanes(Path(root), paths), Bus())
    verbs(runs, run)[verb]()


if __name__ == "__main__":
    main()
