"""Goal: of a run that is over git is asked as before; nothing is said to be there that is not.

Method: a bare remote and two clones with real git; one person ends a run, both look at it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.kernel.errors import ConflictError
from agentx.operations.runs.archive import archive_run
from agentx.operations.runs.lane import finish_lane, merge_lane, open_lane
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.read import show_run
from agentx.operations.runs.recover import PullRequest, pull_request, resume_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import record_event, task_step
from agentx.project.project import Project
from agentx.runs.replies import Landed
from agentx.wiring.runs import list_unmerged_runs
from tests.support.mcp_agent import Agent
from tests.support.repository import commit, git
from tests.support.two_people import FIRST, SECOND, Two

ACTOR = "executor"
MERGED = "- [x] every lane is merged"


@pytest.fixture
def both(tmp_path: Path) -> Two:
    """Return two people and a run that the first of them did and ended; no branch is pushed."""
    two = Two(tmp_path)
    opened = open_lane(two.one, Saying(task=FIRST))
    assert opened.lane is not None
    commit(Path(opened.folder), "work", b_py="b = 1\n")
    finish_lane(two.one, Saying(lane=opened.lane.id))
    merge_lane(two.one, Saying(lane=opened.lane.id))
    task_step(two.one, Saying(task=SECOND), "task-dropped", {"reason": "not needed"})
    for wanted in ("EXECUTION", "VERIFICATION", "CLEANUP", "PR_PREP", "complete"):
        go_to_phase(two.one, Saying(), wanted)
    two.sync(two.one)
    two.sync(two.two)
    return two


def _ask(both: Two, project: Project) -> PullRequest:
    return pull_request(project, both.run_id, actor=ACTOR)


def _say_status(both: Two, project: Project) -> list[str]:
    found = show_run(project, both.run_id)
    return [each.why for each in found.unmerged] + [step.text for step in found.next]


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("is_apart", [False, True])
def test_a_run_that_is_over_is_as_it_was_pushed_where_the_branch_here_lags(
    both: Two, is_apart: bool
) -> None:
    work = f"agent/{both.run_id}/work"
    git(both.one.root, "push", "-q", "origin", work)
    git(both.two.root, "fetch", "-q")
    git(both.two.root, "branch", work, f"origin/{work}~1")
    if is_apart:  # two merged the same at once, and one of them pushed
        made = git(both.two.root, "commit-tree", "-m", "too", "-p", work, f"origin/{work}^{{tree}}")
        git(both.two.root, "update-ref", f"refs/heads/{work}", made)

    assert not show_run(both.two, both.run_id).unmerged
    asked = _ask(both, both.two)
    assert MERGED in asked.checklist
    assert asked.changes == _ask(both, both.one).changes
    assert asked.remarks == ()


def _squash(root: Path, work: str) -> None:
    git(root, "merge", "-q", "--squash", work)
    git(root, "commit", "-q", "-m", "all of it (#1)")


def _replay(root: Path, work: str) -> None:
    commit(root, "another", c_py="c = 1\n")
    git(root, "cherry-pick", f"{work}^2" if _is_merge(root, work) else work)


def _is_merge(root: Path, work: str) -> bool:
    return len(git(root, "rev-list", "--parents", "-1", work).split()) > 2


def _merge(root: Path, work: str) -> None:
    git(root, "merge", "-q", "--no-ff", "-m", "merged", work)


def _take_back(root: Path, work: str) -> None:
    _squash(root, work)
    git(root, "revert", "--no-edit", "HEAD")
    commit(root, "another", c_py="c = 1\n")


def _edit_after(root: Path, work: str) -> None:
    _squash(root, work)
    commit(root, "more", b_py="b = 1\nd = 2\n")


@pytest.mark.parametrize(
    ("land", "landed"),
    [
        (_merge, Landed(where="main")),
        (_squash, Landed(where="main", is_other=True)),
        (_replay, Landed(where="main", is_other=True)),
        (_edit_after, Landed(where="main", is_other=True, is_sure=False)),
        (_take_back, Landed(where="main", is_other=True, is_sure=False)),
        (lambda root, _: commit(root, "another", c_py="c = 1\n"), None),
        (lambda *_: None, None),
    ],
    ids=["merged", "squashed", "rebased", "changed", "taken back", "gone on", "nothing"],
)
def test_work_that_came_in_is_told_and_not_pushed_again(
    both: Two, land: Callable[[Path, str], object], landed: Landed | None
) -> None:
    land(both.one.root, f"agent/{both.run_id}/work")

    found = _ask(both, both.one)
    assert found.landed == landed
    is_pushing = any("is not pushed as it is here" in each for each in found.remarks)
    assert is_pushing != (landed is not None and landed.is_sure)


@pytest.mark.promise("runs.git-is-true")
def test_a_run_that_is_over_is_not_ready_where_its_branch_is_not(both: Two) -> None:
    assert MERGED in _ask(both, both.one).checklist

    asked = _ask(both, both.two)

    assert "- [ ] every lane is merged" in asked.checklist
    assert "counts as merged, but the work branch" in asked.checklist
    assert any("who merged it pushes the run's branches" in each for each in asked.remarks)
    (why, step, *_) = _say_status(both, both.two)
    assert why.endswith("/work is not here, nor in main")
    assert "git push origin 'refs/heads/agent/" in step
    said = Agent(both.two.root, both.two.environment).call("run_status", run=both.run_id)
    assert "/work is not here, nor in main" in next(x for x in said.splitlines() if " MERGED " in x)
    ((_, (told,)),) = list_unmerged_runs(both.two)
    assert (told.is_over, told.is_elsewhere, told.is_here) == (True, True, False)
    with pytest.raises(
        ConflictError, match=r"whom you do not trust, and lane-001-.* is not merged"
    ):
        archive_run(both.two, both.run_id)
    git(both.one.root, "push", "-q", "origin", f"agent/{both.run_id}/work")
    assert MERGED in _ask(both, both.two).checklist, "it looks at the remote"
    assert not show_run(both.two, both.run_id).unmerged
    archive_run(both.two, both.run_id)


@pytest.mark.promise("runs.git-is-true")
def test_a_work_branch_that_was_moved_back_after_the_end_is_told_with_what_mends_it(
    both: Two,
) -> None:
    folder = next(
        line.removeprefix("worktree ")
        for line in git(both.one.root, "worktree", "list", "--porcelain").splitlines()
        if line.startswith("worktree ") and line.endswith("/work")
    )
    git(Path(folder), "reset", "-q", "--hard", "main")

    assert "- [ ] every lane is merged" in _ask(both, both.one).checklist
    (why, step, *_) = _say_status(both, both.one)
    assert f"is not in agent/{both.run_id}/work" in why
    assert "merge it once more" in step
    resumed, _ = resume_run(both.one, both.run_id, actor=ACTOR)
    assert resumed.next[0].command.startswith("agentx run event --type run-reopened")
    record_event(both.one, Saying(run_id=both.run_id), "run-reopened", {})
    (lane,) = show_run(both.one).lanes
    step_now = show_run(both.one).next[0]
    assert step_now.command == f"agentx run lane merge {lane.id}"
    merge_lane(both.one, Saying(lane=lane.id))
    assert not show_run(both.one).unmerged


@pytest.mark.promise("runs.git-is-true")
def test_branches_may_be_deleted_once_the_base_has_what_was_merged(both: Two) -> None:
    root, run_id = both.one.root, both.run_id
    git(root, "merge", "-q", "--no-edit", f"agent/{run_id}/work")
    git(root, "push", "-q", "origin", "HEAD:main")
    for line in git(root, "worktree", "list", "--porcelain").splitlines():
        if line.startswith("worktree ") and f"/{run_id}/" in line:
            git(root, "worktree", "remove", "--force", line.removeprefix("worktree "))
    for name in git(root, "branch", "--list", "--format=%(refname:short)", "agent/*").split():
        git(root, "branch", "-q", "-D", name)
    git(both.two.root, "fetch", "-q")

    for project in (both.one, both.two):
        assert MERGED in _ask(both, project).checklist
        assert not show_run(project, run_id).unmerged

    git(root, "reset", "-q", "--hard", "HEAD~1")  # where it was squashed, git cannot tell
    git(root, "update-ref", "-d", "refs/remotes/origin/main")
    text = " ".join(_say_status(both, both.one))
    assert "where main took it over in other commits all is well; else" in text
    assert f"git branch agent/{run_id}/work " in show_run(both.one, run_id).next[0].command
