"""Goal: a hook that an agent wrote is run by no git of ours; a person's is, wherever it lies.

Method: a repository whose hooks are among its files (`core.hooksPath` is relative, as teams have
it), agents that are functions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.agents.driving.plan import PlannedTask
from agentx.agents.runners.port import Ask
from agentx.operations.driving.asked import DriveEnd
from tests.support.driven import DONE, Stage
from tests.support.repository import git

WHO = ("-c", "user.name=a", "-c", "user.email=a@example.org")
HOOKS = (
    *("post-checkout", "post-commit", "post-index-change", "post-merge", "pre-commit"),
    *("post-rewrite", "pre-merge-commit", "reference-transaction"),
)
TASKS = (
    PlannedTask(id="t0", title="One"),
    PlannedTask(id="t1", title="Two", depends_on=("t0",)),
)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(tmp_path, monkeypatch)


def _write_hooks(folder: Path, canary: Path, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> {canary}\n")
        (folder / name).chmod(0o755)


def test_hooks_among_the_files_of_a_lane_are_not_run(stage: Stage, tmp_path: Path) -> None:
    root, canary, own = stage.project.root, tmp_path / "ran", tmp_path / "own"
    _write_hooks(root / ".githooks", own, "post-checkout")
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "hooks")
    git(root, "config", "core.hooksPath", ".githooks")

    def play(_ask: Ask, folder: Path) -> str:
        name = f"t{len(stage.asks) - 1}"
        (folder / name).write_text(name)
        if name == "t0":  # it leaves the branch, and what is put back
            (folder / ".claude").mkdir()
            (folder / ".claude" / "settings.json").write_text("{}")
            git(folder, "switch", "-q", "-c", "mine")
            git(folder, "add", "--all")
            git(folder, *WHO, "commit", "-q", "-m", "mine")
            _write_hooks(folder / ".githooks", canary, *HOOKS)
        return DONE

    stage.plays = play
    end = stage.drive("A run", plan=TASKS)

    assert end.ended is DriveEnd.DONE, end.reason
    assert git(root, "show", f"{end.work_branch}:t1") == "t1"
    assert not canary.exists(), canary.read_text()
    assert own.read_text().count("post-checkout") >= 2, "a person's own hook is run for each lane"
