"""Goal: what somebody began in a folder of a run and is not over is seen, named with the command
that ends it, and goes with no folder.

Method: real git; a person stops half-way in a lane's folder, or in that of the work branch.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.host.git.loose import tell_lost_with
from agentx.host.git.mending import holding
from agentx.kernel.errors import ConflictError
from agentx.runs.model import LaneStatus
from tests.support.kept import KeptFolder
from tests.support.repository import commit, git, repository
from tests.support.run_stories import Team
from tests.support.shared_run import ACTOR


def _furnish(place: Path) -> Team:
    """A lane and the work branch, each with two commits that a third branch does not go with."""
    team = Team(repository(place / "shop", a_py="one = 1\n"), place / "store")
    git(team.root, "switch", "-q", "-c", "side")
    commit(team.root, "x", x_py="x = 1\n")
    commit(team.root, "conflicts", a_py="one = 7\n")
    commit(team.root, "t", t_py="t = 1\n")
    git(team.root, "switch", "-q", "main")
    run_id = team.runs.start("one lane").id
    lane = Path(team.lanes.open(run_id, actor=ACTOR).folder)
    for folder in (lane, lane.parent / "work"):
        commit(folder, "two", a_py="one = 2\n")
        commit(folder, "three", a_py="one = 3\n")
    return team


@pytest.fixture(scope="module")
def kept_team(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder[Team]:
    return KeptFolder(tmp_path_factory.mktemp("team"), _furnish)


@pytest.fixture
def team(kept_team: KeptFolder[Team]) -> Team:
    return kept_team.lend()


def _run(team: Team) -> str:
    return next(iter(team.runs.all())).id


def _pick_on(folder: Path) -> None:
    """Stop in a series, and conclude that one commit by hand: the rest is to come."""
    git(folder, "cherry-pick", "side~3..side", check=False)
    git(folder, "checkout", "-q", "--ours", "a.py")
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "--allow-empty", "-m", "by hand")


def _apply(folder: Path) -> None:
    patch = git(folder, "format-patch", "-1", "side~1", "--stdout")
    (folder.parent.parent / "p.mbox").write_text(f"{patch}\n", "utf-8")
    git(folder, "am", "-q", str(folder.parent.parent / "p.mbox"), check=False)


_BEGINNINGS: dict[str, Callable[[Path], object]] = {
    "merge --abort": lambda folder: git(folder, "merge", "-q", "side", check=False),
    "rebase --abort": lambda folder: git(folder, "rebase", "-q", "side", check=False),
    "am --abort": _apply,
    "cherry-pick --abort": lambda folder: git(folder, "cherry-pick", "side~1", check=False),
    "cherry-pick --continue": _pick_on,
    "revert --abort": lambda folder: git(folder, "revert", "--no-edit", "HEAD~1", check=False),
    "bisect reset": lambda folder: git(folder, "bisect", "start", "HEAD", "HEAD~2"),
}


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("way", _BEGINNINGS)
def test_what_is_half_way_in_a_lane_is_named_with_the_command_that_ends_it(
    team: Team, way: str
) -> None:
    lane = team.runs.git.folder(_run(team), team.lane(1))
    _BEGINNINGS[way](lane)
    command = f"git -C {lane} {way}"
    status = git(lane, "status")

    for verb in (team.lanes.finish, team.lanes.merge):
        with pytest.raises(ConflictError, match="is not over in") as refused:
            verb(_run(team), "lane-001", actor=ACTOR)
        assert command in refused.value.hint
    assert command in tell_lost_with(lane)
    _, rebuilt = team.runs.resume(_run(team))
    assert [each for each in rebuilt.remarks if command in each]

    assert git(lane, "status") == status
    subprocess.run(command.split(), check=True, capture_output=True)
    assert team.lanes.finish(_run(team), "lane-001", actor=ACTOR).told.added
    assert tell_lost_with(lane) == ""


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("way", _BEGINNINGS)
def test_what_is_half_way_in_the_work_folder_is_named_with_the_command_that_ends_it(
    team: Team, way: str
) -> None:
    work = team.runs.git.folder(_run(team), "work")
    _BEGINNINGS[way](work)
    command = f"git -C {work} {way}"
    status = git(work, "status")

    with pytest.raises(ConflictError, match="is not over in") as refused:
        team.lanes.merge(_run(team), "lane-001", actor=ACTOR)
    assert command in refused.value.hint
    _, rebuilt = team.runs.resume(_run(team))
    assert [each for each in rebuilt.remarks if command in each]

    assert git(work, "status") == status
    subprocess.run(command.split(), check=True, capture_output=True)
    merged = team.lanes.merge(_run(team), "lane-001", actor=ACTOR)
    assert merged.told.run.lanes[team.lane(1)].status is LaneStatus.MERGED


@pytest.mark.promise("runs.recover")
def test_a_lock_that_nobody_holds_is_taken_away_however_long_the_look_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = repository(tmp_path / "shop", a_py="one = 1\n")
    lock = folder / ".git" / "index.lock"
    lock.write_text("")
    monkeypatch.setattr(holding, "WAIT_S", -1.0)  # it is over before the first look ends

    holding.release_lock(folder)

    assert not lock.exists()
