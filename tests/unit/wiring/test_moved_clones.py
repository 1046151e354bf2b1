"""Goal: a clone that is moved stays the checkout that it was, and no two clones are ever one.

Method: real clones in folders that are moved and copied, each opened anew; also such that share a
store, as a setting lets them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import add_task, start_run, task_step
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.runs.model import Contract, TaskStatus
from agentx.wiring.runs import open_kept, open_runs
from tests.support.repository import git, repository


def _open(folder: Path, **variables: str) -> Project:
    home = folder.parent / "home"
    said = {"HOME": str(home), "PATH": "/usr/bin:/bin", **variables}
    return open_project(folder, read_environment(said))


def _begin(folder: Path, **variables: str) -> Project:
    project = _open(folder, **variables)
    start_run(project, "a run", actor="orchestrator")
    add_task(project, Saying(), Contract(title="a task"))
    task_step(project, Saying(task="TASK-001"), "task-started", {})
    return project


def _name(project: Project) -> str:
    return open_runs(project).own.checkout


@pytest.mark.promise("runs.claims")
def test_a_clone_that_was_moved_holds_its_tasks_itself(tmp_path: Path) -> None:
    before = _begin(repository(tmp_path / "one"))
    kept = open_kept(before)
    assert kept is not None
    with kept.notes.editing(before.clock) as note:
        note["pushes_to"] = ["origin"]
    (tmp_path / "one").rename(tmp_path / "two")

    after = _open(tmp_path / "two")

    assert _name(after) == _name(before)
    told = task_step(after, Saying(task="TASK-001"), "task-completed", {})
    assert told.run.tasks["TASK-001"].status is TaskStatus.COMPLETED
    moved = open_kept(after)
    assert moved is not None
    assert moved.notes.read()["pushes_to"] == ["origin"]
    (tmp_path / "two").rename(tmp_path / "three")
    assert _name(_open(tmp_path / "three")) == _name(before)
    (tmp_path / "three").rename(tmp_path / "one")
    assert _name(_open(tmp_path / "one")) == _name(before)


def test_clones_and_copies_that_share_a_store_are_never_one_checkout(tmp_path: Path) -> None:
    shares = {"MEMORY_PROJECT_ID": "shared-by-all"}
    first = _begin(repository(tmp_path / "one"), **shares)
    names = [_name(first)]
    (tmp_path / "one").rename(tmp_path / "two")
    moved = _open(tmp_path / "two", **shares)
    add_task(moved, Saying(), Contract(title="another"))
    assert _name(moved) == names[0]

    git(tmp_path, "clone", "-q", "two", "one")  # in the place of the one that was moved
    shutil.copytree(tmp_path / "two", tmp_path / "three")
    for folder in ("one", "three"):
        project = _open(tmp_path / folder, **shares)
        start_run(project, f"a run of {folder}", actor="orchestrator")
        names.append(_name(project))
    shutil.rmtree(tmp_path / "one")
    shutil.copytree(tmp_path / "two", tmp_path / "one")  # and a copy, where it was at first
    copy = _open(tmp_path / "one", **shares)
    start_run(copy, "a run of the copy", actor="orchestrator")
    names.append(_name(copy))

    assert len(set(names)) == len(names) == 4
    shutil.rmtree(tmp_path / "two")
    assert [_name(_open(tmp_path / each, **shares)) for each in ("three", "one")] == names[2:]
