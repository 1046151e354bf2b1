"""Goal: a folder of a run that was moved, is not seen from here or lags behind costs no work.

Method: real git; folders are moved as people move them, and one clone is used from two places that
each see folders of their own, as a host and its container do.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.kernel.errors import ConflictError
from agentx.kernel.paths import StorePaths
from agentx.runs.store.git_lanes import GitLanes
from agentx.runs.taking.lane_taking import LaneTaking
from tests.support.kept import KeptFolder
from tests.support.repository import commit, git
from tests.support.run_stories import Team
from tests.support.shared_run import ACTOR
from tests.support.soaking import in_soak
from tests.support.two_places import PLACES, folder_of, furnish, lag_behind, list_files, run_of


@pytest.fixture(scope="module")
def kept_team(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder[Team]:
    return KeptFolder(tmp_path_factory.mktemp("team"), furnish)


@pytest.fixture
def team(kept_team: KeptFolder[Team]) -> Team:
    return kept_team.lend()


def _move(team: Team) -> Path:
    """Move the folder of the first lane as people do; return where it is then."""
    moved = team.root.parent / "mine"
    folder_of(team, team.lane(1)).rename(moved)
    return moved


def _make(team: Team) -> Iterator[str]:
    """Make the folders that are not there, as `run resume` does; yield what it says."""
    return LaneTaking(team.runs).make_folders(team.runs.run(run_of(team))[0])


def _list_kept(team: Team) -> list[str]:
    return git(team.root, "for-each-ref", "--format=%(refname)", "refs/agentx/kept/").split()


@pytest.mark.promise("runs.git-is-true")
def test_what_somebody_committed_on_no_branch_and_left_stays_when_the_folder_goes(
    team: Team,
) -> None:
    folder, lane = folder_of(team, team.lane(1)), team.lane(1)
    branch = git(folder, "branch", "--show-current")
    git(folder, "checkout", "-q", "--detach")
    commit(folder, "loose", c_py="c = 1\n")
    loose = git(folder, "rev-parse", "HEAD")
    git(folder, "checkout", "-q", branch)

    told = team.lanes.merge(run_of(team), lane, actor=ACTOR).told

    assert not folder.exists()
    assert _list_kept(team) == [f"refs/agentx/kept/{run_of(team)}/{lane}/{loose[:10]}"]
    assert any(_list_kept(team)[0] in each for each in told.remarks)


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("head", ["on its branch", "detached"])
def test_who_ends_a_lane_whose_folder_was_moved_hears_what_was_not_seen(
    team: Team, head: str
) -> None:
    moved, old = _move(team), folder_of(team, team.lane(1))
    if head == "detached":
        git(moved, "checkout", "-q", "--detach")
        commit(moved, "loose", c_py="c = 1\n")
    (moved / "b1.py").write_text("b = 2\n", "utf-8")

    finished = team.lanes.finish(run_of(team), "lane-001", actor=ACTOR)
    merged = team.lanes.merge(run_of(team), "lane-001", actor=ACTOR)

    for told in (finished.told, merged.told):
        said = next(each for each in told.remarks if str(old) in each)
        assert "is gone, so what was not committed there is not seen" in said
        assert "git worktree repair NEW" in said
        loose = git(moved, "rev-parse", "HEAD")[:10]
        assert (loose in said) == (head == "detached")
    git(team.root, "worktree", "repair", str(moved))  # as it says: then it is looked at again
    assert git(moved, "status", "--porcelain") == "M b1.py"


def test_a_moved_folder_that_was_named_to_git_again_is_looked_at(team: Team) -> None:
    moved = _move(team)
    (moved / "b1.py").write_text("b = 2\n", "utf-8")
    git(team.root, "worktree", "repair", str(moved))

    with pytest.raises(ConflictError, match=r"not committed: b1\.py"):
        team.lanes.finish(run_of(team), "lane-001", actor=ACTOR)
    [said] = _make(team)
    assert f"git worktree move {moved} {folder_of(team, team.lane(1))}" in said


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("holds", ["nothing more", "staged", "a loose commit"])
def test_a_folder_made_anew_keeps_what_git_held_of_the_old_one(team: Team, holds: str) -> None:
    moved, old = _move(team), folder_of(team, team.lane(1))
    if holds == "staged":
        (moved / "c.py").write_text("c = 1\n", "utf-8")
        git(moved, "add", "c.py")
    elif holds == "a loose commit":
        git(moved, "checkout", "-q", "--detach")
        commit(moved, "loose", c_py="c = 1\n")

    said = [*_make(team)]

    assert f"{team.lane(1)} is in {old}" in said
    told = next(each for each in said if "was gone" in each)
    assert "if you moved it" in told
    names = _list_kept(team)
    assert len(names) == (holds != "nothing more")
    for name in names:
        assert name in told
        assert git(team.root, "show", f"{name}:c.py") == "c = 1"
    assert [*_make(team)] == []  # said once


def test_a_work_folder_that_was_moved_is_made_anew_and_that_is_said(team: Team) -> None:
    work, moved = folder_of(team, "work"), team.root.parent / "mine"
    work.rename(moved)
    (moved / "a.py").write_text("one = 2\n", "utf-8")

    remarks = team.lanes.merge(run_of(team), "lane-001", actor=ACTOR).told.remarks

    [said] = [each for each in remarks if str(work) in each]
    assert "was gone and is made anew, without what was not committed in it" in said
    assert "if you moved it" in said
    assert "repair" not in said, "git has one folder of that name, and that is the new one"
    assert git(work, "status", "--porcelain") == ""


def test_no_folder_is_made_over_a_merge_that_only_git_knows_of(team: Team) -> None:
    moved = _move(team)
    commit(team.root, "base", b1_py="b = 3\n")
    git(moved, "merge", "-q", "main", check=False)
    half = git(moved, "status", "--porcelain")

    [said] = _make(team)

    assert "what was staged there cannot be kept: b1.py: unmerged" in said
    assert "git worktree repair NEW" in said
    assert git(moved, "status", "--porcelain") == half
    lost = said.removesuffix(")").rpartition("if it is lost: ")[2]
    git(team.root, *lost.split()[1:])
    assert f"is in {folder_of(team, team.lane(1))}" in next(_make(team))


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("at", PLACES)
def test_a_work_folder_that_lags_behind_is_brought_up(team: Team, at: str) -> None:
    work = lag_behind(team, at)

    checked = team.runs.git.find_checked_out(team.runs.run(run_of(team))[0], "")
    merged = team.lanes.merge(run_of(team), "lane-002", actor=ACTOR)

    assert checked.changed == ()
    assert merged.conflict is None
    assert list_files(team) >= {"b2.py", "c.py"}
    assert "a.py" not in list_files(team)
    assert git(work, "status", "--porcelain") == ""


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("at", PLACES)
def test_what_somebody_left_in_a_folder_that_lags_is_named_and_what_lags_is_not(
    team: Team, at: str
) -> None:
    team.lanes.merge(run_of(team), "lane-001", actor=ACTOR)
    work = lag_behind(team, at)
    (work / "note.txt").write_text("mine\n", "utf-8")
    (work / "b1.py").write_text("b = 9\n", "utf-8")
    if at == "another path":
        git(work, "add", "note.txt")

    with pytest.raises(ConflictError, match=r"not committed: (b1\.py, note|note\.txt, b1)") as said:
        team.lanes.merge(run_of(team), "lane-002", actor=ACTOR)

    assert said.value.message.count(".py") == 1
    assert (work / "c.py").exists()
    assert not (work / "a.py").exists()
    assert (work / "b1.py").read_text("utf-8") == "b = 9\n"
    lane = folder_of(team, team.lane(2))
    git(work, "stash", "-q", "-u")  # as it says
    git(lane, "merge", "-q", "--no-edit", f"agent/{run_of(team)}/work")
    git(lane, "stash", "pop", "-q")
    assert set(git(lane, "status", "--porcelain").split()[1::2]) == {"b1.py", "note.txt"}
    commit(lane, "mine")
    team.lanes.merge(run_of(team), "lane-002", actor=ACTOR)
    assert list_files(team) == {"b1.py", "b2.py", "c.py", "note.txt"}


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("does", ["edits", "adds", *in_soak("draws")])
def test_what_somebody_changed_of_what_lags_is_kept_as_it_is_told(
    team: Team, at: str, does: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(team.root.parent))
    work = lag_behind(team, at)
    git(team.root, "config", "diff.external", "false")
    git(team.root, "config", "color.ui", "always")
    name = "c.py" if does == "adds" else "a.py"
    mine = b"\0\1mine = 2\n" if does == "draws" else b"one = 1\nmine = 2\n"
    (work / name).write_bytes(mine)

    with pytest.raises(ConflictError, match=f"lags behind its branch, and .* {name}") as refused:
        team.lanes.merge(run_of(team), "lane-002", actor=ACTOR)
    assert (work / name).read_bytes() == mine

    if does != "adds":
        told = refused.value.hint.partition(" (and in a lane")[0]
        subprocess.run(told, shell=True, check=True)
        [patch] = team.root.parent.glob("work-*.patch")
        assert git(work, "show", "HEAD^1:a.py") == "one = 1", "as it was where that was changed"
        git(team.root, "switch", "-q", "--detach", f"agent/{run_of(team)}/work~1")
        git(team.root, "apply", str(patch))
        assert (team.root / "a.py").read_bytes() == mine
    else:
        assert f"move c.py in {work} elsewhere" in refused.value.hint
        (work / name).rename(team.root.parent / "mine")
    team.lanes.merge(run_of(team), "lane-002", actor=ACTOR)
    assert list_files(team) >= {"b2.py", "c.py"}


@pytest.mark.promise("runs.git-is-true")
def test_a_folder_whose_branch_was_made_anew_elsewhere_is_brought_up(team: Team) -> None:
    team.lanes.merge(run_of(team), "lane-001", actor=ACTOR)
    work, host, away = folder_of(team, "work"), team.data, team.data.parent / "away"
    there = team.data.parent / "container"
    host.rename(away)
    other = Team(team.root, there, seed=7)
    folder, _ = other.runs.git.ensure_work(run_of(team), "")
    (folder / "c.py").write_text("c = 1\n", "utf-8")
    git(folder, "add", "c.py")
    git(folder, "commit", "-q", "--amend", "-m", "anew")
    there.rename(team.data.parent / "unseen")
    away.rename(host)
    (work / "note.txt").write_text("mine\n", "utf-8")

    with pytest.raises(ConflictError, match=r"not committed: note\.txt$"):
        team.lanes.merge(run_of(team), "lane-002", actor=ACTOR)

    assert (work / "c.py").exists()


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("does", ["stages", "unlinks"])
def test_who_takes_back_what_came_in_is_not_behind(team: Team, at: str, does: str) -> None:
    if at == "the same path":
        team.lanes.merge(run_of(team), "lane-001", actor=ACTOR)
        work, name = folder_of(team, "work"), "b1.py"
    else:  # it was behind, and was brought up
        work, name = lag_behind(team, at), "c.py"
        team.runs.git.find_checked_out(team.runs.run(run_of(team))[0], "")
    if does == "stages":
        git(work, "rm", "-q", name)
    else:
        (work / name).unlink()
    before = git(work, "status", "--porcelain")

    with pytest.raises(ConflictError, match=f"not committed: {name}"):
        team.lanes.merge(run_of(team), "lane-002", actor=ACTOR)

    assert git(work, "status", "--porcelain") == before


def test_where_nobody_noted_whose_a_folder_is_it_is_asked(team: Team) -> None:
    lag_behind(team, "the same path")
    for note in (team.root / ".git" / "worktrees").glob("*/agentx-folder"):
        note.unlink()

    with pytest.raises(ConflictError, match=r"a\.py, c\.py is as it was at") as refused:
        team.lanes.merge(run_of(team), "lane-002", actor=ACTOR)
    told = refused.value.hint.partition("took that back: ")[2].partition("; else")[0]
    subprocess.run(told, shell=True, check=True)

    team.lanes.merge(run_of(team), "lane-002", actor=ACTOR)
    assert list_files(team) >= {"b2.py", "c.py"}


@pytest.mark.parametrize("does", ["edits", "adds", "mixes"])
def test_what_somebody_wrote_in_the_work_folder_is_theirs_and_not_to_be_committed(
    team: Team, does: str
) -> None:
    team.lanes.merge(run_of(team), "lane-001", actor=ACTOR)
    work = folder_of(team, "work")
    if does != "adds":
        (work / "a.py").write_text("one = 2\n", "utf-8")
    if does != "edits":
        (work / "c.py").write_text("c = 1\n", "utf-8")
    if does == "mixes":
        (work / "b1.py").unlink()  # as it was before the merge
    before = git(work, "status", "--porcelain")

    with pytest.raises(ConflictError, match="the work branch has changes") as refused:
        team.lanes.merge(run_of(team), "lane-002", actor=ACTOR)

    assert "commit" not in refused.value.hint
    assert f"git -C {work} stash -u" in refused.value.hint
    assert git(work, "status", "--porcelain") == before


@pytest.mark.promise("runs.git-is-true")
def test_a_lane_that_lags_behind_its_branch_is_told_so_and_left_alone(team: Team) -> None:
    lane, host = team.lane(1), team.data
    host.rename(host.parent / "away")
    other = Team(team.root, host.parent / "container", seed=7)
    run = other.runs.run(run_of(team))[0]
    there = other.runs.git.reopen(run.id, lane, run.lanes[lane].branch)
    commit(there, "elsewhere", b1_py="b = 2\n")
    (host.parent / "container").rename(host.parent / "unseen")
    (host.parent / "away").rename(host)

    with pytest.raises(ConflictError, match=r"behind its branch: b1\.py") as refused:
        team.lanes.finish(run_of(team), "lane-001", actor=ACTOR)
    assert f"git -C {folder_of(team, lane)} reset --hard" in refused.value.hint
    assert f"{lane}: its folder is behind its branch: b1.py" in next(_make(team))
    assert (folder_of(team, lane) / "b1.py").read_text("utf-8") == "b = 1\n"


def test_what_somebody_edits_after_they_brought_it_up_by_hand_is_left_alone(team: Team) -> None:
    lane, host = team.lane(1), team.data
    host.rename(host.parent / "away")
    other = Team(team.root, host.parent / "container", seed=7)
    run = other.runs.run(run_of(team))[0]
    there = other.runs.git.reopen(run.id, lane, run.lanes[lane].branch)
    commit(there, "elsewhere", b1_py="b = 2\n", c_py="c = 1\n")
    (host.parent / "container").rename(host.parent / "unseen")
    (host.parent / "away").rename(host)
    folder = folder_of(team, lane)
    git(folder, "checkout", "HEAD", "--", "b1.py")
    (folder / "b1.py").write_text("b = 2\nmine = 3\n", "utf-8")

    with pytest.raises(ConflictError, match=r"behind its branch: c\.py") as refused:
        team.lanes.finish(run_of(team), "lane-001", actor=ACTOR)
    told = refused.value.hint.removeprefix("if nobody took that back: ").partition("; else")[0]
    subprocess.run(told, shell=True, check=True)
    assert (folder / "b1.py").read_text("utf-8") == "b = 2\nmine = 3\n"
    assert git(folder, "status", "--porcelain") == "M b1.py"


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("how", ["--soft", "--mixed"])
def test_who_takes_a_commit_back_to_make_it_anew_is_not_behind(team: Team, how: str) -> None:
    team.lanes.merge(run_of(team), "lane-002", actor=ACTOR)
    for name, refused in (("work", "the work branch has changes"), (team.lane(1), "not committed")):
        folder = folder_of(team, name)
        commit(folder, "by hand", hand_py="h = 1\n", a_py="one = 3\n")
        git(folder, "reset", "-q", how, "HEAD~1")
        before = git(folder, "status", "--porcelain")

        with pytest.raises(ConflictError, match=refused):
            team.lanes.merge(run_of(team), "lane-001", actor=ACTOR)

        assert git(folder, "status", "--porcelain") == before
        assert (folder / "hand.py").read_text("utf-8") == "h = 1\n"


@pytest.mark.promise("strangers.no-programs")
def test_no_folder_is_looked_into_where_the_repository_is_not_trusted(team: Team) -> None:
    lane = team.lane(1)
    (folder_of(team, lane) / "b1.py").write_text("b = 2\n", "utf-8")
    team.runs.git = GitLanes(team.root, StorePaths(team.data), is_trusted=lambda: False)

    with pytest.raises(ConflictError, match="is not trusted"):
        team.runs.git.list_changed(run_of(team), lane)
    run = team.runs.run(run_of(team))[0]
    with pytest.raises(ConflictError, match="is not trusted"):
        team.runs.git.tip(run, run.lanes[lane])
    assert [*_make(team)] == []


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("lies", ["x.log", "x.log/y.log"])
@pytest.mark.parametrize("comes", ["x.log", "x.log/z.py"])
def test_a_file_that_git_ignores_is_not_written_over(team: Team, lies: str, comes: str) -> None:
    (team.root / ".git" / "info" / "exclude").write_text("*.log\n", "utf-8")
    work, lane = folder_of(team, "work"), folder_of(team, team.lane(1))
    for place, name in ((work, lies), (lane, comes)):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(f"{place.name}\n", "utf-8")
    git(lane, "add", "--force", comes)
    git(lane, "commit", "-qm", "a log")
    is_free = (lies, comes) == ("x.log/y.log", "x.log/z.py")

    if not is_free:
        with pytest.raises(ConflictError, match=r"git ignores x\.log in .* written over") as said:
            team.lanes.merge(run_of(team), "lane-001", actor=ACTOR)
        assert (work / lies).read_text("utf-8") == "work\n"
        assert f"mv {work / 'x.log'} NEW" in said.value.hint
        (work / "x.log").rename(team.root.parent / "kept")
    merged = team.lanes.merge(run_of(team), "lane-001", actor=ACTOR)

    assert merged.conflict is None
    assert (work / comes).read_text("utf-8") == f"{lane.name}\n"


def test_what_no_merge_brings_may_lie_where_it_is(team: Team) -> None:
    (team.root / ".git" / "info" / "exclude").write_text("*.log\n", "utf-8")
    work, lane = folder_of(team, "work"), folder_of(team, team.lane(1))
    (lane / "x.log").write_text("lane\n", "utf-8")
    git(lane, "add", "--force", "x.log")
    git(lane, "commit", "-qm", "a log")
    team.lanes.merge(run_of(team), "lane-001", actor=ACTOR)
    git(work, "rm", "-q", "x.log")
    commit(work, "no log")
    git(folder_of(team, team.lane(2)), "merge", "-q", "--no-edit", f"agent/{run_of(team)}/work~1")
    (work / "x.log").write_text("mine\n", "utf-8")

    team.lanes.merge(run_of(team), "lane-002", actor=ACTOR)

    assert (work / "x.log").read_text("utf-8") == "mine\n"


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("is_pushed", [False, True])
def test_who_renamed_a_lanes_branch_is_told_so(team: Team, is_pushed: bool) -> None:
    lane, folder = team.lane(1), folder_of(team, team.lane(1))
    branch = f"agent/{run_of(team)}/{lane}"
    if is_pushed:
        git(team.root.parent, "init", "-q", "--bare", "hub.git")
        git(team.root, "remote", "add", "origin", str(team.root.parent / "hub.git"))
        git(team.root, "push", "-q", "origin", branch)
    git(folder, "branch", "-m", "my/feature")
    commit(folder, "more", b1_py="b = 2\n")

    with pytest.raises(ConflictError, match="and my/feature is checked out in its") as refused:
        team.lanes.finish(run_of(team), "lane-001", actor=ACTOR)
    told = refused.value.hint.removeprefix("if you renamed it: ")
    subprocess.run(told, shell=True, check=True)
    team.lanes.merge(run_of(team), "lane-001", actor=ACTOR)

    assert git(team.root, "show", f"agent/{run_of(team)}/work:b1.py") == "b = 2"
