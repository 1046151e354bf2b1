"""What a driver does with git in a lane: what an agent left is committed and pushed, the work
branch is merged into it where the two do not go together, and what is needed to run is laid there.

Only branches of the run are pushed, and never by force.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import exists, look, read_bytes
from agentx.host.git.command import NO_HOOKS, do_git, read_git
from agentx.host.git.work import (
    OUTSIDE,
    as_somebody,
    commit_of,
    git_done,
    is_ancestor,
    list_changed_files,
    list_conflicting_files,
    stage_files,
)
from agentx.kernel.errors import InvalidValue, NotFound, UnavailableError, UnsafePath
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.runs.store.shared.branches import OURS, check_name

_PUSH_WAIT_MS = 60_000
_SAID_CHARS_MAX = 200
_MARKS = re.compile(rb"^(<{7}|>{7}) ", re.MULTILINE)


@frozen
class BroughtIn:
    """What came of merging the work branch into a lane."""

    files: tuple[str, ...] = ()  # git could not put these together: they hold marks now
    is_begun: bool = False  # the merge waits for a commit


@frozen
class LeftThere:
    """What an agent left in a lane: the commit that holds it, or files that hold marks still."""

    commit: str
    marked: tuple[str, ...] = ()


def commit_left(folder: Path, saying: str) -> LeftThere:
    """Commit all that was changed in a lane's folder, unless a merge is not mended there.

    A merge that was begun there is concluded by it.

    Raises: UnavailableError.
    """
    merges = is_merging(folder)
    marked = list_marked(folder, list_conflicting_files(folder)) if merges else ()
    if not marked:
        stage_files(folder, list_changed_files(folder, one_by_one=True))
    if not marked and (merges or _has_staged(folder)):
        words = (*as_somebody(folder), "commit", "--quiet", "--no-verify", "-m", saying)
        git_done(folder, *words, settings=NO_HOOKS)
    return LeftThere(commit=commit_of(folder, "HEAD"), marked=marked)


def find_holders(folder: Path, since: str) -> tuple[str, ...]:
    """Return which branches of people hold what was committed in a lane since some commit.

    Raises: UnavailableError.
    """
    if commit_of(folder, "HEAD") == since:
        return ()
    made = read_git(folder, "rev-list", "--reverse", "--first-parent", f"{since}..HEAD").lines
    words = ("for-each-ref", "--format=%(refname:lstrip=2)")
    said = [read_git(folder, *words, f"--contains={each}", "refs/heads/") for each in made[:1]]
    names = (name for each in said for name in each.lines)
    return tuple(name for name in names if not name.startswith(OURS))


def _has_staged(folder: Path) -> bool:
    return read_git(folder, "diff", "--cached", "--quiet", OUTSIDE).code != 0


def list_marked(folder: Path, files: tuple[str, ...]) -> tuple[str, ...]:
    """Return which files of a conflict still hold git's marks."""
    return tuple(name for name in files if _has_marks(folder, name))


def _has_marks(folder: Path, name: str) -> bool:
    try:
        return bool(_MARKS.search(read_bytes(folder / name, ground=folder)))
    except (OSError, UnsafePath):
        return False


def bring_work(folder: Path, work: str) -> BroughtIn:
    """Merge the work branch into a lane; where they do not go together, its files hold marks.

    Raises: UnavailableError.
    """
    if is_merging(folder):
        return BroughtIn(files=list_conflicting_files(folder), is_begun=True)
    if is_ancestor(folder, work, "HEAD"):
        return BroughtIn()
    words = (*as_somebody(folder), "merge", "--no-ff", "--no-edit", work)
    said = do_git(folder, *words, settings=NO_HOOKS)
    files = list_conflicting_files(folder)
    if said.code != 0 and not files:
        raise UnavailableError(f"git merge in {folder}: {(said.err or said.out)[:_SAID_CHARS_MAX]}")
    return BroughtIn(files=files, is_begun=bool(files))


def push_branch(root: Path, remote: str, branch: str) -> str:
    """Push a branch of a run; return why that was not possible, or nothing.

    Raises: InvalidValue for a branch that is none of a run's.
    """
    check_name(branch)
    ref = f"refs/heads/{branch}"
    words = ("push", "--quiet", "--no-verify", "--end-of-options", remote, f"{ref}:{ref}")
    try:
        done = do_git(root, *words, settings=NO_HOOKS, wait_ms=_PUSH_WAIT_MS)
    except UnavailableError as error:
        return error.message
    if done.code == 0:
        return ""
    lines = [line.strip() for line in done.err.splitlines() if line.strip()]
    refused = next((line for line in lines if line.startswith("! [")), "")
    return preview(refused or (lines or ["git push failed"])[0], _SAID_CHARS_MAX)


def copy_ignored(root: Path, folder: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """Copy files that git does not keep from the checkout into a lane; return which were copied.

    What is there already stays. No link is followed, and a name leads nowhere else.

    Raises: InvalidValue, NotFound, UnsafePath, OSError.
    """
    copied = []
    for name in names:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise InvalidValue(f"{name!r} is no file of {root}", hint="name it from the top of it")
        found = look(root / name, ground=root)
        if found is None or not stat.S_ISREG(found.st_mode):
            raise NotFound(
                f"{name} is no file in {root}", hint="--copy names a file; --setup does more"
            )
        if read_git(root, "check-ignore", "--quiet", "--", name).code != 0:
            raise InvalidValue(
                f"{name} is not ignored by git: it comes into a lane by a commit",
                hint="commit it, or leave --copy out",
            )
        if not exists(folder / name, ground=folder):
            data = read_bytes(root / name, ground=root)
            replace_file(folder / name, data, stat.S_IMODE(found.st_mode), ground=folder)
            copied.append(name)
    return tuple(copied)


def is_merging(folder: Path) -> bool:
    """Tell whether a merge is begun in a folder, and not concluded."""
    return read_git(folder, "rev-parse", "--verify", "--quiet", "MERGE_HEAD").code == 0
