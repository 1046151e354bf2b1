"""Whether what git notes of a folder is of this very folder.

    .git/worktrees/<name>/agentx-folder     when the folder's own `.git` was written

Two places that see folders of their own at the same path share what git notes of it: which files
are there, what is staged, where its HEAD was. Who made the folder last made that anew.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from agentx.host.files.plain import look, open_to_write, read_text
from agentx.host.git.work import git_file, list_changed_files
from agentx.kernel.errors import AgentXError

_NOTE = "agentx-folder"


def is_placed(folder: Path) -> bool | None:
    """Tell whether what git notes is of this folder; None where nobody noted that.

    Raises: UnavailableError.
    """
    try:
        return read_text(git_file(folder, _NOTE)).strip() == _tell_made(folder)
    except (OSError, ValueError):
        return None


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


def _tell_made(folder: Path) -> str:
    found = look(folder / ".git")
    return "" if found is None else str(found.st_mtime_ns)
