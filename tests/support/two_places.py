"""One clone of a run that is used from two places, which each see folders of their own.

As a host and its container do; real git.
"""

from __future__ import annotations

from pathlib import Path

from tests.support.repository import commit, git, repository
from tests.support.run_stories import Team
from tests.support.shared_run import ACTOR

PLACES = ("the same path", "another path")


def furnish(folder: Path) -> Team:
    """Make a run with three tasks, and two lanes with something to merge."""
    team = Team(repository(folder / "shop", a_py="one = 1\n"), folder / "store")
    run_id = team.runs.start("three tasks").id
    for number in (1, 2, 3):
        team.says(run_id, "task-added", task=f"TASK-00{number}", title="do it")
    for number in (1, 2):
        opened = team.lanes.open(run_id, actor=ACTOR, task=f"TASK-00{number}")
        commit(Path(opened.folder), "work", **{f"b{number}_py": "b = 1\n"})
    return team


def run_of(team: Team) -> str:
    """Return the one run."""
    return next(iter(team.runs.all())).id


def folder_of(team: Team, name: str) -> Path:
    """Return where a lane's files are, or those of the work branch."""
    return team.runs.git.folder(run_of(team), name)


def list_files(team: Team) -> set[str]:
    """Return what the work branch has."""
    work = f"agent/{run_of(team)}/work"
    return set(git(team.root, "ls-tree", "-r", "--name-only", work).splitlines())


def merge_elsewhere(team: Team, there: Path, **more: str) -> Team:
    """Merge a third lane from a place that sees none of the folders here."""
    other = Team(team.root, there, seed=7)
    opened = other.lanes.open(run_of(team), actor=ACTOR, task="TASK-003")
    assert opened.lane is not None
    commit(Path(opened.folder), "elsewhere", c_py="c = 1\n", **more)
    git(Path(opened.folder), "rm", "-q", "a.py")
    commit(Path(opened.folder), "elsewhere")
    other.lanes.merge(run_of(team), opened.lane.id, actor=ACTOR)
    return other


def lag_behind(team: Team, at: str, **more: str) -> Path:
    """Let the work branch be moved elsewhere; return its folder here, which is as it was."""
    host, away = team.data, team.data.parent / "away"
    there = host if at == "the same path" else team.data.parent / "container"
    host.rename(away)
    merge_elsewhere(team, there, **more)
    there.rename(team.data.parent / "unseen")
    away.rename(host)
    return folder_of(team, "work")
