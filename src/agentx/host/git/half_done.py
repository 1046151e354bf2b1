"""What a git that was killed left half-done in a folder of ours: filled, or undone.

Git notes which files a folder has (its index) only once all of them are written. Where a command
of ours was killed it may still go on for a moment: its lock is waited for.
"""

from __future__ import annotations

import time
from pathlib import Path

from agentx.host.files.plain import exists, remove
from agentx.host.git.command import read_git
from agentx.host.git.work import git_done, git_file, list_changed_files

LOCK_WAIT_S = 10.0
_LOOK_EVERY_S = 0.05


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


def undo_merge(folder: Path, commit: str) -> bool:
    """Take back what a killed merge of a commit wrote; tell whether there was anything.

    Where something else is changed, too, that is somebody's, and all of it stays.

    Raises: UnavailableError.
    """
    changed = frozenset(list_changed_files(folder))
    said = read_git(folder, "diff", "--name-only", "--no-renames", "-z", f"HEAD...{commit}", "--")
    if not changed or said.code != 0 or not all(_is_among(name, said.names) for name in changed):
        return False
    git_done(folder, "reset", "--quiet", "--hard")
    untracked = read_git(folder, "ls-files", "-z", "--others", "--exclude-standard").names
    for name in sorted(set(untracked) & set(said.names)):
        remove(folder / name)
    return True


def release_lock(folder: Path) -> None:
    """Take away the lock of a git that is gone; one that still works is waited for."""
    lock = git_file(folder, "index.lock")
    deadline = time.monotonic() + LOCK_WAIT_S
    while exists(lock):
        if time.monotonic() > deadline:
            remove(lock)
            return
        time.sleep(_LOOK_EVERY_S)


def _is_among(name: str, written: tuple[str, ...]) -> bool:
    """Tell whether a name is one of some files, or a folder of them."""
    return any(each == name or (name.endswith("/") and each.startswith(name)) for each in written)
