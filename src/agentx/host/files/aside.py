"""A temporary folder that leads to what lies in another one, for who writes beside what it reads.

In a home that takes nothing a store, or an index, could not be opened at all. Where the disk of
temporary files is the one that is full, it is made in memory.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path

_PREFIX = "agentx-look-"
_IN_MEMORY = "/dev/shm"  # noqa: S108  a folder of ours in it


def lead_aside(folder: Path, *, without: Collection[str] = ()) -> Path:
    """Return a folder of ours with links to all that lies in another one, but for some names.

    Raises: OSError where there is no room for that either.
    """
    aside = _make_folder()
    try:
        for file in folder.iterdir():
            if file.name not in without:
                (aside / file.name).symlink_to(file)
    except BaseException:
        remove_aside(aside)
        raise
    return aside


def _make_folder() -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix=_PREFIX))
    except OSError:
        return Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_IN_MEMORY))


def remove_aside(folder: Path) -> None:
    """Take such a folder away; what its links lead to stays."""
    shutil.rmtree(folder, ignore_errors=True)
