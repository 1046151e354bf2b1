"""Goal: what lags in a folder is brought up or told, whatever else happened to that folder.

Method: real git; one clone is used from two places, and the folder here is left half brought up,
staged into, without git's log of it, or put back from a backup.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from agentx.host.git.mending import behind, holding
from agentx.host.git.work import git_done
from agentx.kernel.errors import ConflictError
from tests.support.kept import KeptFolder
from tests.support.repository import commit, git
from tests.support.run_stories import Killed, Team
from tests.support.shared_run import ACTOR
from tests.support.soaking import in_soak
from tests.support.two_places import PLACES, folder_of, furnish, lag_behind, run_of


@pytest.fixture(scope="module")
def kept_team(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder[Team]:
    def begin(folder: Path) -> Team:
        team = furnish(folder)
        team.lanes.merge(run_of(team), "lane-001", actor=ACTOR)
        return team

    return KeptFolder(tmp_path_factory.mktemp("team"), begin)


@pytest.fixture
def team(kept_team: KeptFolder[Team]) -> Team:
    return kept_team.lend()


def _lag(team: Team, at: str = "another path") -> Path:
    """Let the other place change b1.py, add c.py and d.py, and take a.py away."""
    return lag_behind(team, at, b1_py="b = 5\n", d_py="d = 1\nd = 2\n")


def _move_on(team: Team) -> dict[str, str]:
    """Let the work branch be moved once more elsewhere; return what comes."""
    other, branch = team.root.parent / "other", f"agent/{run_of(team)}/work"
    git(team.root, "worktree", "add", "-q", "--force", str(other), branch)
    commit(other, "more", b1_py="b = 6\n", c_py="c = 2\n")
    other.rename(team.root.parent / "gone")
    return {"b1.py": "b = 6\n", "c.py": "c = 2\n"}


def _merge(team: Team) -> tuple[str, ...]:
    return team.lanes.merge(run_of(team), "lane-002", actor=ACTOR).told.remarks


def _look(work: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in work.glob("*.py")}


_COMES = {"b1.py": "b = 5\n", "c.py": "c = 1\n", "d.py": "d = 1\nd = 2\n"}
_UP = {**_COMES, "b2.py": "b = 1\n"}


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize(
    "wrote", [("a.py", "b1.py", "c.py"), *in_soak(("c.py",), (*_COMES, "a.py"))]
)
def test_a_folder_that_is_half_brought_up_is_brought_up_further(
    team: Team, at: str, wrote: tuple[str, ...]
) -> None:
    work = _lag(team, at)
    if at == "the same path":
        git(work, "read-tree", "HEAD^1")  # as it begins
    for name in wrote:
        (work / name).unlink(missing_ok=True)
        if name in _COMES:
            (work / name).write_text(_COMES[name], "utf-8")

    _merge(team)

    assert _look(work) == _UP
    assert git(work, "status", "--porcelain") == ""


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("is_moved", [False, True])
def test_a_bring_up_that_was_killed_goes_on(
    team: Team, at: str, is_moved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = _lag(team, at)

    def kill(folder: Path, *words: str, **more: Any) -> object:
        if words[:2] != ("read-tree", "-m"):
            return git_done(folder, *words, **more)
        (folder / "a.py").unlink()
        (folder / "b1.py").unlink()  # it goes before it is written anew
        (folder / "c.py").write_text(_COMES["c.py"], "utf-8")
        (folder / "d.py").write_text("d = 1\n", "utf-8")
        Path(git(folder, "rev-parse", "--git-path", "index.lock")).touch()
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(behind, "git_done", kill)
        with pytest.raises(Killed):
            _merge(team)
    more = _move_on(team) if is_moved else {}
    _merge(team)

    assert _look(work) == {**_UP, **more}
    assert git(work, "status", "--porcelain") == ""


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("then", ["nothing", "reset", *in_soak("made anew")])
def test_what_was_brought_up_before_it_was_noted_stays_when_the_branch_goes_on(
    team: Team, at: str, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = _lag(team, at)

    def kill(folder: Path, *words: str, **more: Any) -> object:
        if words[:2] == ("read-tree", "-m") and then != "nothing":
            (folder / "d.py").write_text("d = 1\n", "utf-8")
            raise Killed
        done = git_done(folder, *words, **more)
        if words[:2] == ("read-tree", "-m"):
            raise Killed
        return done

    with monkeypatch.context() as patch:
        patch.setattr(behind, "git_done", kill)
        with pytest.raises(Killed):
            _merge(team)
    if then == "reset":
        git(work, "reset", "-q", "--hard")
    elif then == "made anew":
        git(team.root, "worktree", "remove", "--force", str(work))
        git(team.root, "worktree", "add", "-q", "--force", str(work), f"agent/{run_of(team)}/work")
    assert git(work, "status", "--porcelain") == ""
    more = _move_on(team)
    _merge(team)

    assert _look(work) == {**_UP, **more}
    assert git(work, "status", "--porcelain") == ""
    assert not list(team.data.glob("runs/*.up"))


def test_no_lock_is_taken_from_a_bring_up_that_another_place_began(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = _lag(team)
    lock = Path(git(work, "rev-parse", "--git-path", "index.lock"))

    def kill(folder: Path, *_words: str, **_more: Any) -> object:
        lock.touch()
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(behind, "git_done", kill)
        with pytest.raises(Killed):
            _merge(team)
    [note] = team.data.glob("runs/*.up")
    note.unlink()  # as another place sees it, whose git is not seen from here

    monkeypatch.setattr(holding, "WAIT_S", 0.1)
    with pytest.raises(ConflictError, match="git has locked"):
        _merge(team)
    assert lock.exists()


def test_what_somebody_changes_after_a_bring_up_was_killed_stays(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = _lag(team)

    def kill(folder: Path, *words: str, **_more: Any) -> object:
        (folder / "c.py").write_text(_COMES["c.py"], "utf-8")
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(behind, "git_done", kill)
        with pytest.raises(Killed):
            _merge(team)
    (work / "b1.py").write_text("b = 1\nmine = 1\n", "utf-8")

    for _ in range(2):
        with pytest.raises(ConflictError, match=r"somebody changed b1\.py in it"):
            _merge(team)
    assert (work / "b1.py").read_text("utf-8") == "b = 1\nmine = 1\n"


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("then", ["cuts", "empties", "deletes", "nothing"])
def test_what_somebody_cut_or_deleted_after_a_bring_up_was_killed_is_told_and_kept(
    team: Team, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = _lag(team)
    wrote = () if then in ("cuts", "nothing") else ("b1.py", "c.py")

    def kill(folder: Path, *words: str, **more: Any) -> object:
        if words[:2] != ("read-tree", "-m"):
            return git_done(folder, *words, **more)
        for name in wrote:
            (folder / name).write_text(_COMES[name], "utf-8")
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(behind, "git_done", kill)
        with pytest.raises(Killed):
            _merge(team)
    if then in ("deletes", "nothing"):  # git, too, takes away what it is about to write
        (work / "b1.py").unlink()
    else:
        (work / "b1.py").write_text("b" if then == "cuts" else "", "utf-8")

    told = [word for word in _merge(team) if "b1.py" in word]

    assert _look(work) == _UP
    kept = git(team.root, "for-each-ref", "--format=%(refname)", "refs/agentx/kept").split()
    if then == "nothing":
        assert (told, kept) == ([], [])
        return
    [name] = kept
    why = "b1.py is put back, which was cut off or gone where a bring-up was killed"
    assert told == [f"{work}: {why}; what lay there stays as {name}"]
    lay = git(team.root, "ls-tree", "--name-only", name).split()
    assert ("b1.py" in lay) is (then != "deletes")


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("adds", [("b1.py",), ("a.py", "b1.py", "c.py", "d.py")])
def test_what_somebody_staged_of_all_that_lags_is_told_apart_from_it(
    team: Team, adds: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(team.root.parent))
    work = _lag(team)
    if "a.py" not in adds:  # the rest is brought up by hand
        git(work, "checkout", "HEAD", "--", *({*_COMES} - {*adds}))
        git(work, "rm", "-q", "-f", "a.py")
    for name in adds:
        (work / name).write_text(f"mine = '{name}'\n", "utf-8")
    git(work, "add", *adds)

    with pytest.raises(ConflictError, match=f"somebody changed {', '.join(adds)} in it") as refused:
        _merge(team)
    told = refused.value.hint.partition(" (and in a lane")[0]
    subprocess.run(told, shell=True, check=True)
    _merge(team)

    assert _look(work) == _UP
    [patch] = team.root.parent.glob("work-*.patch")
    for name in adds:
        assert f"+mine = '{name}'" in patch.read_text("utf-8")


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("edits", [("b1.py",), ("a.py", "b1.py", "c.py", "d.py")])
def test_what_lags_is_told_where_git_has_no_log_of_the_folder(
    team: Team, edits: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(team.root.parent))
    work = _lag(team)
    git(team.root, "reflog", "expire", "--expire=now", "--all")
    for name in edits:
        with (work / name).open("a", encoding="utf-8") as file:
            file.write("mine = 1\n")

    said = "is as it was at .{10}, and b1.py is changed" if len(edits) == 1 else "is staged as it"
    with pytest.raises(ConflictError, match=said) as refused:
        _merge(team)
    assert (work / "b1.py").read_text("utf-8") == "b = 1\nmine = 1\n"
    for new in {*edits} & {"c.py", "d.py"}:
        (work / new).rename(team.root.parent / new)  # as it says
    told = refused.value.hint.partition(" (and in a lane")[0].partition("took that back: ")[2]
    told = told.removeprefix(f"move c.py, d.py in {work} elsewhere; ")
    subprocess.run(told, shell=True, check=True)
    [patch] = team.root.parent.glob("work-*.patch")
    assert "+mine = 1" in patch.read_text("utf-8")

    with pytest.raises(ConflictError, match=r"b1\.py, c\.py, d\.py is as it was at") as refused:
        _merge(team)  # nobody is sure yet
    told = refused.value.hint.partition("took that back: ")[2].partition("; else")[0]
    subprocess.run(told, shell=True, check=True)
    _merge(team)
    assert _look(work) == _UP


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize(
    ("name", "does"), [("work", "stages"), ("work", "unlinks"), ("lane", "stages")]
)
@pytest.mark.parametrize("keeps", ["whole seconds", "no times"])
def test_who_takes_back_something_in_a_folder_from_a_backup_is_not_behind(
    team: Team, name: str, does: str, keeps: str
) -> None:
    folder = folder_of(team, name if name == "work" else team.lane(2))
    taken = "b1.py" if name == "work" else "b2.py"
    if does == "stages":
        git(folder, "rm", "-q", taken)
    else:
        (folder / taken).unlink()
    made = (folder / ".git").stat().st_mtime_ns
    whole = made - made % 10**9 if keeps == "whole seconds" else time.time_ns() + 5 * 10**9
    os.utime(folder / ".git", ns=(whole, whole))
    before = git(folder, "status", "--porcelain")

    with pytest.raises(ConflictError) as refused:
        _merge(team)

    assert git(folder, "status", "--porcelain") == before
    said = refused.value.message
    assert "behind" not in said
    assert ("not committed" in said) == (keeps == "whole seconds")
    if keeps == "no times":
        assert f"{taken} is as it was at" in said
        assert "if nobody took that back" in refused.value.hint


def _put_back(team: Team, folder: Path, *, edits: tuple[str, ...] = ()) -> None:
    """Let a folder's branch go on there, then put its files back as an hour ago they were."""
    for name in edits:  # which the backup has
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write("mine = 1\n")
    backup = team.root.parent / "backup"
    shutil.copytree(folder, backup, symlinks=True)
    git(folder, "checkout", "-q", "--", ".")
    if folder.name == "work":
        opened = team.lanes.open(run_of(team), actor=ACTOR, task="TASK-003")
        commit(Path(opened.folder), "today", b1_py="b = 1\nb = 7\n", c_py="c = 1\n")
        team.lanes.merge(run_of(team), "lane-003", actor=ACTOR)
    else:
        commit(folder, "today", b2_py="b = 1\nb = 7\n", c_py="c = 1\n")
    shutil.rmtree(folder)
    before_s = time.time() - 3600
    for path in (*backup.rglob("*"), backup):
        if path.name != ".git":
            os.utime(path, (before_s, before_s))
    shutil.copytree(backup, folder, symlinks=True)


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("name", ["work", "lane"])
@pytest.mark.parametrize("is_touched", [False, True])
def test_a_folder_that_was_put_back_from_a_backup_takes_nothing_back_that_came_since(
    team: Team, name: str, *, is_touched: bool
) -> None:
    folder, mine = folder_of(team, name if name == "work" else team.lane(2)), "b1.py"
    if name == "lane":
        mine = "b2.py"
    _put_back(team, folder)
    if is_touched:
        os.utime(folder / mine)  # nobody knows then, and the content is the same
    before = git(folder, "status", "--porcelain")

    with pytest.raises(ConflictError) as refused:
        _merge(team)

    assert git(folder, "status", "--porcelain") == before
    whose = "the work branch" if name == "work" else team.lane(2)
    assert f"{whose} has changes that are not committed: {mine}, c.py is as" in str(refused.value)
    assert refused.value.message.endswith(", an earlier state of the branch")
    told = refused.value.hint.partition("took that back: ")[2].partition("; else ")[0]
    subprocess.run(told, shell=True, check=True)
    _merge(team)
    assert _look(folder_of(team, "work"))["c.py"] == "c = 1\n"
    assert _look(folder_of(team, "work"))[mine] == "b = 1\nb = 7\n"


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("edits", [("a.py",), ("b2.py",)])
def test_what_somebody_had_changed_in_a_folder_when_it_was_kept_is_told_apart(
    team: Team, edits: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(team.root.parent))
    folder = folder_of(team, team.lane(2))
    _put_back(team, folder, edits=edits)

    with pytest.raises(
        ConflictError, match=r"is as it was at .{10}, an earlier|and b2.py is ch"
    ) as (refused):
        _merge(team)
    assert "mine = 1\n" in (folder / edits[0]).read_text("utf-8")
    told = refused.value.hint.partition("took that back: ")[2].partition("; else ")[0]
    subprocess.run(told.partition(" (and in a lane")[0], shell=True, check=True)

    if edits == ("a.py",):
        assert git(folder, "status", "--porcelain").strip() == "M a.py"
        assert _look(folder)["c.py"] == "c = 1\n"
    else:
        [patch] = team.root.parent.glob(f"{team.lane(2)}-*.patch")
        assert "+mine = 1" in patch.read_text("utf-8")


def test_who_takes_a_commit_back_among_other_changes_is_not_told_of_a_backup(team: Team) -> None:
    folder = folder_of(team, team.lane(2))
    (folder / "b2.py").unlink()
    (folder / "a.py").write_text("one = 2\n", "utf-8")

    with pytest.raises(ConflictError, match=r"not committed: a\.py, b2\.py$") as refused:
        _merge(team)
    assert refused.value.hint.startswith("commit or undo them in ")


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("at", PLACES)
def test_who_left_the_branch_of_a_folder_that_lags_comes_back_as_it_is_told(
    team: Team, at: str
) -> None:
    work = _lag(team, at)
    git(work, "switch", "-q", "-c", "mine")

    with pytest.raises(ConflictError, match="is not checked out in its folder") as refused:
        _merge(team)
    subprocess.run(refused.value.hint.partition("; commits")[0], shell=True, check=True)
    _merge(team)

    assert _look(work) == _UP
    assert git(work, "status", "--porcelain") == ""
