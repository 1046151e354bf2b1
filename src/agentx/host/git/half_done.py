"""What a git that was killed left half-done in a folder of ours: filled, or undone.

Git notes which files a folder has (its index) only once all of them are written. Where a command
of ours was killed it may still go on for a moment: its lock is waited for.
"""

from __future__ import annotations

import time
from pathlib import Path

from agentx.host.files.plain import exists, remove, remove_tree
from agentx.host.git.command import do_git, read_git
from agentx.host.git.loose import tell_half_done
from agentx.host.git.work import commit_of, git_done, git_file, list_changed_files
from agentx.kernel.errors import ConflictError

LOCK_WAIT_S = 10.0
_LOOK_EVERY_S = 0.05
_REBASING = ("rebase-merge", "rebase-apply")


def fill_folder(folder: Path) -> bool:
    """Fill a folder that git never finished; tell whether it was so.

    Raises: UnavailableError.
    """
    index = git_file(folder, "index")
    if exists(index):
        return False
    release_lock(folder)
    if exists(index):
        return False  # it was finished meanwhile
    git_done(folder, "reset", "--quiet", "--hard")
    # Git locks a folder while it makes it, so that nobody takes it away.
    remove(git_file(folder, "locked"))
    return True


def undo(folder: Path, branch: str, before: str, commit: str) -> bool:
    """Take back what a killed merge or rebase with a commit wrote; tell whether there was anything.

    All was committed when it began. Where something else is changed by now, or the branch was
    moved on, that is somebody's, and all of it stays.

    Raises: UnavailableError.
    """
    release_lock(folder)
    is_replaying = _is_replaying(folder)
    changed = list_changed_files(folder)
    if not changed and not tell_half_done(folder):
        return False  # it came to its end
    is_ours = is_replaying or before in (commit_of(folder, "HEAD"), commit_of(folder, "HEAD^1"))
    said = read_git(folder, "diff", "--name-only", "--no-renames", "-z", before, commit, "--")
    if not is_ours or said.code != 0 or not all(_is_among(name, said.names) for name in changed):
        return False
    if is_replaying:
        do_git(folder, "rebase", "--quit")
        for name in _REBASING:
            remove_tree(git_file(folder, name))
    git_done(folder, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    git_done(folder, "reset", "--quiet", "--hard", before)
    untracked = read_git(folder, "ls-files", "-z", "--others", "--exclude-standard").names
    for name in sorted(set(untracked) & set(said.names)):
        remove(folder / name)
    return True


def abort(folder: Path) -> bool:
    """Let git give up what is not over in a folder; tell whether there was anything.

    Raises: UnavailableError.
    """
    release_lock(folder)
    if not tell_half_done(folder):
        return False
    git_done(folder, "rebase" if _is_replaying(folder) else "merge", "--abort")
    return True


def check_unlocked(folder: Path) -> None:
    """See that no git holds a folder, and that no merge of anybody's is half-way in it.

    Raises: ConflictError, UnavailableError.
    """
    lock = git_file(folder, "index.lock")
    if not _await_release(lock):
        raise ConflictError(
            f"git has locked {folder}: {lock}", hint=f"if no git runs there: rm {lock}"
        )
    half = tell_half_done(folder)
    if half:
        raise ConflictError(
            f"{half} in {folder}",
            hint="conclude it there, or give it up: git merge --abort, git rebase --abort",
        )


def release_lock(folder: Path) -> None:
    """Take away the lock of a git that is gone; one that still works is waited for."""
    lock = git_file(folder, "index.lock")
    if not _await_release(lock):
        remove(lock)


def _await_release(lock: Path) -> bool:
    """Wait until a lock is gone; tell whether it is."""
    deadline = time.monotonic() + LOCK_WAIT_S
    while exists(lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_EVERY_S)
    return True


def _is_replaying(folder: Path) -> bool:
    return any(exists(git_file(folder, name)) for name in _REBASING)


def _is_among(name: str, written: tuple[str, ...]) -> bool:
    """Tell whether a name is one of some files, or a folder of them."""
    return any(each == name or (name.endswith("/") and each.startswith(name)) for each in written)
