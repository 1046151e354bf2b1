"""SQLite as this room uses it: one writer at a time, readers never wait, nothing world-readable."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from agentx.host.limits import JOURNAL_WAIT_MS


def connect(path: Path, *, durable: bool) -> sqlite3.Connection:
    """Open a database, made for this user only when it is not there; statements commit at once.

    `durable`: a transaction that ended survives a power cut. A view needs no more than to be whole.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
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


def checkpoint(connection: sqlite3.Connection) -> None:
    """Empty the write-ahead log: pages of what was deleted may still be in it."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def is_busy(error: sqlite3.Error) -> bool:
    """Tell whether another process was in the way, for longer than we wait."""
    return "locked" in str(error) or "busy" in str(error)
