"""Whole files, replaced in one step.

A reader sees the old bytes or the new ones, never a mixture, whatever dies when.
Once `replace_file` has returned, the new bytes survive a power cut. A process
killed half-way leaves at most a hidden `*.tmp` beside the target.

A symbolic link is replaced, not followed (callers who mean the file behind it resolve it
first); in a repository it is refused, see `ground`.
"""

from __future__ import annotations

import os
from pathlib import Path

from agentx.host.crash import CrashPoint, passing
from agentx.host.files.disk import refusal_of, write_all
from agentx.host.files.ground import make_folders, opening, opening_parent
from agentx.host.files.plain import read_bytes, replace_in, temporary_name

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700


def replace_file(
    path: Path,
    data: bytes,
    mode: int = PRIVATE_FILE,
    *,
    ground: Path | None = None,
    is_synced: bool = True,
) -> None:
    """Make `data` the content of the file; return after it is on disk.

    What can be made again need not be synced: it is whole or not there, but for a power cut.

    Raises: UnavailableError when the disk refuses, UnsafePath where a link is in the way; the
        file is then as it was.
    """
    try:
        try:
            _replace(path, data, mode, ground, is_synced=is_synced)
        except FileNotFoundError:
            make_folders(path.parent, private=mode & 0o077 == 0, ground=ground)
            _replace(path, data, mode, ground, is_synced=is_synced)
    except OSError as error:
        raise refusal_of(path, error) from error


def write_if_changed(path: Path, data: bytes) -> bool:
    """Make a file what it should be; say whether it was not."""
    try:
        if read_bytes(path) == data:
            return False
    except OSError:
        pass
    replace_file(path, data)
    return True


def make_private_directory(path: Path) -> None:
    """Make a folder, and those above it that are missing, for this user only.

    Raises: UnavailableError, UnsafePath where a link is in the way.
    """
    try:
        make_folders(path, private=True)
        with opening(path) as folder:
            if os.fstat(folder.descriptor).st_mode & 0o777 != PRIVATE_DIRECTORY:
                os.fchmod(folder.descriptor, PRIVATE_DIRECTORY)
    except OSError as error:
        raise refusal_of(path, error) from error


def temporary_beside(path: Path) -> Path:
    """Return a hidden name in the same folder that nobody else has."""
    return path.with_name(temporary_name(path.name))


def _replace(path: Path, data: bytes, mode: int, ground: Path | None, *, is_synced: bool) -> None:
    def fill(descriptor: int) -> None:
        write_all(descriptor, data)
        if is_synced:
            os.fsync(descriptor)

    def pass_by() -> None:
        passing(CrashPoint.ATOMIC_TEMP_WRITTEN)

    with opening_parent(path, ground=ground) as (folder, name):
        replace_in(folder, name, mode, fill, written=pass_by)
        passing(CrashPoint.ATOMIC_REPLACED)
        if is_synced:  # a rename is durable only once the directory that holds the name is
            folder.sync()
