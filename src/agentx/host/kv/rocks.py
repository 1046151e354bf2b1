"""The store on disk: RocksDB, one column family a kind of row.

Laws: a batch that `write` acknowledged survives kill -9; a damaged block is an
error, never a short answer; one process writes at a time, others wait and are
told who has it.

What rocksdict 0.3 does otherwise than one would think, and what is done here:

* `set_iterate_lower_bound` sets the upper bound: scans seek to their start.
* `items()` ends without an error at a damaged block: scans ask for the status.
* A snapshot isolates `get`, not iteration: there is no snapshot in the port.
* A live iterator or column-family handle keeps the database open after `close`:
  the store keeps them all and drops them itself.
* It writes two files into the folder even of who only reads: where that takes nothing, it is read
  through a folder of links.
* RocksDB's LOCK is a POSIX lock, which a process loses as soon as it closes any
  descriptor of that file: nothing here opens it while the database is open.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import RLock
from typing import assert_never

from rocksdict import (
    AccessType,
    BottommostLevelCompaction,
    Cache,
    ColumnFamily,
    CompactOptions,
    Rdict,
    RdictIter,
    ReadOptions,
    WriteBatch,
    WriteOptions,
)

from agentx.host.files.atomic import make_private_directory
from agentx.host.kv.folder import has_store, refuse_headless
from agentx.host.kv.port import Batch, Change, Family, Row
from agentx.host.kv.rocks_options import database_options, family_options
from agentx.host.kv.rocks_words import closing_error, speaking
from agentx.host.limits import LOCK_POLL_MS, STORE_OPEN_WAIT_MS
from agentx.kernel.clock import Clock
from agentx.kernel.errors import (
    AgentXError,
    LockHeld,
    NotFound,
    UnavailableError,
)

_MB = 1024 * 1024
_CACHE_BYTES = 16 * _MB
# What is written beside the rows, by who only reads, too.
_WRITTEN_TO_READ = frozenset({"rocksdict-config.json", "LOG", "LOCK"})

# Rows read ahead by a scan: few at first, for those who want one; then more, within these bounds.
_FIRST_CHUNK_ROWS = 8
_CHUNK_ROWS_MAX = 512
_CHUNK_BYTES_MAX = _MB


def open_rocks(
    path: Path,
    clock: Clock,
    *,
    read_only: bool = False,
    wait_ms: int = STORE_OPEN_WAIT_MS,
) -> RocksStore:
    """Open the store in a folder, making it if it is not there; wait while another has it.

    Reading only needs no wait, and sees the store as it is now.

    Raises: LockHeld, DataError, UnavailableError; NotFound when only reading, and nothing is there.
    """
    refuse_headless(path)
    if read_only and not has_store(path):
        raise NotFound(f"{path}: there is no store yet", hint="run `agentx init` or `agentx sync`")
    if not read_only:
        make_private_directory(path)
    waited_ms = 0
    while True:
        try:
            return RocksStore(path, read_only=read_only)
        except LockHeld:
            if waited_ms >= wait_ms:
                raise
            clock.sleep_ms(LOCK_POLL_MS)
            waited_ms += LOCK_POLL_MS


class RocksStore:
    """A `KeyValue` on RocksDB. Use `open_rocks`."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self._path = path
        self._aside: Path | None = None  # a folder of ours, through which it is read
        self._read_only = read_only
        self._lock = RLock()
        self._closed = False
        # After a failed write RocksDB refuses all others until it is opened again. On a disk that
        # is full it cannot be: until there is room it is open to be read.
        self._stuck = False
        self._is_looking = False
        # Live iterators, each in a list of one, so that `close` can take them away.
        self._iterators: dict[int, list[RdictIter]] = {}
        self._numbers = count()
        self._databases: list[Rdict] = []
        self._families: dict[Family, Rdict] = {}
        self._handles: dict[Family, ColumnFamily] = {}
        self._synced = WriteOptions()
        self._synced.sync = True
        self._unsynced = WriteOptions()
        if read_only:
            self._look()
        else:
            self._open()

    def get(self, family: Family, key: bytes) -> bytes | None:
        """Return a row's value."""
        with speaking(self._path):
            value: bytes | None = self._rows(family).get(key)
        return value

    def get_many(self, family: Family, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of several rows, in the order of the keys."""
        rows = self._rows(family)
        if not keys:
            return []
        with speaking(self._path):
            values: list[bytes | None] = rows[list(keys)]  # type: ignore[assignment]  # a list of keys gives a list
        return values

    def scan(
        self,
        family: Family,
        start: bytes,
        end: bytes,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[Row]:
        """Yield the rows with start <= key < end."""
        if start >= end or (limit is not None and limit <= 0):
            self._rows(family)
            return
        number = next(self._numbers)
        self._iterators[number] = [self._seek(family, start, end, reverse=reverse)]
        left = sys.maxsize if limit is None else limit
        wanted = _FIRST_CHUNK_ROWS
        try:
            while left > 0:
                chunk, more = self._read(number, start, min(wanted, left), reverse=reverse)
                yield from chunk
                if not more:
                    return
                left -= len(chunk)
                wanted = min(wanted * 4, _CHUNK_ROWS_MAX)
        finally:
            self._iterators.pop(number, None)

    def write(self, batch: Batch, *, sync: bool = True) -> None:
        """Apply a batch as a whole; with `sync`, return after it is on disk."""
        with self._lock, speaking(self._path):
            self._be_writable()
            together = self._together(batch)
            self._stuck = True
            self._databases[0].write(together, self._synced if sync else self._unsynced)
            self._stuck = False

    def _together(self, batch: Batch) -> WriteBatch:
        together = WriteBatch(raw_mode=True)
        for change, family, rows in batch.changes:
            handle = self._handles[family]
            match change:
                case Change.PUT:
                    for key, value in rows:
                        together.put(key, value, handle)
                case Change.DELETE:
                    for key, _ in rows:
                        together.delete(key, handle)
                case Change.DELETE_RANGE:
                    for start, end in rows:
                        together.delete_range(start, end, handle)
                case _:
                    assert_never(change)
        return together

    def erase(self, family: Family) -> None:
        """Make what was deleted physically gone: from tables and write-ahead log.

        A file that a scan in progress is still reading goes when the scan ends.
        """
        with self._lock, speaking(self._path):
            self._be_writable()
            if family is Family.OUTBOX:
                self._rebuild_outbox()
            # A log file goes once no family needs it any more, so all are flushed.
            for rows in self._families.values():
                rows.flush()
            whole = CompactOptions()
            whole.set_bottommost_level_compaction(BottommostLevelCompaction.force())
            self._families[family].compact_range(None, None, whole)

    def verify(self, family: Family) -> int:
        """Read every block of a family, which RocksDB holds against its checksum; count the rows.

        Raises: CorruptRecord.
        """
        with speaking(self._path):
            iterator = self._rows(family).iter(ReadOptions())
            iterator.seek_to_first()
            rows = 0
            while iterator.valid():
                iterator.next()
                rows += 1
            iterator.status()
            return rows

    def size_bytes(self) -> int:
        """Return the room the folder takes."""
        self._still_open()
        total = 0
        with os.scandir(self._path) as entries:
            for entry in entries:
                try:
                    total += entry.stat(follow_symlinks=False).st_size
                except FileNotFoundError:
                    continue  # compacted away meanwhile
        return total

    def close(self) -> None:
        """Let go of the store; scans in progress end with an error."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._let_go()
            self._leave_aside()

    def _open(self) -> None:
        """Open the database to be written, in the place of one that is open to be read.

        Raises: LockHeld, DataError, UnavailableError.
        """
        self._take(self._path, AccessType.read_write())
        self._leave_aside()
        self._stuck = False

    def _open_anew(self) -> None:
        """Open a database that is stuck again; to be read, where it cannot be written.

        Raises: as `_open`.
        """
        if self._is_looking:
            self._open()
            return
        self._let_go()
        try:
            self._open()
        except UnavailableError:
            with suppress(AgentXError):
                self._look()
            raise

    def _look(self) -> None:
        """Open the database to be read; a folder that takes nothing, through one that leads there.

        Raises: DataError, UnavailableError where there is no room for that either.
        """
        try:
            self._take(self._path, AccessType.read_only(False))
        except UnavailableError as error:
            from agentx.host.files.aside import lead_aside  # noqa: PLC0415  hardly any store needs it

            try:
                self._aside = lead_aside(self._path, without=_WRITTEN_TO_READ)
            except OSError:
                raise error from None
            try:
                self._take(self._aside, AccessType.read_only(False))
            except BaseException:
                self._leave_aside()
                raise
        self._is_looking = True

    def _take(self, folder: Path, access: AccessType) -> None:
        """Open the database in a folder, and let go of the one that was open."""
        cache = Cache(_CACHE_BYTES)
        with speaking(self._path):
            database = Rdict(
                str(folder),
                database_options(),
                column_families={str(family): family_options(family, cache) for family in Family},
                access_type=access,
            )
            families = {family: database.get_column_family(family) for family in Family}
            handles = {family: database.get_column_family_handle(family) for family in Family}
        self._let_go()
        self._databases, self._families, self._handles = [database], families, handles

    def _let_go(self) -> None:
        """Drop every reference into the database: the last one closes it."""
        self._is_looking = False
        for cell in self._iterators.values():
            cell.clear()
        self._handles.clear()
        for opened in (self._families, self._databases):
            while opened:
                rows = opened.popitem()[1] if isinstance(opened, dict) else opened.pop()
                # A stuck database cannot flush; what was acknowledged is in its log.
                with suppress(Exception):
                    rows.close()

    def _leave_aside(self) -> None:
        if self._aside is not None:
            from agentx.host.files.aside import remove_aside  # noqa: PLC0415  see above

            remove_aside(self._aside)
            self._aside = None

    def _rows(self, family: Family) -> Rdict:
        rows = self._families.get(family)
        if rows is not None:
            return rows
        with self._lock:
            self._still_open()
            # A full disk may have kept a stuck database from being opened again, even to be read.
            if not self._databases:
                with suppress(UnavailableError):
                    self._open_anew()
            if not self._databases:
                self._look()
            return self._families[family]

    def _still_open(self) -> None:
        if self._closed:
            raise closing_error(self._path)

    def _be_writable(self) -> None:
        self._still_open()
        if self._read_only:
            raise UnavailableError(
                f"{self._path}: the store was opened for reading only", hint="open it for writing"
            )
        if self._stuck:
            self._open_anew()

    def _seek(self, family: Family, start: bytes, end: bytes, *, reverse: bool) -> RdictIter:
        with speaking(self._path):
            bounds = ReadOptions()
            bounds.set_iterate_upper_bound(end)
            iterator = self._rows(family).iter(bounds)
            if reverse:
                iterator.seek_to_last()
            else:
                iterator.seek(start)
        return iterator

    def _read(
        self, number: int, start: bytes, rows_max: int, *, reverse: bool
    ) -> tuple[list[Row], bool]:
        """Return some rows and whether there may be more."""
        try:
            iterator = self._iterators[number][0]
        except (KeyError, IndexError):
            raise closing_error(self._path) from None
        rows: list[Row] = []
        size = 0
        step = iterator.prev if reverse else iterator.next
        with speaking(self._path):
            while iterator.valid():
                key: bytes = iterator.key()
                if key < start:
                    return rows, False
                value: bytes = iterator.value()
                rows.append((key, value))
                step()
                size += len(value)
                if len(rows) >= rows_max or size >= _CHUNK_BYTES_MAX:
                    return rows, True
            iterator.status()
        return rows, False

    def _rebuild_outbox(self) -> None:
        """Write the outbox anew: FIFO compaction drops whole files and never a single row.

        A crash in between loses entries, and an outbox may: it only wakes the projections.
        """
        live = list(self.scan(Family.OUTBOX, b"", b"\xff" * 8))
        self._handles.pop(Family.OUTBOX)
        self._families.pop(Family.OUTBOX).close()
        self._databases[0].drop_column_family(Family.OUTBOX)
        self._families[Family.OUTBOX] = self._databases[0].create_column_family(
            Family.OUTBOX, family_options(Family.OUTBOX, Cache(_MB))
        )
        self._handles[Family.OUTBOX] = self._databases[0].get_column_family_handle(Family.OUTBOX)
        batch = Batch()
        batch.put_all(Family.OUTBOX, live)
        self.write(batch)
