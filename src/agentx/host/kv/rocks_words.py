"""What RocksDB says in its own words, in the house's."""

from __future__ import annotations

import fcntl
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rocksdict import DbClosedError

from agentx.host.system import process_id
from agentx.kernel.errors import (
    AgentXError,
    CorruptRecord,
    LockHeld,
    UnavailableError,
    UnsupportedVersion,
)

_IN_USE = ("lock hold by current process", "While lock file")
_NO_ROOM = ("No space left", "Disk quota exceeded", "File too large")
_NOT_OURS = ("Permission denied", "Read-only file system", "Operation not permitted")


@contextmanager
def speaking(path: Path) -> Iterator[None]:
    """Say in the house's words what RocksDB says in its own."""
    try:
        yield
    except AgentXError:
        raise
    except DbClosedError as error:
        raise closing_error(path) from error
    except Exception as error:
        # rocksdict raises bare exceptions: their text is all there is to tell them apart.
        raise translate(path, str(error)) from error


def translate(path: Path, said: str) -> AgentXError:
    """Return the error that tells the caller what to do next."""
    if any(mark in said for mark in _NO_ROOM):
        return UnavailableError(
            f"{path}: no room left for the store; what was acknowledged before is safe",
            hint="free some disk space, then try again",
        )
    if any(mark in said for mark in _NOT_OURS):
        return UnavailableError(
            f"{path}: the store may not be written",
            hint="make the folder writable for this user, then try again",
        )
    # Of two that open a store at once each sweeps its old logs, before either has the lock.
    is_swept = "/LOG.old." in said and "No such file" in said
    if said.startswith("IO error") and (is_swept or any(mark in said for mark in _IN_USE)):
        return _in_use(path, said)
    if "Column families not opened" in said:
        return UnsupportedVersion(
            f"{path}: the store was written by a newer AgentX", hint="update AgentX"
        )
    if "Shutdown in progress" in said:
        return closing_error(path)
    return CorruptRecord(
        f"{path}: the store is damaged: {said}",
        hint="run `agentx doctor`; the folder is left as it is",
    )


def _in_use(path: Path, said: str) -> LockHeld:
    holder = 0 if "current process" in said else _locking_pid(path / "LOCK")
    who = f"process {holder}" if holder else "another process"
    if "current process" in said:
        who = f"this process ({process_id()})"
    return LockHeld(
        f"{path}: the store is open in {who}",
        hint="wait for it to end, or run `agentx daemon status` to see whether a daemon serves it",
    )


def _locking_pid(lock: Path) -> int:
    """Return who holds a POSIX lock, or 0 where the system does not say."""
    if sys.platform != "linux":
        return 0
    asked = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    try:
        with lock.open("rb+") as file:
            answer = fcntl.fcntl(file, fcntl.F_GETLK, asked)
    except OSError:
        return 0
    kind, _, _, _, pid = struct.unpack("hhqqi", answer)
    return 0 if kind == fcntl.F_UNLCK else int(pid)


def closing_error(path: Path) -> UnavailableError:
    """Say that a store was let go of."""
    return UnavailableError(f"{path}: the store is closed", hint="open it again")
