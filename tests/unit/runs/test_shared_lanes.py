"""Goal: what is reported as merged is in the work branch, in every clone; nothing pushed is missed.

Method: a bare remote and two clones with real git; both work on one run, push and pull.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.errors import ConflictError, IllegalTransition, InvalidValue, NotFound
from agentx.kernel.ids import ulid
from agentx.kernel.vouching.standing import Vouching
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.read import show_run
from agentx.operations.runs.recover import pull_request
from agentx.operations.runs.saying import Saying
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.runs.checking.check_work import CheckWork
from agentx.runs.choosing.place import Aim
from agentx.runs.lane_work import LaneWork
from agentx.runs.replies import Interruption
from agentx.runs.rules.claims import must_be_vouched, must_sign
from agentx.runs.rules.fold import fold
from agentx.wiring.runs import list_unmerged_runs
from tests.support.kept import KeptFolder
from tests.support.repository import commit, git
from tests.support.run_stories import Team, happening
from tests.support.shared_run import ACTOR, Pair


@pytest.fixture(scope="module")
def kept_pair(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder[Pair]:
    return KeptFolder(tmp_path_factory.mktemp("pair"), Pair)


@pytest.fixture
def pair(kept_pair: KeptFolder[Pair]) -> Pair:
    return kept_pair.lend()


def unmerged(pair: Pair, team: Team) -> list[str]:
    return [each.lane for each in LaneWork(team.runs).list_unmerged(pair.look(team))]


@pytest.mark.promise("runs.git-is-true")
def test_a_merge_elsewhere_counts_only_where_its_commits_are(pair: Pair) -> None:
    mine = pair.work_in_lane(pair.one, "TASK-001", b_py="b = 1\n")
    pair.share(pair.one)
    pair.share(pair.two)

    assert unmerged(pair, pair.one) == []
    assert unmerged(pair, pair.two) == [mine]
    # What the run stands on is not here: nothing is built on something else.
    for act in (
        lambda: pair.two.lanes.open(pair.run_id, actor=ACTOR, task="TASK-002"),
        lambda: pair.two.lanes.rebase(pair.run_id, actor=ACTOR),
        lambda: pair.two.lanes.record_changes(pair.run_id, actor=ACTOR),
    ):
        with pytest.raises(NotFound, match="is not in this repository") as stopped:
            act()
        assert f"git push origin 'refs/heads/agent/{pair.run_id}/*" in stopped.value.hint

    pair.share(pair.one, "work")
    opened = pair.two.lanes.open(pair.run_id, actor=ACTOR, task="TASK-002")
    assert (Path(opened.folder) / "b.py").exists()
    assert unmerged(pair, pair.two) == []


def test_who_has_a_merge_and_cannot_take_it_in_is_not_told_that_others_push_it(pair: Pair) -> None:
    pair.work_in_lane(pair.two, "TASK-002", c_py="c = 1\n")  # so the work branch has a folder
    pair.share(pair.two, "work")
    pair.share(pair.one)
    pair.work_in_lane(pair.one, "TASK-001", b_py="b = 1\n")
    pair.share(pair.one, "work")
    pair.share(pair.two)
    (pair.two.runs.git.folder(pair.run_id, "work") / "left.pyc").write_text("of a check")

    found, rebuilt = pair.two.runs.resume(pair.run_id)

    assert any("left.pyc" in each for each in rebuilt.remarks)
    assert "who merged pushes it" not in found.next[0].text
    assert "it is in this repository: mend what keeps the work branch" in found.next[0].text


@pytest.mark.promise("runs.git-is-true")
def test_no_box_is_ticked_and_nothing_ends_where_git_says_otherwise(
    pair: Pair, tmp_path: Path
) -> None:
    mine = pair.work_in_lane(pair.one, "TASK-001", b_py="b = 1\n")
    pair.one.says(pair.run_id, "task-dropped", task="TASK-002", reason="not needed")
    for phase in ("EXECUTION", "VERIFICATION", "CLEANUP", "PR_PREP"):
        pair.one.says(pair.run_id, "phase-entered", phase=phase)
    pair.one.says(pair.run_id, "verification-recorded", verdict="PASSED", checks=[])
    page = pair.one.root / f".agent-memory/runs/{pair.run_id}/pr/checklist.md"
    assert "- [ ] every lane is merged: `agentx run pr` asks git" in page.read_text("utf-8")
    pair.share(pair.one)
    pair.share(pair.two)
    known = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    here, there = (
        open_project(team.root, read_environment({**known, "MEMORY_PROJECT_ID": team.root.name}))
        for team in (pair.one, pair.two)
    )

    assert pull_request(here, actor=ACTOR).ready
    with pytest.raises(NotFound, match="is not in this repository"):
        pull_request(there, actor=ACTOR)
    seen = show_run(there)
    assert [(each.lane, each.task) for each in seen.unmerged] == [(mine, "TASK-001")]
    assert "not in the work branch here" in seen.next[0].text
    assert [run_id for run_id, _ in list_unmerged_runs(there)] == [pair.run_id]
    assert not list(list_unmerged_runs(here))
    with pytest.raises(IllegalTransition, match="counts as merged, but"):
        go_to_phase(there, Saying(), "complete")
    # The commits are fetched, and the branch that should hold them is elsewhere.
    git(pair.one.root, "push", "-q", "origin", f"agent/{pair.run_id}/work:refs/heads/backup")
    git(pair.two.root, "fetch", "-q")
    git(pair.two.root, "branch", f"agent/{pair.run_id}/work", "main")
    asked = pull_request(there, actor=ACTOR)
    assert not asked.ready
    assert "- [ ] TASK-001 is done" in asked.checklist
    assert f"- [ ]   {mine} counts as merged, but" in asked.checklist


@pytest.mark.promise("runs.git-is-true")
def test_the_work_branch_is_fast_forwarded_before_something_is_merged(pair: Pair) -> None:
    theirs = pair.two.lanes.open(pair.run_id, actor=ACTOR, task="TASK-002")
    assert theirs.lane is not None
    commit(Path(theirs.folder), "two", c_py="c = 1\n")
    pair.work_in_lane(pair.one, "TASK-001", b_py="b = 1\n")
    pair.share(pair.one, "work")

    # The memory of the other merge is not here yet; the remote's branch is asked all the same.
    pair.two.lanes.merge(pair.run_id, theirs.lane.id, actor=ACTOR)

    assert {"b.py", "c.py"} <= pair.list_files(pair.two)
    git(pair.two.root, "push", "-q", "origin", f"agent/{pair.run_id}/work")  # no rejection


def lose_work(pair: Pair, team: Team) -> None:
    """Take away the work branch of a clone and its folder, as a person may."""
    folder = team.runs.git.folder(pair.run_id, "work")
    git(team.root, "worktree", "remove", str(folder))
    git(team.root, "branch", "-q", "-D", f"agent/{pair.run_id}/work")


@pytest.mark.promise("runs.git-is-true")
def test_a_work_branch_that_is_gone_is_made_of_the_run_and_not_of_what_is_checked_out(
    pair: Pair,
) -> None:
    second, _ = open_with(pair, pair.one, "TASK-002", c_py="c = 1\n")
    pair.work_in_lane(pair.one, "TASK-001", b_py="b = 1\n")
    git(pair.one.root, "switch", "-q", "-c", "feature")
    commit(pair.one.root, "mine alone", private_py="p = 1\n")
    lose_work(pair, pair.one)

    told = pair.one.lanes.merge(pair.run_id, second, actor=ACTOR).told

    assert pair.list_files(pair.one) >= {"b.py", "c.py"}
    assert "private.py" not in pair.list_files(pair.one)
    assert unmerged(pair, pair.one) == []
    assert any("work was not here: it is made from" in each for each in told.remarks)
    with pytest.raises(NotFound, match="0123456789, which the run stands on, is not in") as no:
        pair.one.runs.git.ensure_work("another", "0123456789" * 4)
    assert "who made it pushes it" in no.value.hint


@pytest.mark.promise("runs.git-is-true")
def test_a_run_ends_though_its_work_branch_was_deleted_once_it_was_merged(pair: Pair) -> None:
    lane = pair.work_in_lane(pair.one, "TASK-001", b_py="b = 1\n")
    pair.one.says(pair.run_id, "task-dropped", task="TASK-002", reason="not needed")
    for phase in ("EXECUTION", "VERIFICATION", "CLEANUP", "PR_PREP"):
        pair.one.says(pair.run_id, "phase-entered", phase=phase)
    lose_work(pair, pair.one)
    git(pair.one.root, "branch", "-q", "-D", f"agent/{pair.run_id}/{lane}")
    with pytest.raises(IllegalTransition, match="is not here") as refused:
        pair.one.says(pair.run_id, "run-completed")
    assert f"`agentx run resume {pair.run_id}` makes it anew" in refused.value.hint
    (lost,) = pair.one.runs.list_unmerged(pair.look(pair.one))
    step = pair.one.runs.way_on(pair.look(pair.one), unmerged=(lost,)).next[0]
    assert "its commits are here: the branch is made anew by" in step.text
    assert "who merged pushes it" not in step.text

    pair.one.runs.resume(pair.run_id)

    assert unmerged(pair, pair.one) == []
    pair.one.says(pair.run_id, "run-completed")
    assert pair.look(pair.one).over


@pytest.mark.promise("runs.git-is-true")
def test_two_merges_apart_are_put_together_and_both_count(pair: Pair) -> None:
    pair.work_in_lane(pair.one, "TASK-001", b_py="b = 1\n")
    pair.work_in_lane(pair.two, "TASK-002", c_py="c = 1\n")
    pair.share(pair.one, "work")
    pair.share(pair.two)
    assert len(unmerged(pair, pair.two)) == 1

    told, changes = pair.two.lanes.record_changes(pair.run_id, actor=ACTOR)

    assert changes is not None
    assert set(changes.files) >= {"b.py", "c.py"}
    assert unmerged(pair, pair.two) == []
    assert any("work branch" in remark for remark in told.remarks)
    pair.share(pair.two, "work")
    pair.share(pair.one)
    pair.one.runs.resume(pair.run_id)
    assert {"b.py", "c.py"} <= pair.list_files(pair.one)
    assert unmerged(pair, pair.one) == []


@pytest.mark.promise("runs.git-is-true")
def test_lanes_opened_apart_have_branches_of_their_own_and_every_commit_is_kept(
    pair: Pair,
) -> None:
    names, folders = [], []
    for team, task in ((pair.one, "TASK-001"), (pair.two, "TASK-002")):
        opened = team.lanes.open(pair.run_id, actor=ACTOR, task=task)
        assert opened.lane is not None
        names.append(opened.lane.id)
        folders.append(Path(opened.folder))
        commit(folders[-1], task, **{f"{task[-1]}_py": "x\n"})
        team.lanes.finish(pair.run_id, opened.lane.id, actor=ACTOR)
        pair.share(team, "work", opened.lane.id)
    pair.share(pair.one)

    assert names == [pair.one.lane(1), pair.two.lane(1)]
    assert len(set(names)) == 2
    for team in (pair.one, pair.two):
        assert list(pair.look(team).lanes) == names
        with pytest.raises(InvalidValue, match="means 2 lanes"):
            team.lanes.merge(pair.run_id, "lane-001", actor=ACTOR)
    # Either can merge the other's: it is finished, and the branch was pushed.
    for name in names:
        pair.one.lanes.merge(pair.run_id, name, actor=ACTOR)
    assert {"1.py", "2.py"} <= pair.list_files(pair.one)
    assert unmerged(pair, pair.one) == []
    assert pair.one.lanes.open(pair.run_id, actor=ACTOR, lane="api").lane is not None
    told = pair.one.lanes.finish(pair.run_id, "api", actor=ACTOR)  # the beginning of a name will do
    assert told.lane is not None
    assert told.lane.id.startswith("api-")


def test_merges_apart_that_do_not_go_together_change_nothing_and_say_what_to_do(
    pair: Pair,
) -> None:
    pair.work_in_lane(pair.one, "TASK-001", a_py="one = 11\n")
    pair.work_in_lane(pair.two, "TASK-002", a_py="one = 12\n")
    pair.share(pair.one, "work")
    pair.share(pair.two)
    tip = git(pair.two.root, "rev-parse", f"agent/{pair.run_id}/work")

    with pytest.raises(ConflictError, match=r"a\.py") as stopped:
        pair.two.lanes.record_changes(pair.run_id, actor=ACTOR)

    assert "git merge origin/agent/" in stopped.value.hint
    assert git(pair.two.root, "rev-parse", f"agent/{pair.run_id}/work") == tip


def test_a_rebase_elsewhere_replaces_what_it_took_over(pair: Pair) -> None:
    pair.work_in_lane(pair.one, "TASK-001", b_py="b = 1\n")
    pair.share(pair.one, "work")
    pair.share(pair.two)
    pair.work_in_lane(pair.two, "TASK-002", c_py="c = 1\n")
    pair.share(pair.two, "work")
    commit(pair.one.root, "base moved", d_py="d = 1\n")
    pair.share(pair.one)
    pair.one.lanes.rebase(pair.run_id, actor=ACTOR)
    assert unmerged(pair, pair.one) == []
    git(pair.one.root, "push", "-q", "--force", "origin", f"agent/{pair.run_id}/work")
    pair.share(pair.one)
    pair.share(pair.two)

    pair.two.lanes.record_changes(pair.run_id, actor=ACTOR)

    assert unmerged(pair, pair.two) == []
    work = f"agent/{pair.run_id}/work"
    assert git(pair.two.root, "rev-parse", work) == git(pair.one.root, "rev-parse", work)


@pytest.mark.promise("runs.git-is-true")
def test_a_rebase_that_nobody_vouches_for_takes_no_commit_from_a_work_branch(pair: Pair) -> None:
    pair.work_in_lane(pair.one, "TASK-001", b_py="b = 1\n")
    work = f"agent/{pair.run_id}/work"
    folder = pair.one.runs.git.folder(pair.run_id, "work")
    commit(folder, "by hand", mine_py="mine = 1\n")
    tip, base = (git(pair.one.root, "rev-parse", name) for name in (work, "main"))
    git(pair.two.root, "switch", "-q", "--detach", base)
    commit(pair.two.root, "evil", evil_py="evil = 1\n")
    evil = git(pair.two.root, "rev-parse", "HEAD")
    git(pair.two.root, "push", "-q", "origin", f"{evil}:refs/heads/{work}")
    typed = happening("work-rebased", commit=base, onto=base, before=tip)
    events = pair.one.runs.events(pair.run_id)
    last = replace(events[-1], id=ulid(events[-1].at_ms + 1, bytes(10)), kind=typed.kind, lane="")
    last = replace(last, detail=dict(typed.detail), standing=Vouching.UNSIGNED)

    pair.one.runs.git.catch_up(fold(pair.run_id, (*events, last)))

    assert git(pair.one.root, "merge-base", "--is-ancestor", tip, work) == ""
    assert (folder / "mine.py").is_file()


def open_with(pair: Pair, team: Team, task: str, **files: str) -> tuple[str, Path]:
    """Open a lane and commit something there; return its name and its folder."""
    opened = team.lanes.open(pair.run_id, actor=ACTOR, task=task)
    assert opened.lane is not None
    commit(Path(opened.folder), task, **files)
    return opened.lane.id, Path(opened.folder)


@pytest.mark.promise("runs.git-is-true")
def test_a_commit_that_came_after_the_merge_of_its_lane_is_named_and_can_be_taken_in(
    pair: Pair,
) -> None:
    lane, folder = open_with(pair, pair.one, "TASK-001", b_py="b = 1\n")
    pair.one.lanes.finish(pair.run_id, lane, actor=ACTOR)
    pair.share(pair.one, lane)
    commit(folder, "after", late_py="late = 1\n")
    pair.share(pair.two)
    pair.two.lanes.merge(pair.run_id, lane, actor=ACTOR)
    pair.share(pair.two, "work")
    pair.share(pair.one)
    pair.one.runs.fetch(pair.run_id)

    assert unmerged(pair, pair.two) == []
    (found,) = LaneWork(pair.one.runs).list_unmerged(pair.look(pair.one))
    assert (found.lane, found.is_elsewhere) == (lane, False)
    assert found.why.startswith("1 commit on its branch is not in the work branch")
    (step,) = pair.one.runs.way_on(pair.look(pair.one), unmerged=(found,)).next[:1]
    assert step.command.startswith(f"agentx run lane merge {lane}")
    assert f"git branch -D agent/{pair.run_id}/{lane}" in step.text
    with pytest.raises(IllegalTransition, match="counts as merged, but 1 commit"):
        pair.one.runs.check_merged(pair.look(pair.one))

    told = pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)

    assert [event.kind for event in told.told.added] == ["lane-merged"]
    assert unmerged(pair, pair.one) == []
    assert "late.py" in pair.list_files(pair.one)
    with pytest.raises(IllegalTransition, match="nothing of it is left"):
        pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)


@pytest.mark.promise("runs.git-is-true")
def test_what_was_pushed_to_a_lane_is_taken_in_before_it_is_merged(pair: Pair) -> None:
    lane, folder = open_with(pair, pair.one, "TASK-001", b_py="b = 1\n")
    pair.share(pair.one, lane)
    branch = f"agent/{pair.run_id}/{lane}"
    git(pair.two.root, "fetch", "-q")
    git(pair.two.root, "checkout", "-q", "-b", "theirs", f"origin/{branch}")
    commit(pair.two.root, "pushed by another", late_py="late = 1\n")
    git(pair.two.root, "push", "-q", "origin", f"theirs:{branch}")

    with pytest.raises(ConflictError, match=f"origin/{branch} has commits that {lane} lacks") as no:
        pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    assert f"git -C {folder} merge origin/{branch}" in no.value.hint
    assert "b.py" not in pair.list_files(pair.one)
    git(folder, "merge", "-q", f"origin/{branch}")
    pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)

    assert {"b.py", "late.py"} <= pair.list_files(pair.one)
    assert unmerged(pair, pair.one) == []


@pytest.mark.promise("runs.git-is-true")
def test_a_typed_merge_of_another_commit_ticks_no_box(pair: Pair) -> None:
    lane, _ = open_with(pair, pair.one, "TASK-001", b_py="b = 1\n")
    base = git(pair.one.root, "rev-parse", f"agent/{pair.run_id}/work").strip()
    for kind in ("lane-finished", "lane-merged"):
        pair.one.says(pair.run_id, kind, lane=lane, commit=base)

    assert unmerged(pair, pair.one) == [lane]


@pytest.mark.promise("runs.git-is-true")
def test_nothing_is_verified_on_a_work_branch_that_lacks_a_merged_lane(pair: Pair) -> None:
    pair.one.says(pair.run_id, "checks-declared", checks=["test ! -f bad.py"])
    pair.one.says(pair.run_id, "task-dropped", task="TASK-002", reason="not needed")
    pair.work_in_lane(pair.one, "TASK-001", a_py="a = 1\n")
    pair.share(pair.one, "work")
    pair.share(pair.two)
    pair.two.runs.fetch(pair.run_id)
    pair.two.says(pair.run_id, "task-retried", task="TASK-001")
    bad = pair.work_in_lane(pair.two, "TASK-001", bad_py="b = 1\n")
    pair.two.says(pair.run_id, "phase-entered", phase="EXECUTION")
    pair.two.says(pair.run_id, "phase-entered", phase="VERIFICATION")
    pair.share(pair.two)
    pair.share(pair.one)
    checks = CheckWork(pair.one.runs)

    for act in (
        lambda: checks.run(Aim(run_id=pair.run_id), (), actor=ACTOR, wait_ms=10_000),
        lambda: checks.find_commit(Aim(run_id=pair.run_id)),
        lambda: pair.one.runs.next_phase(pair.run_id, actor=ACTOR),
    ):
        with pytest.raises(IllegalTransition, match=f"{bad} counts as merged, but"):
            act()

    pair.share(pair.two, "work")
    pair.one.runs.fetch(pair.run_id)
    ran = checks.run(Aim(run_id=pair.run_id), (), actor=ACTOR, wait_ms=10_000)
    assert not ran.report.passed


def test_what_a_rebase_took_over_is_held_also_where_the_old_work_branch_never_was(
    pair: Pair,
) -> None:
    lane, _ = open_with(pair, pair.one, "TASK-001", b_py="b = 1\n")
    pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    commit(pair.one.root, "base moved", d_py="d = 1\n")
    pair.one.lanes.rebase(pair.run_id, actor=ACTOR)
    pair.share(pair.one, "work", lane)
    pair.share(pair.two)

    pair.two.runs.fetch(pair.run_id)

    assert unmerged(pair, pair.one) == unmerged(pair, pair.two) == []


def rebase_on_near_change(pair: Pair) -> tuple[str, Path]:
    """Merge a lane and rebase it onto a change next to its own, in one clone; share all of it."""
    lines = "".join(f"line {number}\n" for number in range(12))
    commit(pair.one.root, "lines", lines_txt=lines)
    pair.run_id = pair.one.runs.start("another run").id
    pair.one.says(pair.run_id, "task-added", task="TASK-001", title="do it")
    pair.share(pair.one)
    pair.share(pair.two)
    mine = lines.replace("line 9", "line nine")
    lane, folder = open_with(pair, pair.one, "TASK-001", lines_txt=mine)
    pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    commit(pair.one.root, "base moved", lines_txt=lines.replace("line 7", "line seven"))
    pair.one.lanes.rebase(pair.run_id, actor=ACTOR)
    pair.share(pair.one, "work", lane)
    return lane, folder


def test_a_rebase_says_which_lanes_it_took_over_whoever_saw_the_old_branch(pair: Pair) -> None:
    rebase_on_near_change(pair)
    pair.share(pair.two)
    pair.two.runs.fetch(pair.run_id)

    assert unmerged(pair, pair.one) == unmerged(pair, pair.two) == []


@pytest.mark.promise("runs.git-is-true")
def test_what_came_after_a_rebase_is_named_also_where_it_is_a_merge(pair: Pair) -> None:
    lane, folder = rebase_on_near_change(pair)
    branch = f"agent/{pair.run_id}/{lane}"
    git(pair.one.root, "worktree", "add", "-q", str(folder), branch)
    git(folder, "merge", "-q", "--no-commit", "--no-ff", "main")
    commit(folder, "merge and mend", fix_py="fix = 1\n")
    git(pair.one.root, "push", "-q", "origin", branch)
    pair.share(pair.two)
    pair.two.runs.fetch(pair.run_id)

    assert unmerged(pair, pair.one) == unmerged(pair, pair.two) == [lane]
    found = LaneWork(pair.two.runs).list_unmerged(pair.look(pair.two))
    (step,) = pair.two.runs.way_on(pair.look(pair.two), unmerged=found).next[:1]
    assert f"git push origin --delete {branch}; git branch -r -d origin/{branch}" in step.text
    with pytest.raises(IllegalTransition, match="merged in part"):
        pair.one.lanes.rebase(pair.run_id, actor=ACTOR)


@pytest.mark.promise("runs.git-is-true")
def test_a_rebase_that_nobody_vouches_for_takes_no_lane_over(pair: Pair) -> None:
    lane, folder = open_with(pair, pair.one, "TASK-001", b_py="b = 1\n")
    base = git(pair.one.root, "rev-parse", f"agent/{pair.run_id}/work").strip()
    tip = git(folder, "rev-parse", "HEAD").strip()
    for kind in ("lane-finished", "lane-merged"):
        pair.one.says(pair.run_id, kind, lane=lane, commit=base)
    typed = happening("work-rebased", commit=base, onto=base, before=tip, took=[tip])
    events = pair.one.runs.events(pair.run_id)
    last = replace(events[-1], id=ulid(events[-1].at_ms + 1, bytes(10)), kind=typed.kind, lane="")
    last = replace(last, detail=dict(typed.detail), standing=Vouching.UNSIGNED)

    assert must_sign(last)
    assert must_be_vouched(last)
    run = fold(pair.run_id, (*events, last))
    assert [each.lane for each in LaneWork(pair.one.runs).list_unmerged(run)] == [lane]


def test_a_conflict_with_what_came_after_asks_a_person_and_leaves_the_lane_to_be_mended(
    pair: Pair,
) -> None:
    lane, folder = open_with(pair, pair.one, "TASK-001", b_py="b = 1\n")
    pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    pair.work_in_lane(pair.one, "TASK-002", b_py="b = 2\n")
    git(pair.one.root, "worktree", "add", "-q", str(folder), f"agent/{pair.run_id}/{lane}")
    commit(folder, "after", b_py="b = 3\n")
    git(pair.one.root, "worktree", "remove", str(folder))

    told = pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)

    assert told.conflict is not None
    assert told.conflict.files == ("b.py",)
    assert folder.is_dir()
    with pytest.raises(AssertionError, match="CONFLICT"):
        git(folder, "merge", "-q", f"agent/{pair.run_id}/work")
    commit(folder, "mended", b_py="b = 23\n")
    pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    assert unmerged(pair, pair.one) == []


def test_a_remote_that_is_not_reached_is_said_and_stops_nothing(pair: Pair) -> None:
    pair.remote.rename(pair.remote.with_name("gone.git"))

    told = pair.one.lanes.open(pair.run_id, actor=ACTOR, task="TASK-001").told

    assert any("origin was not reached" in remark for remark in told.remarks)


@pytest.mark.promise("runs.git-is-true")
def test_a_lane_that_was_merged_without_a_commit_is_merged_elsewhere_as_well(pair: Pair) -> None:
    opened = pair.one.lanes.open(pair.run_id, actor=ACTOR, task="TASK-001")
    assert opened.lane is not None
    pair.one.lanes.merge(pair.run_id, opened.lane.id, actor=ACTOR)
    pair.share(pair.one)
    pair.share(pair.two)

    found, _ = pair.two.runs.resume(pair.run_id, actor=ACTOR)

    assert not pair.two.runs.list_unmerged(pair.look(pair.two))
    assert not any("run resume" in step.command for step in found.next)


@pytest.mark.promise("runs.git-is-true")
def test_a_lane_that_nobody_merged_is_told_with_what_merges_it(pair: Pair) -> None:
    opened = pair.one.lanes.open(pair.run_id, actor=ACTOR, task="TASK-001")
    assert opened.lane is not None
    lane, folder = opened.lane, Path(opened.folder)
    commit(folder, "b", b_py="b = 1\n")
    head = git(folder, "rev-parse", "HEAD")
    pair.one.says(pair.run_id, "task-dropped", task="TASK-002", reason="not needed")
    pair.one.says(pair.run_id, "phase-entered", phase="EXECUTION")
    with pair.one.store.editing(pair.run_id) as desk:  # as anybody may write it
        desk.record([happening("lane-merged", lane=lane.id, commit=head)])
        desk.record([happening("task-completed", task="TASK-001")])

    found, _ = pair.one.runs.resume(pair.run_id)

    assert found.interruption is Interruption.LOST
    (step,) = found.next
    assert step.text == (
        f"{lane.id} counts as merged, but {head[:10]} is not in agent/{pair.run_id}/work: "
        "merge it once more"
    )
    assert step.command == f"agentx run lane merge {lane.id}"
    git(pair.one.root, "worktree", "remove", "--force", opened.folder)
    git(pair.one.root, "branch", "-q", "-D", lane.branch)
    (step,) = pair.one.runs.resume(pair.run_id)[0].next
    assert step.command == f"git branch {lane.branch} {head[:10]}; agentx run lane merge {lane.id}"
    git(pair.one.root, *step.command.partition(";")[0].split()[1:])
    pair.one.lanes.merge(pair.run_id, lane.id, actor=ACTOR)
    found, _ = pair.one.runs.resume(pair.run_id)
    assert found.interruption is Interruption.NONE
    assert [step.command for step in found.next] == ["agentx run phase next"]
