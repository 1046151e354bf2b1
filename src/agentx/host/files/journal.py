"""A file of JSON lines that only ever grows.

A record is whole when it ends in a newline. A crash can leave at most one partial
record, always last. Readers step over it; the next writer, who holds the file's
lock and so knows that its author is dead, cuts it off. Nothing that `append`
acknowledged is ever cut, because `append` returns after the sync.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from agentx.host.crash import CrashPoint, passing
from agentx.host.files import json_text
from agentx.host.files.disk import refusal_of, sync_directory, write_all
from agentx.host.files.ground import make_folders
from agentx.host.files.plain import open_to_read, open_to_write
from agentx.host.limits import JOURNAL_WAIT_MS, LOCK_POLL_MS
from agentx.kernel.clock import Clock
from agentx.kernel.errors import CorruptRecord, LockHeld

_BLOCK_BYTES = 64 * 1024


class Journal:
    """One growing file; any number of processes may append and read."""

    def __init__(
        self, path: Path, clock: Clock, *, mode: int = 0o600, is_synced: bool = True
    ) -> None:
        self._path = path
        self._clock = clock
        self._mode = mode
        self._is_synced = is_synced  # not where the same stands elsewhere on disk

    def append(self, records: Iterable[object]) -> None:
        """Add records; return after they are on disk.

        Raises: UnavailableError when the disk refuses: none was added then. LockHeld when another
            append does not end.
        """
        lines = b"".join(json_text.line_of(record) + b"\n" for record in records)
        if not lines:
            return
        try:
            make_folders(self._path.parent, private=False)
            self._append(lines)
        except OSError as error:
            raise refusal_of(self._path, error) from error

    def records(self) -> Iterator[Any]:
        """Yield the whole records, oldest first; a file that is not there has none.

        Raises: CorruptRecord for a whole line that is no JSON, naming it.
        """
        try:
            file = open_to_read(self._path)
        except FileNotFoundError:
            return
        with file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    return
                try:
                    yield json_text.parse_json(line)
                except ValueError as error:
                    raise CorruptRecord(
                        f"{self._path}: line {number} is not JSON: {error}",
                        hint="mend or delete that line; all others are whole",
                    ) from error

    def _append(self, lines: bytes) -> None:
        descriptor = open_to_write(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, self._mode)
        try:
            self._wait_for(descriptor)
            end = _whole_bytes(descriptor)
            os.ftruncate(descriptor, end)
            try:
                write_all(descriptor, lines)
                passing(CrashPoint.JOURNAL_WRITTEN)
                if self._is_synced:
                    os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, end)
                raise
            if end == 0 and self._is_synced:
                sync_directory(self._path.parent)
        finally:
            os.close(descriptor)

    def _wait_for(self, descriptor: int) -> None:
        waited_ms = 0
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if waited_ms >= JOURNAL_WAIT_MS:
                    raise LockHeld(
                        f"{self._path}: another append does not end",
                        hint="a process that writes it may be stopped; end it and try again",
                    ) from None
                self._clock.sleep_ms(LOCK_POLL_MS)
                waited_ms += LOCK_POLL_MS
            else:
                return


def _whole_bytes(descriptor: int) -> int:
    """Return where the last whole record ends."""
    end = os.fstat(descriptor).st_size
    while end > 0:
        start = max(end - _BLOCK_BYTES, 0)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0
