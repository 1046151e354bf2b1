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
    BlockBasedOptions,
    BottommostLevelCompaction,
    Cache,
    ColumnFamily,
    CompactOptions,
    DBCompactionStyle,
    DBCompressionType,
    DBRecoveryMode,
    FifoCompactOptions,
    Options,
    Rdict,
    RdictIter,
    ReadOptions,
    WriteBatch,
    WriteOptions,
)

from agentx.host.files.atomic import make_private_directory
from agentx.host.kv.folder import has_store, refuse_headless
from agentx.host.kv.port import Batch, Change, Family, Row
from agentx.host.kv.rocks_words import closing_error, speaking
from agentx.host.limits import LOCK_POLL_MS, OUTBOX_BYTES_MAX, STORE_OPEN_WAIT_MS
from agentx.kernel.clock import Clock
from agentx.kernel.errors import (
    LockHeld,
    NotFound,
    UnavailableError,
)

_MB = 1024 * 1024
_CACHE_BYTES = 16 * _MB
# All memtables together; commands live briefly and the daemon shares a laptop.
_MEMTABLES_BYTES = 32 * _MB
_WAL_BYTES = 64 * _MB
_INFO_LOGS_MAX = 2
_OPENING_THREADS = 2

# What is written beside the rows, by who only reads, too.
_WRITTEN_TO_READ = frozenset({"rocksdict-config.json", "LOG", "LOCK"})

_WRITE_BUFFER_BYTES = {Family.EVENTS: 8 * _MB, Family.OUTBOX: _MB}
_WRITE_BUFFER_BYTES_ELSE = 2 * _MB
_UNCOMPRESSED = frozenset({Family.KEYS, Family.OUTBOX})

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
        except UnavailableError as error:
            if read_only:
                return _open_aside(path, error)
            raise
        except LockHeld:
            if waited_ms >= wait_ms:
                raise
            clock.sleep_ms(LOCK_POLL_MS)
            waited_ms += LOCK_POLL_MS


def _open_aside(path: Path, error: UnavailableError) -> RocksStore:
    """Open a store whose folder takes nothing, to read, through a temporary one that leads there.

    Raises: UnavailableError where there is no room for that either.
    """
    from agentx.host.files.aside import lead_aside, remove_aside  # noqa: PLC0415  hardly any store needs it

    try:
        aside = lead_aside(path, without=_WRITTEN_TO_READ)
    except OSError:
        raise error from None
    try:
        return RocksStore(path, read_only=True, aside=aside)
    except BaseException:
        remove_aside(aside)
        raise


class RocksStore:
    """A `KeyValue` on RocksDB. Use `open_rocks`."""

    def __init__(self, path: Path, *, read_only: bool, aside: Path | None = None) -> None:
        self._path = path
        self._aside = aside  # a folder of ours, through which it is read
        self._read_only = read_only
        self._lock = RLock()
        self._closed = False
        # After a failed write RocksDB refuses all others until it is opened again.
        self._stuck = False
        # Live iterators, each in a list of one, so that `close` can take them away.
        self._iterators: dict[int, list[RdictIter]] = {}
        self._numbers = count()
        self._databases: list[Rdict] = []
        self._families: dict[Family, Rdict] = {}
        self._handles: dict[Family, ColumnFamily] = {}
        self._synced = WriteOptions()
        self._synced.sync = True
        self._unsynced = WriteOptions()
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
            self._still_writable()
            if self._stuck:
                self._let_go()
                self._open()
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
            self._still_writable()
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
            if self._aside is not None:
                from agentx.host.files.aside import remove_aside  # noqa: PLC0415  see above

                remove_aside(self._aside)

    def _open(self) -> None:
        cache = Cache(_CACHE_BYTES)
        with speaking(self._path):
            database = Rdict(
                str(self._aside or self._path),
                _database_options(),
                column_families={str(family): family_options(family, cache) for family in Family},
                access_type=AccessType.read_only(False)
                if self._read_only
                else AccessType.read_write(),
            )
            self._databases.append(database)
            for family in Family:
                self._families[family] = database.get_column_family(family)
                self._handles[family] = database.get_column_family_handle(family)
        self._stuck = False

    def _let_go(self) -> None:
        """Drop every reference into the database: the last one closes it."""
        for cell in self._iterators.values():
            cell.clear()
        self._handles.clear()
        for opened in (self._families, self._databases):
            while opened:
                rows = opened.popitem()[1] if isinstance(opened, dict) else opened.pop()
                # A stuck database cannot flush; what was acknowledged is in its log.
                with suppress(Exception):
                    rows.close()

    def _rows(self, family: Family) -> Rdict:
        rows = self._families.get(family)
        if rows is not None:
            return rows
        with self._lock:
            self._still_open()
            # A full disk may have kept a stuck database from being opened again.
            if not self._databases:
                self._open()
            return self._families[family]

    def _still_open(self) -> None:
        if self._closed:
            raise closing_error(self._path)

    def _still_writable(self) -> None:
        self._still_open()
        if self._read_only:
            raise UnavailableError(
                f"{self._path}: the store was opened for reading only", hint="open it for writing"
            )

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


def _database_options() -> Options:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_max_background_jobs(2)
    # FIFO compaction works only when every table stays open.
    options.set_max_open_files(-1)
    # By itself RocksDB starts 16 threads to open a few tables.
    options.set_max_file_opening_threads(_OPENING_THREADS)
    options.set_db_write_buffer_size(_MEMTABLES_BYTES)
    options.set_max_total_wal_size(_WAL_BYTES)
    options.set_keep_log_file_num(_INFO_LOGS_MAX)
    options.set_max_log_file_size(_MB)
    options.set_stats_dump_period_sec(0)
    options.set_stats_persist_period_sec(0)
    options.set_manifest_preallocation_size(64 * 1024)
    # A torn last record was never acknowledged. Damage before it is not skipped unseen.
    options.set_wal_recovery_mode(DBRecoveryMode.tolerate_corrupted_tail_records())
    return options


def salvaging_options(*, is_lenient: bool) -> Options:
    """Return how a store is opened to get out of it what can be read."""
    options = _database_options()
    options.create_if_missing(False)
    options.create_missing_column_families(False)
    if is_lenient:
        options.set_paranoid_checks(False)
        options.set_wal_recovery_mode(DBRecoveryMode.skip_any_corrupted_record())
    return options


def family_options(family: Family, cache: Cache) -> Options:
    """Return how a family is kept."""
    options = Options(raw_mode=True)
    options.set_write_buffer_size(_WRITE_BUFFER_BYTES.get(family, _WRITE_BUFFER_BYTES_ELSE))
    options.set_compression_type(
        DBCompressionType.none() if family in _UNCOMPRESSED else DBCompressionType.zstd()
    )
    table = BlockBasedOptions()
    table.set_block_cache(cache)
    table.set_bloom_filter(10, block_based=False)
    options.set_block_based_table_factory(table)
    if family is Family.EVENTS:
        options.set_compaction_style(DBCompactionStyle.universal())
    if family is Family.OUTBOX:
        options.set_compaction_style(DBCompactionStyle.fifo())
        oldest_first = FifoCompactOptions()
        oldest_first.max_table_files_size = OUTBOX_BYTES_MAX
        options.set_fifo_compaction_options(oldest_first)
    return options
