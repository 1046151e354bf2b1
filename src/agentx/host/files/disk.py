"""What the disk promises, and what it refuses, in words.

A name is durable only once the directory that holds it is synced. What the disk
refuses (full, read-only, not ours) is nobody's data lost: it becomes an
`UnavailableError` that says what to do.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from agentx.host.files.ground import opening
from agentx.host.files.plain import look
from agentx.kernel.errors import NOTHING_CHANGED, AgentXError, UnavailableError, UnsafePath

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
# How programs say it that write for us: a signal where a file may be no larger.
_NO_ROOM_SAID = (
    *("No space left on device", "Out of diskspace", "Disk quota exceeded", "File too large"),
    "died of signal 25",
)
FREE_ROOM = "free some disk space or raise the quota, then try again"
_NOT_OURS = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable."""
    with opening(directory) as folder:
        folder.sync()


def look_at(path: Path) -> tuple[int, int, int] | None:
    """Return what changes when a file does, or None when there is none."""
    try:
        found = look(path)
    except OSError:
        return None
    return None if found is None else (found.st_ino, found.st_size, found.st_mtime_ns)


def identify_folder(path: Path) -> tuple[int, int] | None:
    """Return what tells a folder from another one in its place; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte: one call may write fewer than it was given."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def tells_no_room(line: str) -> bool:
    """Tell whether a program says in a line that the disk here has no room."""
    return any(word in line for word in _NO_ROOM_SAID) and not line.startswith("remote: ")


def refusal_of(path: Path, error: OSError) -> AgentXError:
    """Return the error that tells a person what the disk would not do."""
    if isinstance(error, UnsafePath):
        return error
    if error.errno in _NO_ROOM:
        return UnavailableError(
            f"{path}: no room left to write it{NOTHING_CHANGED}",
            hint=FREE_ROOM,
        )
    if error.errno in _NOT_OURS:
        return UnavailableError(
            f"{path}: may not be written{NOTHING_CHANGED}",
            hint=f"make {path.parent} writable for this user, then try again",
        )
    reason = error.strerror or str(error)
    return UnavailableError(
        f"{path}: the disk refused it ({reason}){NOTHING_CHANGED}",
        hint="check the disk, then try again",
    )


def unreadable(path: Path, error: OSError) -> AgentXError:
    """Return the error that tells a person why a file cannot be read."""
    if isinstance(error, UnsafePath):
        return error
    return UnavailableError(
        f"{path}: cannot be read ({error.strerror or error})",
        hint="make it readable for this user, then try again",
    )
