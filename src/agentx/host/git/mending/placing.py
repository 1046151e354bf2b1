"""Whether what git notes of a folder is of this very folder.

    .git/worktrees/<name>/agentx-folder     when the folder's own `.git` was written

Two places that see folders of their own at the same path share what git notes of it: which files
are there, what is staged, where its HEAD was. Who made the folder last made that anew.

A folder that was put back from a backup is the same one: some keep times in whole seconds, and a
plain copy is younger than all that git notes of it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from agentx.host.files.plain import look, open_to_write, read_text
from agentx.host.git.command import read_git
from agentx.host.git.work import git_file, list_changed_files
from agentx.kernel.errors import AgentXError

_NOTE = "agentx-folder"
_SECOND_NS = 1_000_000_000
# How exactly times are kept: by this system, by others, in archives.
_UNITS_NS = (1, 100, 1_000, 1_000_000, _SECOND_NS, 2 * _SECOND_NS)


def is_placed(folder: Path) -> bool | None:
    """Tell whether what git notes is of this folder; None where nobody knows that.

    Raises: UnavailableError.
    """
    try:
        noted, made = int(read_text(git_file(folder, _NOTE))), int(_tell_made(folder))
    except (OSError, ValueError):
        return None
    if any(noted - noted % unit == made for unit in _UNITS_NS):
        return True
    # Another's is noted when its HEAD is moved: a folder that is younger may be a copy.
    return False if made // _SECOND_NS <= find_moved_s(folder) else None


def place(folder: Path) -> None:
    """Note that what git notes is of this folder.

    Raises: UnavailableError.
    """
    with suppress(AgentXError, OSError):  # without it nobody is sure what lags behind
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        descriptor = open_to_write(git_file(folder, _NOTE), flags)
        try:
            os.write(descriptor, _tell_made(folder).encode())
        finally:
            os.close(descriptor)


def place_unchanged(folder: Path) -> None:
    """Note it where all that git notes of a folder is so.

    Raises: UnavailableError.
    """
    if not is_placed(folder) and not list_changed_files(folder):
        place(folder)


def find_moved_s(folder: Path) -> int:
    """Return when git last noted that a folder's HEAD was moved; -1 where it does not."""
    words = ("log", "--walk-reflogs", "-1", "--date=unix", "--format=%gd", "HEAD")
    digits = "".join(filter(str.isdigit, read_git(folder, *words).out))
    return int(digits) if digits else -1


def _tell_made(folder: Path) -> str:
    found = look(folder / ".git")
    return "" if found is None else str(found.st_mtime_ns)
