"""Goal: lanes really run side by side in git, and nothing of the user's is touched.

Method: a real repository; two lanes, a conflict, a rebase, a failure, dirty trees, and a
process that dies between git and the event.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.git.mending import holding
from agentx.kernel.errors import ConflictError, IllegalTransition, NotFound, UnavailableError
from agentx.kernel.paths import StorePaths
from agentx.runs.model import LaneStatus, TaskStatus
from agentx.runs.replies import Interruption
from agentx.runs.store.git_lanes import GitLanes
from tests.support.repository import commit, git, repository
from tests.support.run_stories import Killed, Team, killed


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(repository(tmp_path / "shop", a_py="one = 1\n"), tmp_path / "store")


@pytest.fixture(autouse=True)
def _no_long_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "WAIT_S", 0.2)


@pytest.fixture(autouse=True)
def _nothing_armed() -> Iterator[None]:
    yield
    crash.disarm()


def _two_lanes(team: Team) -> tuple[str, Path, Path]:
    run_id = team.runs.start("two lanes").id
    for name in ("TASK-001", "TASK-002"):
        team.says(run_id, "task-added", task=name, title=f"do {name}")
    one, two = (
        Path(team.lanes.open(run_id, actor="executor", task=name).folder)
        for name in ("TASK-001", "TASK-002")
    )
    return run_id, one, two


def _theirs(team: Team) -> dict[str, str]:
    """Return what belongs to the user: branches, the checkout, what is not committed."""
    refs = git(team.root, "for-each-ref", "--format=%(refname) %(objectname)")
    mine = [line for line in refs.splitlines() if not line.startswith("refs/heads/agent/")]
    status = git(team.root, "status", "--porcelain", "--", ":!.agent-memory")
    return {"refs": "\n".join(mine), "head": git(team.root, "rev-parse", "HEAD"), "status": status}


@pytest.mark.promise("runs.lanes")
def test_two_lanes_are_merged_the_second_after_a_person_settled_the_conflict(team: Team) -> None:
    (team.root / "scratch").write_text("mine, not committed\n")
    before = _theirs(team)
    run_id, one, two = _two_lanes(team)
    commit(one, "one", a_py="one = 11\n")
    commit(two, "two", a_py="one = 12\n")

    merged = team.lanes.merge(run_id, "lane-001", actor="executor")
    conflict = team.lanes.merge(run_id, "lane-002", actor="executor")
    found, _ = team.runs.resume(run_id)
    again = team.lanes.merge(run_id, "lane-002", actor="executor")
    work = f"agent/{run_id}/work"
    git(two, "merge", "-q", work, check=False)
    commit(two, "both", a_py="one = 13\n")
    settled = team.lanes.merge(run_id, "lane-002", actor="executor")

    assert merged.conflict is None
    assert merged.told.run.tasks["TASK-001"].status is TaskStatus.COMPLETED
    assert conflict.conflict is not None
    assert conflict.conflict.files == ("a.py",)
    assert str(conflict.told.run.status) == "BLOCKED"
    assert found.interruption is Interruption.CONFLICT
    assert found.next[0].command == f"agentx run lane merge {team.lane(2)}"
    assert again.told.added == ()
    assert settled.told.run.lanes[team.lane(2)].status is LaneStatus.MERGED
    assert str(settled.told.run.status) == "IN_PROGRESS"
    assert not settled.told.run.blockers
    assert git(team.root, "show", f"{work}:a.py") == "one = 13"
    assert not one.exists()
    assert _theirs(team) == before


def test_the_work_branch_follows_its_base_and_a_conflict_changes_nothing(team: Team) -> None:
    run_id, one, two = _two_lanes(team)
    commit(one, "one", b_py="b = 1\n")
    with pytest.raises(IllegalTransition, match="would be left behind"):
        team.lanes.rebase(run_id, actor="executor")
    team.lanes.merge(run_id, "lane-001", actor="executor")
    team.lanes.fail(run_id, "lane-002", "not needed", actor="executor")
    commit(team.root, "base moved", c_py="c = 1\n")
    base = git(team.root, "rev-parse", "main")

    rebased = team.lanes.rebase(run_id, actor="executor")
    nothing = team.lanes.rebase(run_id, actor="executor")
    commit(team.root, "base collides", b_py="b = 2\n")
    tip = git(team.root, "rev-parse", f"agent/{run_id}/work")
    stuck = team.lanes.rebase(run_id, actor="executor")

    assert [each.kind for each in rebased.told.added] == ["work-rebased"]
    assert rebased.told.added[0].text("onto") == base
    assert nothing.told.added == ()
    assert stuck.conflict is not None
    assert stuck.conflict.files == ("b.py",)
    assert git(team.root, "rev-parse", f"agent/{run_id}/work") == tip
    assert git(Path(stuck.folder), "status", "--porcelain") == ""
    assert two.is_dir(), "a failed lane is left for whoever looks"


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("keeps", ["mends", "undoes"])
def test_what_somebody_put_together_in_a_merge_outlives_a_rebase(team: Team, keeps: str) -> None:
    run_id, one, two = _two_lanes(team)
    work = f"agent/{run_id}/work"
    commit(one, "one", b_py="b = 1\n", d_py="d = 1\n")
    commit(two, "two", c_py="c = 1\n")
    team.lanes.merge(run_id, "lane-001", actor="executor")
    git(two, "merge", "-q", "--no-ff", "--no-commit", work)
    if keeps == "undoes":
        (two / "b.py").unlink()
    else:
        (two / "b.py").write_text("b = 'mended'\n")
        (two / "fix.py").write_text("fix = 1\n")
    commit(two, "take the other in", e_py="e = 1\n")
    team.lanes.merge(run_id, "lane-002", actor="executor")
    had = set(git(team.root, "ls-tree", "-r", work).splitlines())
    commit(team.root, "base moved", f_py="f = 1\n")

    team.lanes.rebase(run_id, actor="executor")

    now = set(git(team.root, "ls-tree", "-r", work).splitlines())
    assert had <= now
    added = {row.split("\t")[1] for row in now - had}
    assert {name for name in added if not name.startswith(".agent-memory/")} == {"f.py"}


def test_what_is_not_committed_is_refused_and_named(team: Team) -> None:
    run_id, one, two = _two_lanes(team)
    (one / "a.py").write_text("half done\n")
    (one / "new.py").write_text("x\n")

    with pytest.raises(ConflictError, match=r"lane-001-\w+ has changes .* a\.py, new\.py") as error:
        team.lanes.merge(run_id, "lane-001", actor="executor")
    assert str(one) in error.value.hint
    git(one, "checkout", "-q", "--", ".")
    (one / "new.py").unlink()
    work = team.runs.git.folder(run_id, "work")
    (work / "a.py").write_text("somebody was here\n")
    commit(two, "two", d_py="d\n")
    with pytest.raises(ConflictError, match="the work branch has changes"):
        team.lanes.merge(run_id, "lane-002", actor="executor")
    assert (work / "a.py").read_text() == "somebody was here\n"


def test_commits_that_are_on_no_branch_are_merged_by_nobody_and_never_lost(team: Team) -> None:
    run_id, one, two = _two_lanes(team)
    git(one, "checkout", "-q", "--detach")
    commit(one, "loose", b_py="b = 1\n")
    loose = git(one, "rev-parse", "HEAD")
    git(two, "checkout", "-q", "-b", "mine")
    commit(two, "elsewhere", c_py="c = 1\n")

    for name, says in (("lane-001", "1 commit is on no branch"), ("lane-002", "another branch")):
        for verb in (team.lanes.finish, team.lanes.merge):
            with pytest.raises(ConflictError, match=says):
                verb(run_id, name, actor="executor")
    assert one.is_dir()
    git(one, "checkout", "-q", "-B", f"agent/{run_id}/{one.name}", loose)
    assert team.lanes.merge(run_id, "lane-001", actor="executor").conflict is None
    git(team.root, "merge-base", "--is-ancestor", loose, f"agent/{run_id}/work")
    assert not one.exists()


def test_where_the_repository_was_moved_it_is_said_how_its_lanes_are_found(team: Team) -> None:
    run_id, one, _ = _two_lanes(team)
    (one / "b.py").write_text("b = 1\n", "utf-8")
    root = team.root.rename(team.root.with_name("moved"))
    moved = GitLanes(root, StorePaths(team.data))

    with pytest.raises(UnavailableError) as told:
        moved.list_changed(run_id, one.name)

    assert "where its repository was moved to, type: git worktree repair" in told.value.hint
    git(root, "worktree", "repair")
    assert moved.list_changed(run_id, one.name) == ("b.py",)


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_a_folder_with_an_edit_that_git_overlooks_stays_and_that_is_said(
    team: Team, flag: str
) -> None:
    run_id, one, two = _two_lanes(team)
    for lane in (one, two):
        commit(lane, "work", **{f"{lane.name.replace('-', '_')}_py": "b = 1\n"})
        git(lane, "update-index", flag, "a.py")
    (one / "a.py").write_text("one = 'only on this machine'\n", "utf-8")
    git(two, "merge", "-q", f"agent/{run_id}/{one.name}")

    told = team.lanes.merge(run_id, one.name, actor="executor").told

    why = "git overlooks changes of a.py (update-index), and no branch has them"
    assert told.remarks[-1] == f"{one} stays: {why}"
    assert (one / "a.py").read_text("utf-8") == "one = 'only on this machine'\n"
    team.lanes.merge(run_id, two.name, actor="executor")
    assert not two.exists()  # what git overlooks there is as it was committed


def test_a_folder_with_files_that_git_ignores_stays_and_that_is_said(team: Team) -> None:
    run_id, one, two = _two_lanes(team)
    commit(one, "one", b_py="b = 1\n")
    (one / ".gitignore").write_text(".env\ncache/\n")
    commit(one, "ignores")
    (one / "cache").mkdir()
    (one / "cache" / "x").write_text("made again by what made it")
    (one / ".env").write_text("KEY=1\n")

    told = team.lanes.merge(run_id, one.name, actor="executor").told

    assert told.remarks[-1] == f"{one} stays: git ignores .env, and no branch has it"
    assert (one / ".env").exists()
    commit(two, "two", c_py="c = 1\n")
    (two / "cache").mkdir()
    (two / "cache" / "x").write_text("made again by what made it")
    git(two, "merge", "-q", f"agent/{run_id}/work")
    assert "stays" not in " ".join(
        team.lanes.merge(run_id, two.name, actor="executor").told.remarks
    )
    assert not two.exists()


def test_who_opens_a_lane_is_told_that_git_leaves_its_submodules_empty(team: Team) -> None:
    commit(team.root, "with a submodule", **{".gitmodules": ""})
    run_id = team.runs.start("a run").id
    opened = team.lanes.open(run_id, actor="executor")
    says = f"git lays out no submodules there: `git -C {opened.folder} submodule update --init`"
    assert says in opened.told.remarks


def test_a_folder_in_which_its_branch_is_not_checked_out_is_named(team: Team) -> None:
    run_id, one, _ = _two_lanes(team)
    commit(one, "one", b_py="b = 1\n")
    work = one.parent / "work"
    git(work, "checkout", "-q", "--detach")

    with pytest.raises(ConflictError, match=f"agent/{run_id}/work is not checked out in") as said:
        team.lanes.merge(run_id, one.name, actor="executor")
    assert f"git -C {work} switch agent/{run_id}/work" in said.value.hint
    git(work, "switch", "-q", f"agent/{run_id}/work")
    assert team.lanes.merge(run_id, one.name, actor="executor").conflict is None


def test_branches_that_are_somebody_elses_are_left_alone(team: Team) -> None:
    run_id = team.runs.start("careful").id
    team.lanes.open(run_id, actor="executor")
    commit(team.root, "mine", e_py="e\n")
    git(team.root, "branch", f"agent/{run_id}/lane-777")
    git(team.root, "switch", "-q", "-c", f"agent/{run_id}/lane-888")

    with pytest.raises(ConflictError, match="has commits of its own"):
        team.lanes.open(run_id, actor="executor", lane="lane-777")
    with pytest.raises(ConflictError, match=r"commits of its own|is checked out in"):
        team.lanes.open(run_id, actor="executor", lane="lane-888")
    assert "lane-777" not in team.runs.run(run_id)[0].lanes


@pytest.mark.promise("runs.recover")
def test_a_failed_lane_is_tried_again_or_its_task_given_to_another(team: Team) -> None:
    run_id, one, _ = _two_lanes(team)
    commit(one, "half", a_py="one = 2\n")
    team.lanes.fail(run_id, "lane-001", "tests are red", actor="executor")

    found, _ = team.runs.resume(run_id)
    retried = team.lanes.retry(run_id, "lane-001", actor="executor")
    team.lanes.fail(run_id, "lane-001", "red again", actor="executor")
    given = team.lanes.reassign(run_id, "lane-001", actor="verifier", reason="fresh eyes")

    assert found.interruption is Interruption.LANE
    assert [step.command for step in found.next[:2]] == [
        f"agentx run lane retry {team.lane(1)}",
        f"agentx run lane reassign {team.lane(1)}",
    ]
    assert retried.told.run.lanes[team.lane(1)].attempts == 2
    assert retried.folder == str(one)
    run = given.told.run
    assert run.lanes[team.lane(1)].status is LaneStatus.REASSIGNED
    assert given.lane is not None
    assert (given.lane.id, given.lane.task) == (team.lane(3), "TASK-001")
    assert run.tasks["TASK-001"].status is TaskStatus.IN_PROGRESS
    assert (Path(given.folder) / "a.py").read_text() == "one = 1\n"


def test_without_git_runs_work_and_lanes_say_what_they_need(tmp_path: Path) -> None:
    team = Team(tmp_path / "plain", tmp_path / "store")
    team.root.mkdir()
    run_id = team.runs.start("no git here").id

    with pytest.raises(NotFound, match="lanes need a git repository"):
        team.lanes.open(run_id, actor="executor")
    team.says(run_id, "note", text="still works")
    assert team.runs.resume(run_id)[0].run_id == run_id


@pytest.mark.promise("runs.recover")
@pytest.mark.parametrize(
    "point",
    [
        CrashPoint.RUN_BRANCH_MADE,
        CrashPoint.RUN_WORKTREE_MADE,
        CrashPoint.RUN_GIT_BEGUN,
        CrashPoint.RUN_GIT_DONE,
        CrashPoint.RUN_EVENTS_WRITTEN,
    ],
)
def test_dying_between_git_and_the_event_is_made_good_by_doing_it_again(
    team: Team, point: CrashPoint
) -> None:
    run_id = team.runs.start("kill me").id
    opens = point not in (CrashPoint.RUN_GIT_BEGUN, CrashPoint.RUN_GIT_DONE)
    if opens:
        crash.arm(point, killed)
        with pytest.raises(Killed):
            team.lanes.open(run_id, actor="executor", lane="lane-001")
        team.runs.resume(run_id)
    if team.lane(1) not in team.runs.run(run_id)[0].lanes:
        team.lanes.open(run_id, actor="executor", lane="lane-001")
    folder = team.runs.git.folder(run_id, team.lane(1))
    commit(folder, "work", a_py="one = 2\n")
    if not opens:
        crash.arm(point, killed)
        with pytest.raises(Killed):
            team.lanes.merge(run_id, "lane-001", actor="executor")
        team.runs.resume(run_id)

    done = team.lanes.merge(run_id, "lane-001", actor="executor")

    assert done.told.run.lanes[team.lane(1)].status is LaneStatus.MERGED
    assert git(team.root, "show", f"agent/{run_id}/work:a.py") == "one = 2"
    merges = git(team.root, "log", "--merges", "--oneline", f"agent/{run_id}/work")
    assert len(merges.splitlines()) == 1


def test_a_merge_that_was_cut_short_in_git_itself_is_undone(team: Team) -> None:
    run_id, one, two = _two_lanes(team)
    commit(one, "one", a_py="one = 11\n")
    commit(two, "two", a_py="one = 12\n")
    team.lanes.merge(run_id, "lane-001", actor="executor")
    work = team.runs.git.folder(run_id, "work")
    team.data.joinpath("runs", f"{run_id}.git").write_text("merge")
    git(work, "merge", "-q", f"agent/{run_id}/{team.lane(2)}", check=False)

    found, rebuilt = team.runs.resume(run_id)

    assert "a merge that was cut short was undone" in rebuilt.remarks
    assert git(work, "status", "--porcelain") == ""
    assert found.run_id == run_id


@pytest.mark.promise("runs.recover")
def test_a_folder_that_was_half_filled_when_its_command_was_killed_is_filled(team: Team) -> None:
    for number in range(5):
        (team.root / f"f{number}.py").write_text(f"f = {number}\n")
    commit(team.root, "files")
    run_id = team.runs.start("killed while it fills").id
    crash.arm(CrashPoint.RUN_BRANCH_MADE, killed)
    with pytest.raises(Killed):
        team.lanes.open(run_id, actor="executor", lane="lane-001")
    for name in ("work", team.lane(1)):
        branch, folder = f"agent/{run_id}/{name}", team.runs.git.folder(run_id, name)
        git(team.root, "branch", branch, "main", check=False)
        git(team.root, "worktree", "add", "-q", "--no-checkout", "--lock", str(folder), branch)
        (folder / "f1.py").write_text("f =")
        (folder / git(folder, "rev-parse", "--git-path", "index.lock")).write_text("")

    opened = team.lanes.open(run_id, actor="executor", lane="lane-001")

    for folder in (Path(opened.folder), team.runs.git.folder(run_id, "work")):
        assert git(folder, "status", "--porcelain") == ""
        assert (folder / "f1.py").read_text() == "f = 1\n"
    team.lanes.merge(run_id, "lane-001", actor="executor")
    assert not Path(opened.folder).exists(), "git lets go of it"


@pytest.mark.promise("runs.recover")
@pytest.mark.parametrize("is_staged", [False, True])
def test_a_merge_that_was_killed_while_it_wrote_is_undone(team: Team, is_staged: bool) -> None:
    run_id, one, _ = _two_lanes(team)
    commit(one, "one", a_py="one = 2\n", b_py="b = 1\n", c_py="c = 1\n")
    crash.arm(CrashPoint.RUN_GIT_BEGUN, killed)
    with pytest.raises(Killed):
        team.lanes.merge(run_id, "lane-001", actor="executor")
    work = team.runs.git.folder(run_id, "work")
    (work / "a.py").write_text("one = 2\n")
    (work / "b.py").write_text("b =")
    if is_staged:
        git(work, "add", "--all")
    else:
        (work / git(work, "rev-parse", "--git-path", "index.lock")).write_text("")

    done = team.lanes.merge(run_id, "lane-001", actor="executor")

    assert done.told.run.lanes[team.lane(1)].status is LaneStatus.MERGED
    assert git(work, "status", "--porcelain") == ""
    assert (work / "b.py").read_text() == "b = 1\n"


def test_what_somebody_wrote_where_a_merge_was_killed_stays(team: Team) -> None:
    run_id, one, _ = _two_lanes(team)
    commit(one, "one", b_py="b = 1\n")
    crash.arm(CrashPoint.RUN_GIT_BEGUN, killed)
    with pytest.raises(Killed):
        team.lanes.merge(run_id, "lane-001", actor="executor")
    work = team.runs.git.folder(run_id, "work")
    (work / "mine.py").write_text("mine = 1\n")

    with pytest.raises(ConflictError, match=r"mine\.py"):
        team.lanes.merge(run_id, "lane-001", actor="executor")
    assert (work / "mine.py").read_text() == "mine = 1\n"


def test_a_folder_that_was_moved_is_looked_at_where_it_is(team: Team, tmp_path: Path) -> None:
    run_id, one, _ = _two_lanes(team)
    commit(one, "one", b_py="b = 1\n")
    git(team.root, "worktree", "move", str(one), str(tmp_path / "moved"))
    (tmp_path / "moved" / "more.py").write_text("more = 1\n")

    with pytest.raises(ConflictError, match=r"has changes .* more\.py") as error:
        team.lanes.merge(run_id, "lane-001", actor="executor")
    assert str(tmp_path / "moved") in error.value.hint


@pytest.mark.promise("runs.recover")
@pytest.mark.parametrize("killed_in", ["reset", "rebase"])
def test_a_rebase_that_was_killed_half_way_is_undone(team: Team, killed_in: str) -> None:
    run_id, one, _ = _two_lanes(team)
    commit(one, "one", b_py="b = 1\n")
    team.lanes.merge(run_id, "lane-001", actor="executor")
    team.lanes.fail(run_id, "lane-002", "not needed", actor="executor")
    for number in range(3):
        (team.root / f"f{number}.py").write_text(f"f = {number}\n")
    commit(team.root, "base moved")
    crash.arm(CrashPoint.RUN_GIT_BEGUN, killed)
    with pytest.raises(Killed):
        team.lanes.rebase(run_id, actor="executor")
    work = team.runs.git.folder(run_id, "work")
    if killed_in == "reset":
        git(work, "merge", "-q", "--no-edit", "main")
        (work / "f1.py").unlink()
    else:
        git(work, "checkout", "-q", "--detach", "main")
        (work / "f2.py").unlink()
        place = work / git(work, "rev-parse", "--git-path", "rebase-merge")
        place.mkdir()
        (place / "head-name").write_text(f"refs/heads/agent/{run_id}/work\n")
    (work / git(work, "rev-parse", "--git-path", "index.lock")).write_text("")

    done = team.lanes.rebase(run_id, actor="executor")

    assert [each.kind for each in done.told.added] == ["work-rebased"]
    assert git(work, "status", "--porcelain") == ""
    assert git(work, "branch", "--show-current") == f"agent/{run_id}/work"
    assert {"b.py", "f0.py", "f1.py", "f2.py"} <= {each.name for each in work.iterdir()}


def test_a_lock_or_a_merge_of_somebody_elses_is_named_and_left_alone(team: Team) -> None:
    run_id, one, two = _two_lanes(team)
    commit(one, "one", b_py="b = 1\n")
    commit(two, "two", c_py="c = 1\n")
    team.lanes.merge(run_id, "lane-001", actor="executor")
    work = team.runs.git.folder(run_id, "work")
    lock = work / git(work, "rev-parse", "--git-path", "index.lock")
    lock.write_text("")

    with pytest.raises(ConflictError, match=r"index\.lock") as refused:
        team.lanes.merge(run_id, "lane-002", actor="executor")
    assert "if no git runs" in refused.value.hint
    assert lock.exists()
    lock.unlink()
    git(work, "merge", "-q", "--no-commit", "--no-ff", f"agent/{run_id}/{team.lane(2)}")
    git(work, "reset", "-q", "--", ".")
    (work / "c.py").unlink()
    with pytest.raises(ConflictError, match="a merge is not over"):
        team.lanes.merge(run_id, "lane-002", actor="executor")
