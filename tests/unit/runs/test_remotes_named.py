"""Goal: a hint that names a remote names one that there is, and the one that has the branch.

Method: real git; remotes that are called otherwise than `origin`, one of two with the branch.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.errors import ConflictError, NotFound
from agentx.runs.lacking.mending import list_lost_steps
from agentx.runs.model import Run
from agentx.runs.replies import Unmerged
from agentx.runs.store.git_exchange import find_remote
from agentx.runs.store.git_shared import check_latest, name_remote, tell_unpushed
from agentx.runs.taking.lane_taking import LaneTaking
from tests.support.repository import commit, git, repository
from tests.support.shared_run import Pair
from tests.unit.runs.test_lanes_elsewhere import resume, take_to_and_fro

WORK = "agent/20260101-0900-x-aaaa/work"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a clone with the remotes `fork` and `upstream`."""
    made = repository(tmp_path / "shop", a_py="one = 1\n")
    for name in ("fork", "upstream"):
        git(tmp_path, "init", "-q", "--bare", name)
        git(made, "remote", "add", name, str(tmp_path / name))
    git(made, "branch", WORK)
    return made


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def _run(commit: str) -> Run:
    run = Run(id="20260101-0900-x-aaaa")
    return replace(run, git=replace(run.git, work_branch=WORK, latest_commit=commit))


def test_the_remote_is_one_that_has_the_branch(root: Path) -> None:
    git(root, "push", "-q", "upstream", WORK)
    git(root, "switch", "-q", WORK)
    commit(root, "more", b_py="b = 1\n")
    assert list(tell_unpushed(root, _run(""))) == [
        f"{WORK} is not pushed as it is here: `git push upstream {WORK}`"
    ]
    assert name_remote(root, "agent/other") == "fork"
    git(root, "remote", "add", "origin", "nowhere")
    assert name_remote(root, "agent/other") == "origin"
    assert name_remote(root, WORK) == "upstream"


def test_runs_go_where_a_person_agreed_to_them(root: Path, tmp_path: Path) -> None:
    upstream = str(tmp_path / "upstream")
    assert find_remote(root).name == "fork"
    git(root, "push", "-q", "upstream", f"{WORK}:agent-memory")

    assert find_remote(root).name == "upstream", "it has runs"
    assert name_remote(root, "agent/other") == "upstream", "who shares them fetches there"
    git(root, "remote", "add", "origin", str(tmp_path / "fork"))
    assert find_remote(root).name == "origin"
    assert find_remote(root, agreed={upstream}).name == "upstream"
    assert find_remote(root, agreed={upstream, str(tmp_path / "fork")}).name == "origin"
    assert find_remote(root, "fork", {upstream}).name == "fork", "it was named"


def test_who_is_to_push_all_of_a_run_is_told_the_remote_that_there_is(root: Path) -> None:
    git(root, "push", "-q", "upstream", WORK)
    run = _run("1" * 40)
    with pytest.raises(NotFound) as refused:
        check_latest(root, run)
    assert "`git push upstream 'refs/heads/agent/" in (refused.value.hint or "")
    lost = Unmerged(lane="lane-001", task="TASK-001", commit="1" * 40, why="it is not here")
    [step] = list_lost_steps(run, (lost,), lambda branch: name_remote(root, branch))
    assert "(git push upstream 'refs/heads/agent/" in step.text


def test_commits_that_went_apart_are_put_together_with_the_remote_that_there_is(
    pair: Pair,
) -> None:
    lane, folder, copy = take_to_and_fro(pair)
    commit(copy, "mine", mine_py="mine = 1\n")
    commit(folder, "theirs", theirs_py="theirs = 1\n")
    pair.share(pair.one, lane)
    pair.share(pair.two)
    resume(pair, pair.two)
    git(pair.two.root, "remote", "rename", "origin", "team/shared")
    run = pair.look(pair.two)
    with pytest.raises(ConflictError, match="has commits here that its remote lacks") as refused:
        LaneTaking(pair.two.runs).prepare(run, run.lanes[lane])
    assert f"git merge team/shared/agent/{pair.run_id}/{lane} in" in (refused.value.hint or "")
