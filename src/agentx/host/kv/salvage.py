"""What can still be read of a damaged store, row by row, without touching it.

    1. a copy is made beside: tables as hard links, for nobody changes a table
    2. RocksDB opens the copy, stepping over damage in its write-ahead log, if it will
    3. what RocksDB reads counts; from where it stops, rows are made out of the raw bytes of tables
       and write-ahead logs, the newest version of each

RocksDB's own repair is not used: it drops a whole table for one damaged block.

A row that was deleted stays deleted, as far as the deletion can be read.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from rocksdict import AccessType, Cache, Options, Rdict, ReadOptions

from agentx.host.files.atomic import make_private_directory
from agentx.host.kv.port import Family, Row
from agentx.host.kv.rocks_options import family_options, salvaging_options
from agentx.host.kv.tables import TableRow, read_table
from agentx.host.kv.write_ahead import read_write_ahead

_CACHE_BYTES = 8 * 1024 * 1024
# How the keys of each family begin; those of the table of contents are views, and made again.
PREFIXES: dict[Family, tuple[bytes, ...]] = {
    Family.EVENTS: (b"evt:",),
    Family.KEYS: (b"kev:", b"kse:"),
    Family.IDENTITIES: (b"idn:",),
    Family.SESSIONS: (b"ses:", b"six:"),
    Family.CHECKPOINTS: (b"chk:",),
}


class DamagedStore:
    """The rows of a damaged store, and where reading them met damage."""

    def __init__(self, path: Path, work: Path) -> None:
        """Copy the store at `path` into `work`, which is ours, and open the copy."""
        self._copy = work / "copy"
        self.faults: list[str] = []
        self._stopped: set[Family] = set()
        _copy(path, self._copy)
        self._database = self._open()

    def rows(self, family: Family) -> Iterator[Row]:
        """Yield the rows that RocksDB can read, in order, up to where it meets damage."""
        if self._database is None:
            self._stopped.add(family)
            return
        try:
            opened = self._database.get_column_family(str(family))
        except Exception as error:  # noqa: BLE001  rocksdict raises nothing else: it is not there
            self._note(family, error)
            return
        iterator = opened.iter(ReadOptions())
        try:
            iterator.seek_to_first()
            while iterator.valid():
                yield iterator.key(), iterator.value()
                iterator.next()
            iterator.status()
        except Exception as error:  # noqa: BLE001  as above
            self._note(family, error)
        finally:
            del iterator, opened  # either keeps the database open

    def raw_rows(self, is_known: Callable[[Family, bytes], bool]) -> Iterator[tuple[Family, Row]]:
        """Yield what the raw files hold beside of each family in which RocksDB met damage."""
        files = sorted((*self._copy.glob("*.sst"), *self._copy.glob("*.log")))
        for family, prefixes in PREFIXES.items():
            if family not in self._stopped:
                continue
            newest: dict[bytes, int] = {}
            for row in _make_out(files, prefixes):
                newest[row.key] = max(row.sequence, newest.get(row.key, -1))
            for row in _make_out(files, prefixes):
                is_newest = newest.get(row.key) == row.sequence and not row.is_deleted
                if is_newest and not is_known(family, row.key):
                    yield family, (row.key, row.value)

    def is_whole(self, families: Iterable[Family]) -> bool:
        """Tell whether RocksDB has read these families to their end; to be asked after `rows`."""
        return self._stopped.isdisjoint(families)

    def close(self) -> None:
        """Let go; the copy is the caller's to remove."""
        if self._database is not None:
            with suppress(Exception):
                self._database.close()
            self._database = None

    def _note(self, family: Family, error: Exception) -> None:
        self._stopped.add(family)
        self.faults.append(f"{family}: {error}")

    def _open(self) -> Rdict | None:
        """Open the copy as it is; else stepping over damage, and then nothing counts as whole."""
        for is_lenient in (False, True):
            try:
                return self._try_open(salvaging_options(is_lenient=is_lenient))
            except Exception as error:  # noqa: BLE001  as above
                self.faults.append(str(error))
            self._stopped.update(Family)
        return None

    def _try_open(self, options: Options) -> Rdict:
        cache = Cache(_CACHE_BYTES)
        return Rdict(
            str(self._copy),
            options,
            column_families={str(family): family_options(family, cache) for family in Family},
            access_type=AccessType.read_only(False),
        )


def _make_out(files: list[Path], prefixes: tuple[bytes, ...]) -> Iterator[TableRow]:
    for file in files:
        read = read_table if file.suffix == ".sst" else read_write_ahead
        yield from read(file, prefixes)


def _copy(path: Path, to: Path) -> None:
    make_private_directory(to)
    for entry in sorted(path.iterdir()) if path.is_dir() else ():
        if entry.is_symlink() or not entry.is_file() or entry.name == "LOCK":
            continue
        target = to / entry.name
        if entry.suffix == ".sst":
            with suppress(OSError):
                os.link(entry, target)
                continue
        shutil.copyfile(entry, target)
