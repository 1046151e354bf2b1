"""Goal: a repository that an agent makes in its lane gets nothing run, and loses no work.

Method: as for the turns of a driven run: real git, agents that are functions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.agents.runners.port import Ask
from agentx.host.git.work import list_changed_files, list_conflicting_files
from agentx.operations.driving.asked import DriveEnd, NewsOf
from agentx.wiring.bound.steering import list_steering_since
from agentx.wiring.walking.walk_git import WalkGit
from tests.support.driven import DONE, Stage
from tests.support.repository import git

WHO = ("-c", "user.name=a", "-c", "user.email=a@example.org")


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(tmp_path, monkeypatch)


def _nest(folder: Path, canary: Path) -> None:
    """Make a repository that has git run a program to see whether its files were changed."""
    nested = folder / "sub"
    nested.mkdir()
    git(nested, "init", "-q")
    (nested / "f.txt").write_text("one\n")
    (nested / ".gitattributes").write_text("* filter=x\n")
    git(nested, "add", "--all")
    git(nested, *WHO, "commit", "-q", "-m", "x")
    git(nested, "config", "filter.x.clean", f"touch {canary}; cat")
    (nested / "f.txt").write_text("two\n")
    (folder / ".gitmodules").write_text('[submodule "sub"]\n\tpath = sub\n\tignore = none\n')


def _commit_all(folder: Path, canary: Path) -> None:
    git(folder, "add", "--all")
    git(folder, *WHO, "commit", "-q", "-m", "mine")
    canary.unlink(missing_ok=True)


@pytest.mark.parametrize("is_committed", [False, True])
def test_what_an_agent_makes_a_repository_is_work_of_its_lane(
    stage: Stage, tmp_path: Path, is_committed: bool
) -> None:
    canary = tmp_path / "ran"

    def play(_ask: Ask, folder: Path) -> str:
        if not (folder / "sub").exists():
            _nest(folder, canary)
            if is_committed:
                _commit_all(folder, canary)
        return DONE

    stage.plays = play
    end = stage.drive("One", checks=("test -f sub/f.txt",))

    assert end.ended is DriveEnd.DONE, end.reason
    assert not canary.exists()
    assert git(stage.project.root, "show", f"{end.work_branch}:sub/f.txt") == "two"
    assert any("sub is a repository of its own" in text for text in stage.texts(NewsOf.LANE))


def test_one_without_a_commit_is_in_nobodys_way(stage: Stage) -> None:
    def play(_ask: Ask, folder: Path) -> str:
        for nested in (folder / "sub", folder / "sub" / "more"):
            nested.mkdir(exist_ok=True)
            git(nested, "init", "-q")
            (nested / "f.txt").write_text("two\n")
        return DONE

    stage.plays = play
    end = stage.drive("One", checks=("test -f sub/more/f.txt",))

    assert end.ended is DriveEnd.DONE, end.reason
    held = git(stage.project.root, "ls-tree", "-r", "--name-only", end.work_branch).split()
    assert held == ["a.py", "sub/f.txt", "sub/more/f.txt"]


def test_to_look_at_a_folder_runs_nothing_that_a_repository_in_it_names(
    stage: Stage, tmp_path: Path
) -> None:
    root, canary = stage.project.root, tmp_path / "ran"
    before = git(root, "rev-parse", "HEAD")
    _nest(root, canary)
    _commit_all(root, canary)

    walk = WalkGit(stage.project)
    assert list_changed_files(root) == ("sub",), "work that is not committed is told"
    assert list_conflicting_files(root) == walk.list_changed() == ()
    assert list_steering_since(root, before, {}) == ()
    (root / "b.py").write_text("b\n")
    assert walk.commit("more")
    assert not canary.exists()

    git(root, "status")
    assert canary.exists(), "as git does by itself"
