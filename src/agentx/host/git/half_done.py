"""What a git that was killed left half-done in a folder of ours: filled, or undone.

Git notes which files a folder has (its index) only once all of them are written. Where a command
of ours was killed it may still go on: it is waited for, and nothing is taken from one that lives.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agentx.host.files.plain import exists, read_text, remove, remove_tree
from agentx.host.git.command import NO_HOOKS, do_git, read_git
from agentx.host.git.loose import require_over
from agentx.host.git.mending.half_way import MERGE, find_half_way
from agentx.host.git.mending.holding import await_release, refuse_locked, release_lock
from agentx.host.git.mending.ours import (
    REBASE,
    Doing,
    is_commit_ours,
    list_overwritten,
    list_theirs,
)
from agentx.host.git.mending.snapshot import take_snapshot
from agentx.host.git.work import (
    commit_of,
    git_done,
    git_file,
    is_ancestor,
    is_same_tree,
    list_changed_files,
)
from agentx.kernel.errors import ConflictError
from agentx.kernel.text import name_some

_SHORT = 10
_MAKING = "initializing"
_NOTES = "rebase-merge"  # of a rebase of ours; what applies patches keeps others


def fill_folder(folder: Path, held: int | None = None) -> bool:
    """Fill a folder that git never finished; tell whether it was so.

    Raises: ConflictError while a git works there or where somebody changed files,
        UnavailableError.
    """
    index, locked = git_file(folder, "index"), git_file(folder, "locked")
    # Git locks a folder while it makes it, so that nobody takes it away.
    if exists(locked) and read_text(locked, errors="replace").strip() == _MAKING:
        remove(locked)
    if exists(index):
        return False
    release_lock(folder)
    if exists(index):
        return False  # it was finished meanwhile
    theirs = list_overwritten(folder, take_snapshot(folder))
    if theirs:
        raise ConflictError(
            f"{folder} was never filled, and somebody changed {name_some(theirs)}",
            hint="remove that there, a copy elsewhere keeps it; then try again",
        )
    git_done(folder, "reset", "--quiet", "--hard", settings=NO_HOOKS, held=held)
    remove(locked)
    return True


def undo(
    folder: Path, branch: str, doing: Doing, keep: Callable[[str], str], held: int | None = None
) -> tuple[str, ...] | None:
    """Take back what a merge, rebase or reset wrote that was killed; None where it was over.

    Only what it wrote itself: what somebody committed since stays. All that lay in the folder is
    first given to `keep`; returns what came of that.

    Raises: ConflictError where somebody changed files since or a git works there,
        UnavailableError.
    """
    release_lock(folder)
    if _is_over(folder, branch, doing):
        return None
    seen = take_snapshot(folder)
    theirs = list_theirs(folder, doing, seen)
    if theirs:
        raise _refuse(folder, doing, theirs)
    is_as_before = commit_of(folder, "HEAD") == doing.before and is_same_tree(
        folder, seen.commit, doing.before
    )
    kept = () if is_as_before else (keep(seen.commit),)
    written = read_git(folder, "diff", "--name-only", "-z", doing.before, seen.files, "--").names
    git_done(folder, "symbolic-ref", "HEAD", f"refs/heads/{branch}", settings=NO_HOOKS)
    words = ("reset", "--quiet", "--hard", doing.before)
    git_done(folder, *words, settings=NO_HOOKS, held=held)
    untracked = read_git(folder, "ls-files", "-z", "--others", "--exclude-standard").names
    for name in sorted(set(untracked) & set(written)):
        remove(folder / name)
    if _is_replaying(folder):
        do_git(folder, "rebase", "--quit", settings=NO_HOOKS)
        remove_tree(git_file(folder, _NOTES))
    return kept


def find_doing(folder: Path, what: str) -> Doing | None:
    """Return what git itself notes of a merge or rebase that is not over."""
    if _is_replaying(folder):
        names = [_read_note(folder, name) for name in ("orig-head", "onto")]
        return Doing(what=REBASE, before=names[0], commit=names[1]) if all(names) else None
    merging = commit_of(folder, "MERGE_HEAD")
    return Doing(what=what, before=commit_of(folder, "HEAD"), commit=merging) if merging else None


def check_unlocked(folder: Path) -> None:
    """See that no git holds a folder, and that no merge of anybody's is half-way in it.

    Raises: ConflictError, UnavailableError.
    """
    lock = git_file(folder, "index.lock")
    if not await_release(lock):
        raise refuse_locked(folder, lock)
    require_over(folder)


def _is_over(folder: Path, branch: str, doing: Doing) -> bool:
    """Tell whether nothing of ours is half-done: it came to its end, or somebody went on from it.

    Raises: ConflictError where somebody went on and it is not over.
    """
    head, merging = commit_of(folder, "HEAD"), commit_of(folder, "MERGE_HEAD")
    if _is_elsewhere(folder, branch, doing, head):
        return True
    if not is_commit_ours(folder, doing, head):
        if _is_replaying(folder):
            raise _refuse(folder, doing, (f"{head[:_SHORT]} is somebody's",))
        if merging and is_ancestor(folder, merging, head):
            # Its commit is there, only the note of it stayed.
            do_git(folder, "merge", "--quit", settings=NO_HOOKS)
        return True
    is_half = merging or _is_replaying(folder) or head != doing.before or _is_detached(folder)
    return not is_half and not list_changed_files(folder)


def _is_elsewhere(folder: Path, branch: str, doing: Doing, head: str) -> bool:
    """Tell whether somebody began something else in a folder, or left the branch."""
    said = read_git(folder, "symbolic-ref", "--quiet", "HEAD")
    on = said.out.strip()
    if on != f"refs/heads/{branch}" and (on or doing.what != REBASE):
        return True
    if commit_of(folder, f"refs/heads/{branch}") not in (doing.before, head):
        return True
    if commit_of(folder, "MERGE_HEAD") not in ("", doing.commit):
        return True
    if _is_replaying(folder):
        notes = {"orig-head": doing.before, "onto": doing.commit}
        known = all(_read_note(folder, name) in ("", notes[name]) for name in notes)
        return doing.what != REBASE or not known
    half = find_half_way(folder)
    return half is not None and half.what != MERGE


def _refuse(folder: Path, doing: Doing, names: tuple[str, ...]) -> ConflictError:
    half = "rebase" if _is_replaying(folder) else "merge"
    if half == "merge" and not commit_of(folder, "MERGE_HEAD"):
        return ConflictError(
            f"a {doing.what} was cut short in {folder}, and since then somebody changed "
            f"{name_some(names)}",
            hint="undo that there, a copy elsewhere keeps it; then try again",
        )
    end = "git commit" if half == "merge" else "git rebase --continue"
    return ConflictError(
        f"a {doing.what} that was cut short is half mended in {folder}: {name_some(names)}",
        hint=f"there conclude it with `{end}`, or undo it with `git {half} --abort`; "
        "then try again",
    )


def _is_detached(folder: Path) -> bool:
    return read_git(folder, "symbolic-ref", "--quiet", "HEAD").code != 0


def _read_note(folder: Path, name: str) -> str:
    """Return what git notes of a rebase that is not over."""
    try:
        return read_text(git_file(folder, f"{_NOTES}/{name}")).strip()
    except (OSError, ValueError):
        return ""


def _is_replaying(folder: Path) -> bool:
    return exists(git_file(folder, _NOTES))
