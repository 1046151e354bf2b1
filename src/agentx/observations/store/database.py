"""SQLite as this room uses it: one writer at a time, readers never wait, nothing world-readable."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from agentx.host.files.ground import refuse_odd_file
from agentx.host.files.plain import look, open_to_write, remove
from agentx.host.limits import JOURNAL_WAIT_MS
from agentx.kernel.errors import UnavailableError

if TYPE_CHECKING:
    import sqlite3

_PARTS = ("", "-wal", "-shm", "-journal")


def connect(path: Path, *, durable: bool) -> sqlite3.Connection:
    """Open a database, made for this user only when it is not there; statements commit at once.

    `durable`: a transaction that ended survives a power cut. A view needs no more than to be whole.
    """
    import sqlite3  # noqa: PLC0415  most readers of a store never ask its word lists

    _check_files(path)
    os.close(open_to_write(path, os.O_RDWR | os.O_CREAT))
    connection = sqlite3.connect(
        path, timeout=JOURNAL_WAIT_MS / 1000, isolation_level=None, check_same_thread=False
    )
    try:
        # A row has some 2 KB: of the usual pages of 4 KB nearly half would stay empty.
        connection.execute("PRAGMA page_size = 16384")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def remove_database(path: Path) -> None:
    """Take a database away, with what lies beside it."""
    for suffix in _PARTS:
        remove(path.with_name(path.name + suffix))


def _check_files(path: Path) -> None:
    """See that SQLite, which opens by name, meets plain files of ours alone.

    Raises: UnsafePath, OSError.
    """
    for suffix in _PARTS:
        part = path.with_name(path.name + suffix)
        found = look(part)
        if found is None:
            continue
        if not stat.S_ISREG(found.st_mode):
            raise refuse_odd_file(str(part))
        if found.st_nlink > 1:
            os.close(open_to_write(part, os.O_RDWR))  # parts it from its other names


def checkpoint(connection: sqlite3.Connection) -> None:
    """Empty the write-ahead log: pages of what was deleted may still be in it."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def list_errors() -> tuple[type[Exception], ...]:
    """Return what a statement may raise; for an `except`, which asks only when something failed."""
    import sqlite3  # noqa: PLC0415  loaded by then

    return (sqlite3.Error, OSError, UnavailableError)


def is_busy(error: Exception) -> bool:
    """Tell whether another process was in the way, for longer than we wait."""
    return "locked" in str(error) or "busy" in str(error)
