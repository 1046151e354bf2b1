"""Goal: what RocksDB does beyond the contract: sharing, damage, erasure, a small footprint.

Method: real stores in a temporary folder; damage is done to the files.
"""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rocksdict import Options, Rdict

from agentx.host.files import aside
from agentx.host.kv import rocks, rocks_words
from agentx.host.kv.port import Batch, Family
from agentx.host.kv.rocks import RocksStore, open_rocks
from agentx.host.kv.salvage import DamagedStore
from agentx.kernel.errors import (
    AgentXError,
    CorruptRecord,
    LockHeld,
    NotFound,
    UnavailableError,
    UnsupportedVersion,
)
from tests.support.time_and_chance import START_MS, FakeClock

END = b"\xff" * 8

HOLDER = """
import sys
from pathlib import Path
from agentx.host.kv.rocks import open_rocks
from agentx.host.system import SystemClock
store = open_rocks(Path(sys.argv[1]), SystemClock())
print("open", flush=True)
sys.stdin.read()
store.close()
"""


def _open(path: Path) -> RocksStore:
    return open_rocks(path, FakeClock(), wait_ms=0)


def _fill(store: RocksStore, count: int, family: Family = Family.EVENTS) -> None:
    batch = Batch()
    for number in range(count):
        batch.put(family, b"%06d" % number, b"value %06d " % number * 20)
    store.write(batch)


def _holding(path: Path, needle: bytes) -> list[str]:
    """Return the files that hold some bytes, but for RocksDB's LOCK: reading it unlocks it."""
    files = (file for file in path.iterdir() if file.name != "LOCK")
    return sorted(file.name for file in files if needle in file.read_bytes())


def test_a_store_is_there_again_after_closing(tmp_path: Path) -> None:
    store = _open(tmp_path / "db")
    _fill(store, 100)
    store.close()

    again = _open(tmp_path / "db")

    assert len(list(again.scan(Family.EVENTS, b"", END))) == 100
    again.close()


