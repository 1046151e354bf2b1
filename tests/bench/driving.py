"""What a step costs the driver of a run, and the loop, beside git, agents, checks and models.

A step of the driver is one of a task: its lane is opened, its turn, its checks, its merge. What
git, agents and checks cost is taken off by the thread that waits for them.
"""

from __future__ import annotations

import gc
import tempfile
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from agentx.agents.loop.model import LoopSession
from agentx.agents.loop.port import ToolOutcome
from agentx.agents.loop.store.session_file import LoopSessions
from agentx.host import program
from agentx.host.git import command
from agentx.llm.talk.port import CalledTool
from agentx.operations.driving.asked import DriveBounds, DriveEnd
from tests.bench.row import Row
from tests.support.driven import Stage
from tests.support.loop_play import LoopPlay, PlayedModel, PlayedTools, call, reply
from tests.support.time_and_chance import FakeClock

_GARBAGE_OBJECTS = 100_000  # as every command sets it
_STEPS = 4  # of a task
_TURNS = 90
_RESULT = "a line of a file that was read\n" * 60


def run(size: str) -> list[Row]:
    """Measure."""
    gc.set_threshold(_GARBAGE_OBJECTS)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _drive(root / "first", 1, 0.0)  # loads what a drive loads once
        rows = [_drive(root / "few", 3, 50.0), _drive(root / "some", 10, 50.0)]
        if size == "full":
            rows += [_drive(root / "many", 20, 50.0), _drive(root / "most", 40, 50.0)]
        return [*rows, _loop(root / "loop")]


class _Beside:
    """Counts what this process spends on starting and hearing programs."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._lock = threading.Lock()
        self.spent = 0.0
        self.asked = 0
        for module, name in ((command, "_run"), (program, "run_to_end")):
            patch.setattr(module, name, self._count(getattr(module, name)))

    def _count(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            began = time.thread_time()
            try:
                return work(*given, **named)
            finally:
                with self._lock:
                    self.spent += time.thread_time() - began
                    self.asked += 1

        return counted


def _drive(folder: Path, tasks: int, at_most: float) -> Row:
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        stage = Stage(folder, patch)
        stage.plays = _write(count())
        beside = _Beside(patch)
        began = time.process_time()
        titles = [f"Part {number}" for number in range(tasks)]
        end = stage.drive(*titles, bounds=DriveBounds(lanes=4))
        spent = time.process_time() - began - beside.spent
    assert end.ended is DriveEnd.DONE, end.reason
    each = spent * 1000 / (tasks * _STEPS)
    return Row(f"a step of a driven run of {tasks} tasks (CPU)", each, "ms", at_most)


def _write(numbers: count[int]) -> Callable[..., str]:
    def play(_ask: object, folder: Path) -> str:
        (folder / f"made-{next(numbers)}.txt").write_text("made\n")
        return "STATUS: done\nSUMMARY: did it"

    return play


def _read(made: CalledTool) -> ToolOutcome:
    return ToolOutcome(text=f"{made.arguments['path']}\n{_RESULT}")


class _Kept(list[LoopSession]):
    """Puts each state of a session on the disk, as the loop of the product does."""

    def __init__(self, sessions: LoopSessions) -> None:
        super().__init__()
        self._sessions = sessions

    def append(self, session: LoopSession) -> None:
        """Keep a state."""
        self._sessions.save(session)


def _loop(folder: Path) -> Row:
    folder.mkdir()
    kept = LoopSessions(folder, folder / "state.json", folder / "begun", FakeClock())
    numbers = count()
    says = (reply(call("read_file", path=f"file-{next(numbers)}.py")) for _ in range(_TURNS))
    play = LoopPlay(PlayedModel(iter([*says, reply(text="It is done.")])), PlayedTools(_read))
    play.kept = _Kept(kept)
    began = time.monotonic()
    play.run()
    took = time.monotonic() - began
    return Row(f"a step of the loop, of {_TURNS}", took * 1000 / _TURNS, "ms", 50.0)
