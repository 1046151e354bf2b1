"""Folders that lag behind their branch: it was moved from elsewhere, and they hold what it had.

A clone may be used from two places that each see folders of their own, as a host and its container
do. What one merges moves the branch; in the other's folder lies what the branch had before, which
git tells as changes that take the merge back. Who really takes something back does it where they
are, and git's log of that folder's HEAD shows that it had come up (`placing`). So does the log of
one that was put back since from a backup: that is told where its files are all as they were at an
earlier commit, or those that lag are older than when it came up.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agentx.host.files.plain import exists, read_text, remove
from agentx.host.git.command import NO_HOOKS, do_git, read_git
from agentx.host.git.mending.coming_up import TellUndone, coming_up, in_parts, put_back_begun
from agentx.host.git.mending.half_way import find_half_way
from agentx.host.git.mending.lying import find_lying, list_names
from agentx.host.git.mending.ours import Doing
from agentx.host.git.mending.placing import find_moved_s, is_placed, place
from agentx.host.git.mending.snapshot import write_files
from agentx.host.git.work import commit_of, git_done, git_file, is_ancestor, list_changed_files
from agentx.kernel.values import frozen

_COMMITS_MAX = 30
_SWITCHED = "checkout: moving"
_REFRESH = ("update-index", "-q", "--refresh")
_TAKE = ("update-index", "--add", "--remove", "--replace", "--")  # as the files are
_NOTE_UP = ("reset", "--quiet", "--soft", "HEAD")  # in git's log of the folder


@frozen
class Lag:
    """What a folder holds of what its branch had before."""

    had: str  # the commit
    files: frozenset[str]  # that lag
    changed: frozenset[str] = frozenset()  # that lag, and that somebody changed
    others: frozenset[str] = frozenset()  # that somebody changed, and that do not lag
    written: frozenset[str] = frozenset()  # of those that lag: as the branch has them by now
    is_sure: bool = True  # or somebody may have taken that back here
    is_indexed: bool = True  # what git notes as staged is of `had`, too
    came_up: bool = False  # by git's log; it was put back since, or somebody took that back

    @property
    def steps(self) -> tuple[tuple[str, ...], ...]:
        """What git is told to bring the files up, and none but these."""
        anew = () if self.is_indexed else (("read-tree", self.had),)
        up = ("read-tree", "-m", "-u", self.had, "HEAD")
        took = ((*_TAKE, *part) for part in in_parts(self.written))
        return (*anew, _REFRESH, *took, up, _NOTE_UP)


def bring_up(folder: Path, note: Path, tell: TellUndone, held: int | None = None) -> bool:
    """Bring up what lags behind in a folder, and leave what else is changed; tell whether it did.

    Where somebody changed what lags, or may have taken it back, nothing is done. The note is there
    while git writes; what is put back of one that was killed, and need not be git's, is told.

    Raises: ConflictError while a git works there, UnavailableError.
    """
    done = put_back_begun(note, folder, tell, held)
    lag = find_behind(folder, done)
    if done is not None and lag is None:
        _note_up(folder, note, done, held)
    if lag is None or lag.changed or not lag.is_sure:
        return False
    with coming_up(note, folder, lag.had):
        for words in lag.steps:
            # Its code says that something is changed, which it may be.
            run = do_git if words == _REFRESH else git_done
            run(folder, *words, settings=NO_HOOKS, held=held)
    place(folder)
    return True


def _note_up(folder: Path, note: Path, done: Doing, held: int | None) -> None:
    """Note that a folder came up, where who brought it up was killed just before that."""
    if find_half_way(folder):
        return  # git refuses that meanwhile
    if done.commit == commit_of(folder, "HEAD"):
        git_done(folder, *_NOTE_UP, settings=NO_HOOKS, held=held)
        place(folder)
    remove(note)


def find_behind(folder: Path, done: Doing | None = None) -> Lag | None:
    """Return what of a folder lags behind its branch; None where nothing does.

    Where the branch was moved in this folder, as back by `git reset`, what is left is somebody's.
    It was brought up here by what is `done`, though git's log does not have that.

    Raises: UnavailableError.
    """
    changed = frozenset(list_changed_files(folder, one_by_one=True))
    if not changed or exists(git_file(folder, "index.lock")) or find_half_way(folder):
        return None
    head, left_at, is_own = commit_of(folder, "HEAD"), _find_left(folder), is_placed(folder)
    if done is not None and left_at == done.before:
        return _compare(folder, done.commit)
    if left_at not in ("", head) and is_own is not False:
        return _compare(folder, left_at)
    if left_at and is_own:
        # It came up here, and was changed since.
        return None if done is not None else _find_put_back(folder, changed)
    # What git notes here is of a folder elsewhere: what lies in this one must say it alone.
    return _find_had(folder, changed, is_sure=is_own is False)


def has_had(path: Path, name: str, tree: str) -> bool:
    """Tell whether a branch, or another name, holds a tree, or held it before.

    Raises: UnavailableError.
    """
    words = ("log", "--no-walk", "--format=%T", "--end-of-options", name, *_list_had(path, name))
    return tree in read_git(path, *words).lines


def _find_left(folder: Path) -> str:
    """Return where a folder's HEAD was when git last moved it there; nothing where none says.

    Who switches to another branch at the same commit moves no file.
    """
    with suppress(OSError, ValueError):
        log = read_text(git_file(folder, "logs/HEAD"), errors="replace")
        for line in reversed(log.splitlines()):
            commits, _, saying = line.partition("\t")
            old, new = commits.split()[:2]
            if old != new or not saying.startswith(_SWITCHED):
                return new
    said = read_git(folder, "log", "--walk-reflogs", "-1", "--format=%H", "HEAD")
    return said.out.strip() if said.code == 0 else ""


def _compare(folder: Path, had: str) -> Lag | None:
    """Return what lags in a folder that was at a commit when its branch was moved elsewhere."""
    lags = list_names(folder, "diff-tree", "-r", had, "HEAD")
    staged = _list_staged(folder, had)
    up = (lags & staged) - _list_staged(folder, "HEAD")
    if lags <= up:
        return None  # it was brought up by hand
    return _sort(folder, had, lags, write_files(folder), staged=staged, up=up)


def _find_had(folder: Path, changed: frozenset[str], *, is_sure: bool) -> Lag | None:
    """Return what lags where only the files tell: as at which commit most of them are."""
    files, is_staged = write_files(folder), bool(_list_staged(folder, "HEAD"))
    found: list[Lag] = []
    for had in _list_had(folder):
        lags = list_names(folder, "diff-tree", "-r", had, "HEAD")
        if not lags or not lags <= changed or not is_ancestor(folder, had, "HEAD"):
            continue
        if is_staged and _list_staged(folder, had):
            continue
        lag = _sort(folder, had, lags, files)
        if lag.files or is_staged:
            found.append(replace(lag, is_sure=is_sure, is_indexed=False))
    return min(found, key=lambda lag: len(lag.changed) + len(lag.others), default=None)


def _find_put_back(folder: Path, changed: frozenset[str]) -> Lag | None:
    """Return what lags in a folder that had come up and was put back since, as it seems."""
    lag = _find_had(folder, changed, is_sure=False)
    if lag is None or ((lag.changed or lag.others) and not _is_older(folder, lag.files)):
        return None
    return replace(lag, came_up=True)


def _is_older(folder: Path, names: frozenset[str]) -> bool:
    """Tell whether files were written before git last moved the HEAD of their folder.

    Of those that are not there their folder tells it, where no other does.
    """
    paths = [folder / name for name in names]
    there = [path for path in paths if os.path.lexists(path)]
    gone_from = {next(each for each in path.parents if each.is_dir()) for path in paths}
    moved_s = find_moved_s(folder)
    return bool(names) and all(path.lstat().st_mtime < moved_s for path in there or gone_from)


def _sort(
    folder: Path,
    had: str,
    lags: frozenset[str],
    files: str,
    *,
    staged: frozenset[str] = frozenset(),
    up: frozenset[str] = frozenset(),
) -> Lag:
    """Sort what lies in a folder: what lags, and what is somebody's. `up` is staged as it is now.

    What lies there as the branch has it by now was written by who was killed before it was noted.
    """
    edited = list_names(folder, "diff-tree", "-r", "HEAD", files)
    written = lags - edited - staged
    theirs = staged | list_names(folder, "diff-tree", "-r", had, files)
    theirs |= frozenset(find_lying(folder, had, "HEAD"))
    theirs -= written | (up - edited)
    lags -= up
    return Lag(
        had=had, files=lags - theirs, changed=lags & theirs, others=theirs - lags, written=written
    )


def _list_staged(folder: Path, commit: str) -> frozenset[str]:
    return list_names(folder, "diff-index", "--cached", commit)


def _list_had(path: Path, name: str = "HEAD") -> tuple[str, ...]:
    """Return the commits at which a branch was, newest first: as noted here, and by its history."""
    branch = read_git(path, "rev-parse", "--symbolic-full-name", name).out.strip() or name
    noted = read_git(path, "reflog", "show", f"-{_COMMITS_MAX}", "--format=%H", branch)
    known = read_git(path, "rev-list", f"-{_COMMITS_MAX}", "--first-parent", name)
    lines = (line for said in (noted, known) if said.code == 0 for line in said.lines)
    return tuple(dict.fromkeys(lines))
