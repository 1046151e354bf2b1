"""Goal: what others did to a lane's branch, at a remote or by force, is followed without a loss.

Method: a bare remote and two clones with real git; both work on one run, push and pull.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.runs.lane_work import LaneWork
from tests.support.repository import commit, git
from tests.support.run_stories import Team
from tests.support.shared_run import ACTOR, Pair


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def unmerged(pair: Pair, team: Team) -> list[str]:
    return [each.lane for each in LaneWork(team.runs).list_unmerged(pair.look(team))]


def open_with(pair: Pair, team: Team, **files: str) -> tuple[str, Path]:
    """Open a lane, commit something there and push it; return its name and its folder."""
    opened = team.lanes.open(pair.run_id, actor=ACTOR, task="TASK-001")
    assert opened.lane is not None
    commit(Path(opened.folder), "first", **files)
    pair.share(team, opened.lane.id)
    return opened.lane.id, Path(opened.folder)


def find(team: Team, name: str) -> str:
    """Return the commit of a name; empty where it means none."""
    return git(team.root, "for-each-ref", "--format=%(objectname)", name).strip()


def test_what_was_deleted_at_the_remote_is_seen_there_no_more(pair: Pair, tmp_path: Path) -> None:
    lane, _ = open_with(pair, pair.one, b_py="b = 1\n")
    branch = f"agent/{pair.run_id}/{lane}"
    git(pair.one.root, "worktree", "add", "-q", "--detach", str(tmp_path / "late"), branch)
    pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    commit(tmp_path / "late", "after", late_py="late = 1\n")
    late = git(tmp_path / "late", "rev-parse", "HEAD").strip()
    git(tmp_path / "late", "push", "-q", "origin", f"HEAD:{branch}", "main:refs/heads/others")
    pair.share(pair.one, "work")
    pair.share(pair.two)
    git(pair.two.root, "fetch", "-q")
    pair.two.runs.fetch(pair.run_id)
    assert unmerged(pair, pair.two) == [lane]

    git(pair.one.root, "push", "-q", "origin", "--delete", branch, "others")
    remarks = pair.two.runs.fetch(pair.run_id)

    assert unmerged(pair, pair.two) == []
    gone = f"origin has {branch} no more; {late[:10]}, which only it had, went with it"
    assert remarks == (gone,)
    assert find(pair.two, "refs/remotes/origin/others")  # is the user's
    assert pair.two.runs.fetch(pair.run_id) == ()


def test_what_a_branch_had_that_was_deleted_before_it_was_merged_stays(pair: Pair) -> None:
    lane, _ = open_with(pair, pair.one, b_py="b = 1\n")
    branch = f"agent/{pair.run_id}/{lane}"
    pair.share(pair.two)
    pair.two.runs.fetch(pair.run_id)
    tip = find(pair.two, f"refs/remotes/origin/{branch}")

    git(pair.one.root, "push", "-q", "origin", "--delete", branch)
    remarks = pair.two.runs.fetch(pair.run_id)

    assert f"{tip[:10]}, which only it had, stays here as origin/{branch}" in remarks[0]
    assert find(pair.two, f"refs/remotes/origin/{branch}") == tip
    git(pair.two.root, "branch", "mine", tip)
    assert pair.two.runs.fetch(pair.run_id) == ()
    assert find(pair.two, f"refs/remotes/origin/{branch}") == ""
