"""Goal: what git was doing when AgentX was killed is taken back, and nothing of anybody's with it.

Method: a real repository in which a merge was killed at a conflict, or a rebase at each of its
steps, lent to each test; then a person goes on in the folder, and somebody says a verb.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.git.mending import holding
from agentx.host.system import pid_alive
from agentx.kernel.errors import ConflictError
from agentx.runs.model import LaneStatus
from tests.support.company import until
from tests.support.kept import KeptFolder
from tests.support.repository import commit, git, repository
from tests.support.run_stories import Killed, Team, killed

MENDED = "one = 13  # an hour of thought\n"
_MAIL = """From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: Ann <ann@example.org>
Date: Thu, 1 Jan 2026 00:00:00 +0000
Subject: [PATCH] Take it away

---
diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1 +1 @@
-nothing of the kind
+one = 3
"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(holding, "WAIT_S", 0.2)
    yield
    crash.disarm()


def _kill(verb: Callable[[], object]) -> None:
    """Let a verb die when git is about to begin."""
    crash.arm(CrashPoint.RUN_GIT_BEGUN, killed)
    with pytest.raises(Killed):
        verb()


def _furnish_conflict(place: Path) -> Team:
    """A merge that was killed when git had stopped at a conflict."""
    team = Team(repository(place / "shop", a_py="one = 1\n"), place / "store")
    run_id = team.runs.start("two lanes").id
    one, two = (Path(team.lanes.open(run_id, actor="executor").folder) for _ in range(2))
    commit(one, "one", a_py="one = 11\n")
    commit(two, "two", a_py="one = 12\n", new_py="new = 1\n")
    team.lanes.merge(run_id, one.name, actor="executor")
    _kill(lambda: team.lanes.merge(run_id, two.name, actor="executor"))
    git(_work(team), "merge", "-q", "--no-ff", git(two, "rev-parse", "HEAD"), check=False)
    return team


def _furnish_rebase(place: Path) -> Team:
    """A rebase that was killed before its first step."""
    team = Team(repository(place / "shop", a_py="one = 1\n"), place / "store")
    run_id = team.runs.start("one lane").id
    one = Path(team.lanes.open(run_id, actor="executor").folder)
    commit(one, "one", b_py="b = 1\n")
    commit(one, "more", a_py="one = 2\n")
    team.lanes.merge(run_id, one.name, actor="executor")
    commit(team.root, "base moved", f_py="f = 1\n")
    _kill(lambda: team.lanes.rebase(run_id, actor="executor"))
    return team


