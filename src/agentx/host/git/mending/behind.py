"""Folders that lag behind their branch: it was moved from elsewhere, and nobody changed anything.

A clone may be used from two places that each see folders of their own, as a host and its container
do. What one merges moves the branch; in the other's folder lies what the branch had before, which
git tells as changes that take the merge back.
"""

from __future__ import annotations

from pathlib import Path

from agentx.host.files.atomic import temporary_beside
from agentx.host.files.plain import exists, remove
from agentx.host.git.command import do_git, read_git
from agentx.host.git.loose import tell_half_done
from agentx.host.git.work import git_done, git_file, is_ancestor, list_changed_files

_COMMITS_MAX = 30


def bring_up(folder: Path, held: int | None = None) -> bool:
    """Bring a folder up to its branch where it lags behind; tell whether it did.

    Raises: UnavailableError.
    """
    had = find_behind(folder)
    if not had:
        return False
    git_done(folder, "read-tree", had, held=held)
    do_git(folder, "update-index", "-q", "--refresh", held=held)
    # Writes over nothing but that.
    git_done(folder, "read-tree", "-m", "-u", had, "HEAD", held=held)
    return True


def find_behind(folder: Path) -> str:
    """Return the commit that a folder holds to the letter, and its branch held before; or nothing.

    One that the branch was moved back from, as by `git reset`, is somebody's who goes on from it.

    Raises: UnavailableError.
    """
    changed = frozenset(list_changed_files(folder, one_by_one=True))
    if not changed or exists(git_file(folder, "index.lock")) or tell_half_done(folder):
        return ""
    found = (each for each in _list_had(folder) if changed == _list_between(folder, each))
    past = (each for each in found if is_ancestor(folder, each, "HEAD"))
    return next((each for each in past if _is_at(folder, each)), "")


def has_had(path: Path, name: str, tree: str) -> bool:
    """Tell whether a branch, or another name, holds a tree, or held it before.

    Raises: UnavailableError.
    """
    words = ("log", "--no-walk", "--format=%T", "--end-of-options", name, *_list_had(path, name))
    return tree in read_git(path, *words).lines


def _list_had(path: Path, name: str = "HEAD") -> tuple[str, ...]:
    """Return the commits at which a branch was, newest first: as noted here, and by its history."""
    branch = read_git(path, "rev-parse", "--symbolic-full-name", name).out.strip() or name
    noted = read_git(path, "reflog", "show", f"-{_COMMITS_MAX}", "--format=%H", branch)
    known = read_git(path, "rev-list", f"-{_COMMITS_MAX}", "--first-parent", name)
    lines = (line for said in (noted, known) if said.code == 0 for line in said.lines)
    return tuple(dict.fromkeys(lines))


def _list_between(folder: Path, commit: str) -> frozenset[str]:
    """Return the files by which a commit differs from what is checked out."""
    words = ("diff-tree", "-r", "--name-only", "--no-renames", "-z", commit, "HEAD")
    return frozenset(read_git(folder, *words).names)


def _is_at(folder: Path, commit: str) -> bool:
    """Tell whether what lies in a folder is a commit's, file by file; what git ignores aside."""
    index = temporary_beside(git_file(folder, "index"))
    try:
        git_done(folder, "read-tree", commit, index=index)
        do_git(folder, "update-index", "-q", "--refresh", index=index)
        if do_git(folder, "diff-files", "--quiet", index=index).code != 0:
            return False
        new = ("ls-files", "-z", "--others", "--exclude-standard", "--directory")
        return not git_done(folder, *new, index=index).names
    finally:
        remove(index)
