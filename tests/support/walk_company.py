"""A company that carries an issue along its workflow: functions in the place of agents.

Each role is a function that writes files and returns its report; the verb runs in process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agentx.operations.walking import standing, waking
from agentx.operations.walking.asked import WalkDesk, WalkReply, WalkRequest
from agentx.operations.walking.walk import walk_issue
from agentx.wiring.walking.walks import open_walk
from agentx.work.model import Step
from agentx.work.walk.model import Walked, WalkEvent, WalkSpent
from tests.support.walk_play import WalkStage, walking

PLAYER = "codex"
APPROVED = "Looked at.\n\nVerdict: approved"
CHANGES = "Looked at.\n\nVerdict: changes needed"
Act = Callable[[Path, str], str]  # where, and what it was told; returns its report


def build(root: Path, _task: str) -> str:
    (root / "app.py").write_text("def add(a, b):\n    return a + b\n", encoding="utf-8")
    return "Built."


def approve(_root: Path, _task: str) -> str:
    return APPROVED


@dataclass
class Company:
    """The agents of a stage, in the place of processes."""

    stage: WalkStage
    acts: dict[str, Act]
    told: list[str] = field(default_factory=list)
    woken: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    ended: dict[str, dict[str, Any]] = field(default_factory=dict)  # how a role leaves off

    def work(
        self, desk: WalkDesk, step: Step, runner: str, words: tuple[str, ...], spent: WalkSpent
    ) -> WalkEvent:
        del spent
        self.woken.append(step.id)
        self.tasks.append(words[-1])
        report = self.acts.get(step.agent, approve)(self.stage.root, words[-1])
        said = {"tokens": 100, "micro_usd": 1_000, **self.ended.get(step.agent, {})}
        return WalkEvent(
            kind=Walked.STEP_ENDED,
            at_ms=desk.project.clock.now_ms(),
            step=step.id,
            role=step.agent,
            runner=runner,
            session=f"{step.agent}-{len(self.woken)}",
            report=report,
            **said,
        )

    def walk(self, **more: Any) -> WalkReply:
        request = WalkRequest(**{"issue": 1, "runner": PLAYER, **more})
        return walk_issue(self.stage.project, request, self.told.append)

    def events(self) -> tuple[WalkEvent, ...]:
        return open_walk(self.stage.project, 1).read()

    def subjects(self) -> list[str]:
        return self.stage.git("log", "--reverse", "--format=%s", "main..").splitlines()


@contextmanager
def company(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    acts: dict[str, Act] | None = None,
    *labels: str,
    git: bool = True,
) -> Iterator[Company]:
    with walking(folder, {}, *labels, git=git) as stage:
        made = Company(stage, {"engineer": build, **(acts or {})})
        monkeypatch.setattr(standing, "check_runner", lambda _runner: None)  # it is not installed
        monkeypatch.setattr(waking, "take_turn", made.work)
        monkeypatch.setattr(waking, "_LOOK_S", 0.02)
        yield made
