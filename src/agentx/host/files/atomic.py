"""Whole files, replaced in one step.

A reader sees the old bytes or the new ones, never a mixture, whatever dies when.
Once `replace_file` has returned, the new bytes survive a power cut. A process
killed half-way leaves at most a hidden `*.tmp` beside the target.

A symbolic link is replaced, not followed: callers who mean the file behind it
resolve it first.
"""

from __future__ import annotations

import os
from pathlib import Path

from agentx.host.crash import CrashPoint, passing
from agentx.host.files.disk import refusal_of, sync_directory, write_all
from agentx.host.system import system_entropy

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700

# A name may have 255 bytes; the rest of a temporary's name needs room too.
_NAME_BYTES_MAX = 200


def replace_file(path: Path, data: bytes, mode: int = PRIVATE_FILE) -> None:
    """Make `data` the content of the file; return after it is on disk.

    Raises: UnavailableError when the disk refuses; the file is then as it was.
    """
    try:
        make_missing_directories(path.parent, private=mode & 0o077 == 0)
        _replace(path, data, mode)
    except OSError as error:
        raise refusal_of(path, error) from error


def write_if_changed(path: Path, data: bytes) -> bool:
    """Make a file what it should be; say whether it was not."""
    try:
        if path.read_bytes() == data:
            return False
    except OSError:
        pass
    replace_file(path, data)
    return True


def make_private_directory(path: Path) -> None:
    """Make a folder, and those above it that are missing, for this user only.

    Raises: UnavailableError.
    """
    try:
        make_missing_directories(path, private=True)
        if path.stat().st_mode & 0o777 != PRIVATE_DIRECTORY:
            path.chmod(PRIVATE_DIRECTORY)
    except OSError as error:
        raise refusal_of(path, error) from error


def make_missing_directories(directory: Path, *, private: bool) -> None:
    """Make a folder and those above it that are missing; private ones for this user only.

    Raises: OSError.
    """
    missing = []
    while not directory.exists():
        missing.append(directory)
        directory = directory.parent
    for folder in reversed(missing):
        folder.mkdir(mode=PRIVATE_DIRECTORY if private else 0o777, exist_ok=True)
        sync_directory(folder.parent)


def temporary_beside(path: Path) -> Path:
    """Return a hidden name in the same folder that nobody else has."""
    stem = os.fsdecode(os.fsencode(path.name)[:_NAME_BYTES_MAX])
    return path.with_name(f".{stem}.{system_entropy(8).hex()}.tmp")


def _replace(path: Path, data: bytes, mode: int) -> None:
    temporary = temporary_beside(path)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        try:
            os.fchmod(descriptor, mode)
            write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        passing(CrashPoint.ATOMIC_TEMP_WRITTEN)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    passing(CrashPoint.ATOMIC_REPLACED)
    # A rename is durable only once the directory that holds the name is.
    sync_directory(path.parent)
