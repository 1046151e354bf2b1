"""Goal: what lags in a folder is brought up or told, whatever else happened to that folder.

Method: real git; one clone is used from two places, and the folder here is left half brought up,
staged into, without git's log of it, or put back from a backup.
"""

from __future__ import annotations

import os
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
@pytest.mark.parametrize("wrote", [("c.py",), ("a.py", "b1.py", "c.py"), (*_COMES, "a.py")])
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
@pytest.mark.parametrize("then", ["nothing", "reset", "made anew"])
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
    subprocess.run(told.replace("; move c.py, d.py elsewhere", ""), shell=True, check=True)
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