def test_a_store_is_for_this_user_only(tmp_path: Path) -> None:
    _open(tmp_path / "data" / "db").close()

    assert stat.S_IMODE((tmp_path / "data" / "db").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_a_store_that_this_process_has_open_is_waited_for_and_then_refused(tmp_path: Path) -> None:
    store = _open(tmp_path / "db")
    clock = FakeClock()

    with pytest.raises(LockHeld, match="this process") as held:
        open_rocks(tmp_path / "db", clock, wait_ms=200)

    assert clock.now_ms() == START_MS + 200
    assert "daemon" in held.value.hint
    store.close()


def test_a_store_that_another_process_has_open_names_it(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"

        with pytest.raises(LockHeld, match=f"process {other.pid}"):
            _open(tmp_path / "db")
        reader = open_rocks(tmp_path / "db", FakeClock(), read_only=True)
        assert list(reader.scan(Family.EVENTS, b"", END)) == []
        reader.close()
        other.communicate(timeout=60)

    _open(tmp_path / "db").close()


def test_reading_only_sees_what_was_acknowledged_and_writes_nothing(tmp_path: Path) -> None:
    writer = _open(tmp_path / "db")
    _fill(writer, 10)

    reader = open_rocks(tmp_path / "db", FakeClock(), read_only=True)

    assert len(list(reader.scan(Family.EVENTS, b"", END))) == 10
    with pytest.raises(UnavailableError, match="reading only"):
        reader.write(Batch())
    with pytest.raises(UnavailableError, match="reading only"):
        reader.erase(Family.EVENTS)
    reader.close()
    writer.close()


def test_reading_only_where_nothing_is_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no store yet"):
        open_rocks(tmp_path / "db", FakeClock(), read_only=True)

    assert list(tmp_path.iterdir()) == []


def test_closing_ends_scans_in_progress_and_lets_others_in(tmp_path: Path) -> None:
    store = _open(tmp_path / "db")
    _fill(store, 5_000)
    rows = store.scan(Family.EVENTS, b"", END)
    next(rows)

    store.close()
    again = _open(tmp_path / "db")

    with pytest.raises(UnavailableError, match="closed"):
        list(rows)
    again.close()


def test_a_scan_that_is_dropped_half_way_keeps_nothing_open(tmp_path: Path) -> None:
    store = _open(tmp_path / "db")
    _fill(store, 1_000)
    rows = store.scan(Family.EVENTS, b"", END)
    next(rows)
    del rows

    assert store._iterators == {}
    store.close()


@pytest.mark.parametrize("family", list(Family))
def test_what_was_erased_is_in_no_file(tmp_path: Path, family: Family) -> None:
    path = tmp_path / "db"
    store = _open(path)
    batch = Batch()
    batch.put(family, b"a", b"keep-this-value")
    batch.put(family, b"b", b"secret-old")
    store.write(batch)
    assert _holding(path, b"secret-old")
    batch = Batch()
    batch.put(family, b"b", b"secret-new")
    batch.put(Family.CHECKPOINTS, b"elsewhere", b"other")
    store.write(batch)
    store.close()
    store = _open(path)
    batch = Batch()
    batch.delete(family, b"b")
    store.write(batch)

    store.erase(family)

    assert _holding(path, b"secret-old") == _holding(path, b"secret-new") == []
    assert store.get(family, b"a") == b"keep-this-value"
    store.close()
    again = _open(path)
    assert [key for key, _ in again.scan(family, b"", END)][:1] == [b"a"]
    again.close()


def test_a_damaged_block_is_an_error_and_never_a_short_answer(tmp_path: Path) -> None:
    path = tmp_path / "db"
    store = _open(path)
    _fill(store, 20_000, Family.KEYS)
    store.erase(Family.KEYS)
    store.close()
    table = max(path.glob("*.sst"), key=lambda file: file.stat().st_size)
    raw = bytearray(table.read_bytes())
    raw[len(raw) // 2 : len(raw) // 2 + 64] = bytes(64)
    table.write_bytes(raw)

    store = _open(path)
    with pytest.raises(CorruptRecord, match="damaged") as corrupt:
        list(store.scan(Family.KEYS, b"", END))
    assert "doctor" in corrupt.value.hint
    with pytest.raises(CorruptRecord, match="damaged"):
        list(store.scan(Family.KEYS, b"", END, reverse=True))
    with pytest.raises(CorruptRecord):
        store.get_many(Family.KEYS, [b"%06d" % number for number in range(20_000)])
    assert store.get(Family.KEYS, b"000000") is not None
    store.close()


@pytest.mark.parametrize("name", ["CURRENT", "MANIFEST-*"])
def test_a_store_that_cannot_be_opened_is_reported_and_left_as_it_is(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "db"
    store = _open(path)
    _fill(store, 10)
    store.close()
    (file,) = path.glob(name)
    file.write_bytes(b"damage")

    with pytest.raises(CorruptRecord, match="damaged") as corrupt:
        _open(path)

    assert corrupt.value.hint
    assert file.read_bytes() == b"damage"


def test_damage_inside_the_write_ahead_log_is_not_skipped_unless_asked_for(tmp_path: Path) -> None:
    path, copy = tmp_path / "db", tmp_path / "copy"
    store = _open(path)
    for number in range(100):
        batch = Batch()
        batch.put(Family.EVENTS, b"evt:%04d" % number, b"x" * 500)
        store.write(batch)
    copy.mkdir()
    for file in path.iterdir():
        if file.name != "LOCK":
            (copy / file.name).write_bytes(file.read_bytes())
    store.close()
    (log,) = copy.glob("*.log")
    raw = bytearray(log.read_bytes())
    raw[len(raw) // 2 : len(raw) // 2 + 40] = b"\xff" * 40
    log.write_bytes(raw)

    with pytest.raises(CorruptRecord):
        _open(copy)
    salvaged = DamagedStore(copy, tmp_path / "work")

    kept = {key for key, _ in salvaged.rows(Family.EVENTS)}
    beside = {key for _, (key, _) in salvaged.raw_rows(lambda _family, key: key in kept)}
    assert len(kept) < 98 <= len(kept | beside)
    salvaged.close()


def test_a_store_of_a_newer_version_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "db"
    _open(path).close()
    options = Options(raw_mode=True)
    families = {name: Options(raw_mode=True) for name in Rdict.list_cf(str(path))}
    newer = Rdict(str(path), options, column_families=families)
    newer.create_column_family("of tomorrow", Options(raw_mode=True)).close()
    newer.close()

    with pytest.raises(UnsupportedVersion, match="newer") as unsupported:
        _open(path)

    assert "update" in unsupported.value.hint


def test_a_file_in_the_folders_place_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "db").write_bytes(b"")

    with pytest.raises((UnavailableError, CorruptRecord)):
        _open(tmp_path / "db")

    assert (tmp_path / "db").read_bytes() == b""


def test_opening_often_leaves_few_files(tmp_path: Path) -> None:
    for number in range(12):
        store = _open(tmp_path / "db")
        batch = Batch()
        batch.put(Family.EVENTS, b"%d" % number, b"x")
        store.write(batch)
        store.close()

    names = [file.name for file in (tmp_path / "db").iterdir()]
    assert len([name for name in names if name.startswith("LOG")]) <= 3
    assert len(names) < 40


@pytest.mark.parametrize(
    ("said", "kind", "hint"),
    [
        ("IO error: No space left on device: While appending: /db/4.log", UnavailableError, "free"),
        (
            "IO error: While open a file for lock: /db/LOCK: Permission denied",
            UnavailableError,
            "writable",
        ),
        (
            "IO error: While lock file: /db/LOCK: Resource temporarily unavailable",
            LockHeld,
            "daemon",
        ),
        (
            "IO error: while unlink() file: /db/LOG.old.17: No such file or directory",
            LockHeld,
            "daemon",
        ),
        ("Shutdown in progress", UnavailableError, "open it again"),
        ("Corruption: block checksum mismatch", CorruptRecord, "doctor"),
    ],
)
def test_what_rocksdb_says_is_told_by_what_to_do_next(
    tmp_path: Path, said: str, kind: type[AgentXError], hint: str
) -> None:
    error = rocks_words.translate(tmp_path, said)

    assert isinstance(error, kind)
    assert hint in error.hint


def test_a_store_whose_folder_takes_nothing_is_read_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, temporary = tmp_path / "db", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    store = _open(folder)
    _fill(store, 100)
    store.close()
    before = sorted(folder.iterdir())

    def open_database(path: str, *given: Any, **named: Any) -> Rdict:
        if path == str(folder):
            raise OSError("Read-only file system (os error 30)")
        return Rdict(path, *given, **named)

    monkeypatch.setattr(rocks, "Rdict", open_database)
    reader = open_rocks(folder, FakeClock(), read_only=True)
    assert len(list(reader.scan(Family.EVENTS, b"", END))) == 100
    with pytest.raises(UnavailableError, match=f"{folder}: the store was opened for reading"):
        reader.write(Batch())
    reader.close()
    assert (sorted(folder.iterdir()), list(temporary.iterdir())) == (before, [])

    with pytest.raises(UnavailableError, match="may not be written"):
        _open(folder)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    monkeypatch.setattr(aside, "_IN_MEMORY", str(temporary))
    reader = open_rocks(folder, FakeClock(), read_only=True)
    assert len(list(reader.scan(Family.EVENTS, b"", END))) == 100
    reader.close()
    assert not list(temporary.iterdir())
    monkeypatch.setattr(aside, "_IN_MEMORY", str(tmp_path / "nowhere"))
    with pytest.raises(UnavailableError, match="may not be written"):
        open_rocks(folder, FakeClock(), read_only=True)