@pytest.fixture(scope="module")
def _conflicts(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder[Team]:
    return KeptFolder(tmp_path_factory.mktemp("conflict"), _furnish_conflict)


@pytest.fixture(scope="module")
def _rebases(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder[Team]:
    return KeptFolder(tmp_path_factory.mktemp("rebase"), _furnish_rebase)


@pytest.fixture
def stopped(_conflicts: KeptFolder[Team]) -> Team:
    return _refreshed(_conflicts.lend())


@pytest.fixture
def begun(_rebases: KeptFolder[Team]) -> Team:
    return _refreshed(_rebases.lend())


def _refreshed(team: Team) -> Team:
    """Let git see that the files are those it wrote: they were laid out anew."""
    git(_work(team), "status", "--porcelain")
    return team


def _run(team: Team) -> str:
    return next((team.root / ".agent-memory" / "runs").iterdir()).name


def _work(team: Team) -> Path:
    return team.runs.git.folder(_run(team), "work")


def _list_kept(team: Team) -> list[str]:
    return git(team.root, "for-each-ref", "--format=%(refname)", "refs/agentx/kept/").split()


@pytest.mark.promise("runs.recover")
def test_a_merge_that_a_person_half_mended_stays_and_the_way_on_is_named(stopped: Team) -> None:
    work = _work(stopped)
    (work / "a.py").write_text(MENDED)
    (work / "new.py").write_text("new = 1\n# a person's\n")
    git(work, "add", "--all")
    status = git(work, "status", "--porcelain")

    with pytest.raises(ConflictError, match=r"half mended in .*/work: a\.py, new\.py") as refused:
        stopped.lanes.merge(_run(stopped), stopped.lane(2), actor="executor")
    _, rebuilt = stopped.runs.resume(_run(stopped))

    assert "git commit" in refused.value.hint
    assert "git merge --abort" in refused.value.hint
    said = " ".join(rebuilt.remarks)
    assert "half mended" in said
    assert "undone" not in said
    assert git(work, "status", "--porcelain") == status
    assert (work / "a.py").read_text() == MENDED
    git(work, "commit", "-q", "--no-edit")
    done = stopped.lanes.merge(_run(stopped), stopped.lane(2), actor="executor")
    assert done.told.run.lanes[stopped.lane(2)].status is LaneStatus.MERGED
    assert git(stopped.root, "show", f"agent/{_run(stopped)}/work:a.py") == MENDED.strip()


@pytest.mark.promise("runs.recover")
def test_a_merge_that_a_person_concluded_counts_as_what_it_is(stopped: Team) -> None:
    work = _work(stopped)
    (work / "a.py").write_text(MENDED)
    git(work, "commit", "-qam", "mended by hand")
    mended = git(work, "rev-parse", "HEAD")
    (work / "new.py").write_text("new = 1\nmore = 1\n")

    _, rebuilt = stopped.runs.resume(_run(stopped))
    with pytest.raises(ConflictError, match=r"not committed: new\.py"):
        stopped.lanes.merge(_run(stopped), stopped.lane(2), actor="executor")

    assert "undone" not in " ".join(rebuilt.remarks)
    assert git(work, "rev-parse", f"agent/{_run(stopped)}/work") == mended
    assert (work / "new.py").read_text() == "new = 1\nmore = 1\n"


def test_a_merge_that_a_person_gave_up_is_done_anew(stopped: Team) -> None:
    work = _work(stopped)
    (work / "a.py").write_text(MENDED)
    git(work, "merge", "--abort")

    told = stopped.lanes.merge(_run(stopped), stopped.lane(2), actor="executor")

    assert told.conflict is not None
    assert told.conflict.files == ("a.py",)
    assert "undone" not in " ".join(told.told.remarks)


@pytest.mark.promise("runs.recover")
def test_all_that_lay_there_is_kept_before_anything_is_undone_and_its_name_is_said(
    stopped: Team,
) -> None:
    work = _work(stopped)
    before = git(work, "rev-parse", "HEAD")
    git(work, "checkout", "--theirs", "a.py")
    git(work, "add", "a.py")

    told = stopped.lanes.merge(_run(stopped), stopped.lane(2), actor="executor").told

    assert "a merge that was cut short was undone" in told.remarks
    (name,) = _list_kept(stopped)
    assert name in " ".join(told.remarks)
    assert git(work, "show", f"{name}:a.py") == "one = 12"
    assert git(work, "show", f"{name}:new.py") == "new = 1"
    assert git(work, "rev-parse", f"{name}^1") == before
    assert git(work, "show", f"{name}^2:a.py") == "one = 12"
    assert git(work, "status", "--porcelain") == ""


def test_a_file_that_somebody_changed_where_git_was_killed_while_it_wrote_stays(
    stopped: Team,
) -> None:
    work = _work(stopped)
    git(work, "merge", "--abort")
    (work / "new.py").write_text("new = 2  # a person's\n")
    (work / "a.py").write_text("one = 1")  # what git writes begins so

    with pytest.raises(ConflictError, match=r"somebody changed new\.py$") as refused:
        stopped.lanes.merge(_run(stopped), stopped.lane(2), actor="executor")

    assert "undo that there" in refused.value.hint
    assert (work / "new.py").read_text() == "new = 2  # a person's\n"
    (work / "new.py").unlink()
    told = stopped.lanes.merge(_run(stopped), stopped.lane(2), actor="executor")
    assert told.conflict is not None


def test_a_merge_that_was_killed_right_after_its_commit_is_taken_as_done(stopped: Team) -> None:
    work = _work(stopped)
    (work / "a.py").write_text(MENDED)
    merging = work / git(work, "rev-parse", "--git-path", "MERGE_HEAD")
    noted = merging.read_bytes()
    git(work, "commit", "-qam", "merged")
    merging.write_bytes(noted)

    done = stopped.lanes.merge(_run(stopped), stopped.lane(2), actor="executor")

    assert done.told.run.lanes[stopped.lane(2)].status is LaneStatus.MERGED
    assert not merging.exists()


@pytest.mark.promise("runs.recover")
@pytest.mark.parametrize("step", ["merged", "replayed", "stopped", "ended"])
def test_a_rebase_that_was_killed_at_any_step_is_done_anew(begun: Team, step: str) -> None:
    work, run_id = _work(begun), _run(begun)
    before = git(work, "rev-parse", "HEAD")
    if step == "merged":
        git(work, "merge", "-q", "--no-edit", "main")
    elif step == "ended":
        git(work, "rebase", "-q", "main")
    else:
        failing = "false" if step == "stopped" else "test ! -e b.py"
        git(work, "rebase", "-q", "--exec", failing, "main", check=False)

    told = begun.lanes.rebase(run_id, actor="executor").told

    (rebased,) = told.added
    assert (rebased.kind, rebased.text("before")) == ("work-rebased", before)
    assert "a rebase that was cut short was undone" in told.remarks
    assert git(work, "status", "--porcelain") == ""
    assert {"a.py", "b.py", "f.py"} <= {each.name for each in work.iterdir()}


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("is_told", [False, True])
def test_a_rebase_that_was_killed_around_its_event_is_told_once_and_loses_no_lane(
    begun: Team, is_told: bool
) -> None:
    work, run_id = _work(begun), _run(begun)
    before = git(work, "rev-parse", "HEAD")
    if is_told:
        crash.arm(CrashPoint.RUN_EVENTS_WRITTEN, killed)
        with pytest.raises(Killed):
            begun.lanes.rebase(run_id, actor="executor")
    else:
        begun.runs.git.recover(begun.runs.run(run_id)[0])
        begun.runs.git.rebase(begun.runs.run(run_id)[0])

    told = begun.lanes.rebase(run_id, actor="executor").told

    events = [each for each in begun.runs.events(run_id) if each.kind == "work-rebased"]
    assert [each.text("before") for each in events] == [before]
    assert ("a rebase that was cut short was undone" in told.remarks) is not is_told
    assert begun.runs.list_unmerged(told.run) == ()
    assert git(work, "rev-parse", "HEAD") == told.run.git.latest_commit


@pytest.mark.promise("runs.recover")
@pytest.mark.parametrize("does", ["commits", "edits"])
def test_a_rebase_in_which_a_person_went_on_stays(begun: Team, does: str) -> None:
    work, run_id = _work(begun), _run(begun)
    git(work, "rebase", "-q", "--exec", "test ! -e b.py", "main", check=False)
    (work / "b.py").write_text("b = 2  # a person's\n")
    if does == "commits":
        git(work, "commit", "-qam", "by hand")
    head = git(work, "rev-parse", "HEAD")

    with pytest.raises(ConflictError, match="half mended") as refused:
        begun.lanes.rebase(run_id, actor="executor")

    assert "git rebase --abort" in refused.value.hint
    assert git(work, "rev-parse", "HEAD") == head
    assert (work / "b.py").read_text() == "b = 2  # a person's\n"


@contextmanager
def _living(file: Path, *, is_held: bool) -> Iterator[int]:
    """Let a process have a file open that is no child of who looks for it, as a git would."""
    with file.open("r+b") as opened:
        if is_held:
            fcntl.flock(opened, fcntl.LOCK_EX)
        process = subprocess.Popen(["sleep", "300"], pass_fds=(opened.fileno(),))
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def _lock(folder: Path) -> Path:
    lock = folder / git(folder, "rev-parse", "--git-path", "index.lock")
    lock.write_text("")
    return lock


@pytest.mark.promise("runs.recover")
@pytest.mark.parametrize("is_ours", [True, False])
def test_nothing_is_taken_from_a_git_that_lives_in_the_work_branch(
    stopped: Team, is_ours: bool
) -> None:
    work, run_id = _work(stopped), _run(stopped)
    status = git(work, "status", "--porcelain")
    lock = _lock(work)
    file = stopped.data / "runs" / f"{run_id}.git" if is_ours else lock

    with _living(file, is_held=is_ours) as pid:
        with pytest.raises(ConflictError, match=f"process {pid} still works in") as refused:
            stopped.lanes.merge(run_id, stopped.lane(2), actor="executor")
        assert f"kill {pid}" in refused.value.hint
        assert lock.exists()
    assert (work / "new.py").exists()
    told = stopped.lanes.merge(run_id, stopped.lane(2), actor="executor")

    assert status
    assert told.conflict is not None
    assert "a merge that was cut short was undone" in told.told.remarks
    assert git(work, "status", "--porcelain") == ""


@pytest.mark.promise("runs.recover")
def test_a_folder_that_a_living_git_fills_is_given_to_nobody(stopped: Team) -> None:
    run_id, name = _run(stopped), stopped.lane(7)
    branch, folder = f"agent/{run_id}/{name}", stopped.runs.git.folder(run_id, name)
    git(stopped.root, "branch", branch, f"agent/{run_id}/work")
    git(stopped.root, "worktree", "add", "-q", "--no-checkout", "--lock", str(folder), branch)
    lock = _lock(folder)
    making = stopped.data / "runs" / "making" / f"{run_id}-{name}"
    making.parent.mkdir(exist_ok=True)
    making.touch()

    with _living(making, is_held=True) as pid:
        with pytest.raises(ConflictError, match=f"process {pid} still works in"):
            stopped.lanes.open(run_id, actor="executor", lane=name)
        assert lock.exists()
        assert not (folder / "a.py").exists()
    opened = stopped.lanes.open(run_id, actor="executor", lane=name)

    assert Path(opened.folder) == folder
    assert git(folder, "status", "--porcelain") == ""
    assert not making.exists()


def test_a_folder_whose_git_was_killed_when_all_was_written_goes_once_it_is_merged(
    begun: Team,
) -> None:
    run_id = _run(begun)
    folder = Path(begun.lanes.open(run_id, actor="executor", lane="late").folder)
    locked = folder / git(folder, "rev-parse", "--git-path", "locked")
    locked.write_text("initializing")
    commit(folder, "late", late_py="late = 1\n")

    begun.runs.git.reopen(run_id, folder.name, f"agent/{run_id}/lane-{folder.name}")
    begun.lanes.merge(run_id, folder.name, actor="executor")

    assert not locked.exists()
    assert not folder.exists()


@pytest.mark.promise("runs.recover")
def test_what_somebody_wrote_in_a_folder_that_was_never_filled_stays(stopped: Team) -> None:
    run_id, name = _run(stopped), stopped.lane(7)
    branch, folder = f"agent/{run_id}/{name}", stopped.runs.git.folder(run_id, name)
    git(stopped.root, "branch", branch, f"agent/{run_id}/work")
    git(stopped.root, "worktree", "add", "-q", "--no-checkout", "--lock", str(folder), branch)
    (folder / "a.py").write_text(MENDED)
    (folder / "mine.py").write_text("mine = 1\n")

    with pytest.raises(ConflictError, match=r"never filled, and somebody changed a\.py$") as error:
        stopped.lanes.open(run_id, actor="executor", lane=name)

    assert "a copy elsewhere" in error.value.hint
    assert (folder / "a.py").read_text() == MENDED
    (folder / "a.py").write_text("one =")  # as git may leave it
    stopped.lanes.open(run_id, actor="executor", lane=name)
    assert git(folder, "status", "--porcelain") == "?? mine.py"


def test_a_lock_of_which_nobody_can_tell_whether_its_git_lives_is_left_alone(
    stopped: Team, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lock = _lock(_work(stopped))
    monkeypatch.setattr(holding, "_PROC", tmp_path / "none")

    with pytest.raises(ConflictError, match=r"index\.lock") as refused:
        stopped.lanes.merge(_run(stopped), stopped.lane(2), actor="executor")
    assert f"rm {lock}" in refused.value.hint
    assert lock.exists()


_HANGING = """
import sys
from pathlib import Path
from agentx.host.git.command import do_git
from agentx.host.git.mending.holding import hold

folder = Path(sys.argv[1])
with hold(folder / "held", folder) as held:
    do_git(folder, "-c", "alias.hang=!echo $$ > pid; sleep 300", "hang", held=held)
"""


@pytest.mark.promise("runs.recover")
def test_a_git_and_all_it_began_end_with_a_command_that_is_killed(tmp_path: Path) -> None:
    folder = repository(tmp_path / "shop", a_py="one = 1\n")
    command = subprocess.Popen([sys.executable, "-c", _HANGING, str(folder)])
    noted = folder / "pid"
    until(lambda: noted.exists() and bool(noted.read_text().strip()))
    command.kill()
    command.wait()

    until(lambda: not pid_alive(int(noted.read_text())))
    with holding.hold(folder / "held", folder):
        pass


def test_only_a_git_of_the_users_in_that_folder_is_said_to_work_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    for pid, name, where in (
        (11, "git", folder),
        (12, "git-remote-http", folder),
        (13, "gitlab-runner", folder),
        (14, "git", tmp_path),
    ):
        process = tmp_path / "proc" / str(pid)
        (process / "fd").mkdir(parents=True)
        (process / "comm").write_text(f"{name}\n", "utf-8")
        (process / "cwd").symlink_to(where)
    (tmp_path / "proc" / "self" / "fd").mkdir(parents=True)
    monkeypatch.setattr(holding, "_PROC", tmp_path / "proc")

    assert holding.list_holders(folder, folder / "index.lock") == (11, 12)
    another = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: another)
    assert holding.list_holders(folder, folder / "index.lock") == ()


@pytest.mark.promise("runs.recover")
def test_patches_that_a_person_applies_are_none_of_a_rebase_that_was_cut_short(
    begun: Team,
) -> None:
    work = _work(begun)
    mails = begun.root.parent / "mails"
    mails.write_text(_MAIL, "utf-8")
    git(work, "am", "-q", str(mails), check=False)
    notes = work / git(work, "rev-parse", "--git-path", "rebase-apply")
    before = sorted(each.name for each in notes.iterdir())

    _, rebuilt = begun.runs.resume(_run(begun))

    assert sorted(each.name for each in notes.iterdir()) == before
    said = " ".join(rebuilt.remarks)
    assert "undone" not in said
    assert f"git -C {work} am --abort" in said
