"""How fast runs are: folding many events, and looking at an ordinary run."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

from agentx.host.files.journal import Journal
from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.clock import Millis
from agentx.kernel.ids import mint
from agentx.kernel.paths import ProjectPaths, StorePaths
from agentx.runs.model import RunEvent
from agentx.runs.paths import RunsPaths
from agentx.runs.rules.fold import fold
from agentx.runs.rules.lines import line_of
from agentx.runs.store.run_store import RunStore
from tests.bench.row import Row

EVENTS = 100_000
TASKS = 500
LARGE = 1_000  # of one run that somebody looks at
RUN = "20260302-1000-a-long-run-0001"
_DETAILS: dict[str, dict[str, str]] = {
    "note": {"text": "looked at the retry path and found nothing " * 2},
    "task-progressed": {"text": "wrote the checker and two tests for it"},
    "commit-made": {"commit": "9f5ae80894943d80b4e395511295e07af5a4f394"},
    "checkpoint-made": {"text": "half of it"},
    "task-started": {},
    "task-completed": {"text": "done"},
}


def run(size: str) -> list[Row]:
    """Measure."""
    del size
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        return [_fold(root), *_use(root / "shop"), *_use(root / "mill", tasks=LARGE)]


def _fold(root: Path) -> Row:
    paths = ProjectPaths(root / "long")
    for actor in ("orchestrator", "executor"):
        file = RunsPaths(paths).run(RUN).events() / actor / "2026-03-02T10-00-00Z-000001.jsonl"
        Journal(file, SystemClock()).append(
            line_of(event) for event in _events() if event.actor == actor
        )
    store = RunStore(paths, StorePaths(root / "store"), SystemClock(), system_entropy)
    # One thread that never waits: what it costs, not what else the machine was doing.
    began = time.process_time()
    found = store.events(RUN)
    state = fold(RUN, found.events)
    took = time.process_time() - began
    assert state.events == EVENTS, "every event counts"
    return Row("100,000 run events read and folded", took, "s", 3.0)


def _events() -> list[RunEvent]:
    start = 1_772_445_600_000
    kinds = tuple(_DETAILS)
    made = [_event(start, "run-started", {"title": "long"}, "")]
    for number in range(TASKS):
        made.append(_event(start + number, "task-added", {"title": "a task"}, f"TASK-{number:03}"))
    for number in range(EVENTS - len(made)):
        kind = kinds[number % len(kinds)]
        made.append(
            _event(start + 1_000 + number, kind, _DETAILS[kind], f"TASK-{number % TASKS:03}")
        )
    return made


def _event(at_ms: int, kind: str, detail: dict[str, str], task: str) -> RunEvent:
    return RunEvent(
        id=mint(at_ms, system_entropy),
        at_ms=Millis(at_ms),
        run=RUN,
        actor="orchestrator" if kind in ("run-started", "task-added") else "executor",
        kind=kind,
        task=task,
        detail=detail,
    )


def _use(project: Path, *, tasks: int = 0) -> list[Row]:
    """Measure a look at a run, and a word that is written into it."""
    project.mkdir()
    home = project.parent / f"home-{project.name}"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    command = [str(Path(sys.executable).parent / "agentx"), "run"]

    def call(*words: str) -> float:
        began = time.perf_counter()
        subprocess.run(
            [*command, *words], cwd=project, env=environment, check=True, capture_output=True
        )
        return time.perf_counter() - began

    subprocess.run(["git", "init", "-q"], cwd=project, env=environment, check=True)
    call("start", "an ordinary run")
    for number in range(8):
        call("task", "add", f"task {number}")
        call("task", "log", f"TASK-{number + 1:03}", "something was done")
    if tasks:
        _add_tasks(project, tasks)
        call("task", "log", "TASK-001", "something more was done")  # its pages are made anew
    looks = median(call("show") for _ in range(7))
    writes = median(call("task", "add", f"one more, {number}") for number in range(7))
    what = f"a run with {tasks:,} tasks" if tasks else "an ordinary run"
    return [
        Row(f"agentx run show, {what}", looks * 1_000, "ms", 300.0),
        Row(f"agentx run task add, {what}", writes * 1_000, "ms", 300.0),
    ]


def _add_tasks(project: Path, count: int) -> None:
    """Add tasks to the one run there is, as another clone's file of events."""
    [folder] = (project / ".agent-memory" / "runs").glob("*/events")
    run_id, start = folder.parent.name, SystemClock().now_ms()
    file = folder / "orchestrator" / "2026-03-02T10-00-00Z-bench1.jsonl"
    added = (
        _event(start + number, "task-added", {"title": f"task {number} of the mill"}, f"T-{number}")
        for number in range(count)
    )
    Journal(file, SystemClock()).append(line_of(replace(each, run=run_id)) for each in added)
