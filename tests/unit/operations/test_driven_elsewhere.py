"""Goal: a driven run is taken up in another clone from what was pushed, whenever its driver ended.

Method: two clones of a bare remote; a driver that ends as if it were killed; agents are functions.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentx.agents.driving.plan import PlannedTask
from agentx.agents.runners.port import Ask
from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.operations.driving.asked import (
    DriveBounds,
    DriveEnd,
    Driven,
    DriveNews,
    DriveRequest,
    NewsOf,
)
from agentx.operations.driving.beginning import find_meant
from agentx.operations.driving.desk import DriveDesk
from agentx.operations.driving.preview import plan_drive
from agentx.operations.runs.sync import sync_runs
from agentx.operations.runs.write import start_run
from agentx.operations.setup.writers import list_writers, trust_writer
from agentx.project.project import Project
from agentx.runs.model import RunEvent, RunStatus
from agentx.wiring.bound.drives import Drive, DriveLost
from agentx.wiring.runs import open_runs
from tests.support.driven import DONE, Stage
from tests.support.repository import git
from tests.support.two_people import PERSON


class _Killed(BaseException):
    """As if the process were gone: nothing is said or released by it."""


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    stage = Stage(tmp_path, monkeypatch)
    stage.plays = _write_own
    return stage


def _write_own(ask: Ask, folder: Path) -> str:
    (folder / f"{ask.variables['AGENTX_TASK']}.txt").write_text("made\n")
    return DONE


def _clone(stage: Stage, name: str) -> Project:
    made = stage.clones.clone(name)
    git(made.root, "config", "user.name", name)
    git(made.root, "config", "user.email", f"{name}@example.org")
    return made


def _share(project: Project) -> None:
    sync_runs(project, agrees=lambda _where: True, says_yes=True, caller=PERSON)


def _begin_shared(stage: Stage, *titles: str) -> dict[str, Any]:
    """Begin a run that is pushed; return how it is driven."""
    start_run(stage.project, "A run", checks=("true",), actor="orchestrator")
    _share(stage.project)
    plan = tuple(PlannedTask(id=title, title=title) for title in titles)
    return {"run_id": stage.run.id, "plan": plan}


def _take_over(stage: Stage) -> tuple[Driven, Project]:
    other = _clone(stage, "bert")
    _share(other)
    for writer in list_writers(other):
        if not writer.own:
            trust_writer(other, writer.fingerprint, caller=PERSON)
    run_id = stage.run.id
    return stage.drive(project=other, run_id=run_id, is_taken=True, caller=PERSON), other


def _drive_until(stage: Stage, patch: pytest.MonkeyPatch, told: str) -> None:
    """Drive two tasks until something is told, and end there as a kill does."""

    def tell(news: DriveNews) -> None:
        stage.told.append(news)
        if told in news.text:
            raise _Killed

    shared = _begin_shared(stage, "One", "Two")
    with patch.context() as killed:
        killed.setattr(Drive, "end", lambda drive, _reason: drive.let_go())
        killed.setattr(DriveDesk, "say", _say_unless_killed(stage, told))
        with pytest.raises(_Killed):
            stage.drive(**shared, tell=tell, bounds=DriveBounds(lanes=1))


def _say_unless_killed(stage: Stage, told: str) -> Callable[..., RunEvent]:
    say = DriveDesk.say

    def refuse(desk: DriveDesk, *given: Any, **more: Any) -> RunEvent:
        if any(told in news.text for news in stage.told):
            raise _Killed
        return say(desk, *given, **more)

    return refuse


@pytest.mark.promise("drive.elsewhere")
def test_a_takeover_that_is_refused_leaves_the_run_to_who_drives_it(stage: Stage) -> None:
    other, refused = _clone(stage, "bert"), list[str]()
    asked: dict[str, Any] = {"project": other, "is_taken": True, "caller": PERSON}
    asked["approve"] = lambda _checks: False

    def play(ask: Ask, folder: Path) -> str:
        _share(other)
        plan = plan_drive(other, DriveRequest(run_id=stage.run.id, runners=("claude-code",)))
        refused.extend(plan.in_the_way)
        for _ in range(2):
            with pytest.raises(AgentXError) as error:
                stage.drive(run_id=stage.run.id, **asked)
            refused.append(error.value.message)
            (writer,) = [each for each in list_writers(other) if not each.own]
            trust_writer(other, writer.fingerprint, caller=PERSON)
        return _write_own(ask, folder)

    stage.plays = play
    end = stage.drive(**_begin_shared(stage, "One"))

    assert "is driven by driver of" in refused[-4]
    assert "says when the work is done" in refused[-3]
    assert "says when the work is done" in refused[-2]
    assert "`true`, which nobody approved" in refused[-1]
    assert end.ended is DriveEnd.DONE, end.reason
    assert [event.kind for event in stage.events].count("drive-began") == 1


@pytest.mark.promise("drive.elsewhere")
@pytest.mark.parametrize("told", ["merged into", "opened for One"])
def test_another_clone_goes_on_from_what_was_pushed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    _drive_until(stage, monkeypatch, told)

    end, other = _take_over(stage)

    assert (end.ended, end.tasks_done) == (DriveEnd.DONE, 2), end.reason
    files = git(other.root, "ls-tree", "--name-only", end.work_branch).split()
    assert {"TASK-001.txt", "TASK-002.txt"} <= set(files)


@pytest.mark.promise("drive.elsewhere")
def test_a_lane_whose_run_is_taken_over_as_it_is_merged_is_told_once_by_who_drives_now(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, push, over = _begin_shared(stage, "One"), DriveDesk.push, list[Project]()

    def overtake(desk: DriveDesk, branch: str, **more: str) -> str:
        if branch.endswith("/work") and not over:
            over.append(desk.project)
            over.append(_take_over(stage)[1])
        return push(desk, branch, **more)

    monkeypatch.setattr(DriveDesk, "push", overtake)
    with pytest.raises(DriveLost):
        stage.drive(**shared)

    for project in over:
        _share(project)
        said = [event.kind for event in open_runs(project).events(stage.run.id)]
        assert (said.count("lane-merged"), said.count("task-completed")) == (1, 1)
    run = stage.run
    assert run.outcome is RunStatus.COMPLETED
    # What was merged here and never told is taken back: nobody decided that it stays.
    there = git(stage.project.root, "rev-parse", run.git.work_branch)
    assert there == run.git.base_commit


def test_a_run_of_a_stranger_is_meant_by_its_id_alone_and_driven_for_checks_that_are_given(
    stage: Stage,
) -> None:
    asked = _begin_shared(stage, "one")
    other = _clone(stage, "bert")
    _share(other)

    assert find_meant(stage.project, "A run") == asked["run_id"]
    assert find_meant(other, "A run") == ""
    with pytest.raises(InvalidValue, match="somebody you trust"):
        stage.drive(project=other, caller=PERSON, **asked)
    end = stage.drive(project=other, caller=PERSON, title="", **asked)
    assert end.ended is DriveEnd.DONE, end.reason


def test_a_run_that_a_stranger_began_without_checks_is_meant_by_its_id_alone_too(
    stage: Stage,
) -> None:
    begun = start_run(stage.project, "A run", actor="orchestrator")
    other = _clone(stage, "bert")
    _share(stage.project)
    _share(other)

    assert find_meant(stage.project, "A run") == begun.id
    assert (find_meant(other, "A run"), find_meant(other, begun.id)) == ("", begun.id)


def test_work_that_was_pushed_is_put_on_its_base_without_force(stage: Stage) -> None:
    shared = _begin_shared(stage, "One")

    def move_base(ask: Ask, folder: Path) -> str:
        root = stage.project.root
        (root / "base.txt").write_text("base\n")
        git(root, "add", "base.txt")
        git(root, "commit", "-q", "-m", "base")
        return _write_own(ask, folder)

    stage.plays = move_base
    end = stage.drive(**shared)

    assert (end.ended, end.pushed) == (DriveEnd.DONE, "origin"), end.reason
    files = git(stage.clones.remote, "ls-tree", "--name-only", end.work_branch).split()
    assert {"TASK-001.txt", "base.txt"} <= set(files)


def test_a_run_is_not_over_before_its_branch_is_pushed(stage: Stage) -> None:
    shared = _begin_shared(stage, "One")
    away = stage.clones.folder / "away.git"

    def go_offline(ask: Ask, folder: Path) -> str:
        stage.clones.remote.rename(away)
        return _write_own(ask, folder)

    stage.plays = go_offline
    end = stage.drive(**shared)
    assert end.ended is DriveEnd.STUCK
    assert "was not pushed" in end.reason
    assert not stage.run.over

    away.rename(stage.clones.remote)
    again = stage.drive()
    assert (again.ended, again.pushed) == (DriveEnd.DONE, "origin")
    assert any("is pushed to origin" in text for text in stage.texts(NewsOf.PUSH))
