"""Every fact of a project as records, and back: what an export and a backup carry.

    ["row", family, key, value]                         a row of the log
    ["file", place, name, mode, mtime_ns, part, last]   a part of a file; the last one says so
    ["settled"]                                         no file changed while they were read

Names are checked when they are read: no file is ever laid outside of the folders that are ours.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from agentx.host.files.disk import look_at
from agentx.host.files.parcel import Record
from agentx.host.files.plain import exists, look, open_to_read
from agentx.host.kv.port import Family, KeyValue
from agentx.kernel.errors import CorruptRecord
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.wiring.keeping.facts import (
    FactFile,
    FactPlace,
    base_of,
    list_fact_files,
    list_view_files,
)

ROW, FILE, SETTLED = "row", "file", "settled"
VIEW_FOLDERS = ("bm25-index", "recalled")
HELD_FOLDER = "held"
WALKS_FOLDER = "walks"
_PART_BYTES = 512 * 1024
_ALL = b"\xff" * 16
TOMBSTONES = "tombstones.jsonl"  # that lie outside of the store: a home that has none takes them
_STORE_FILES = (
    TOMBSTONES,
    "scheduler.json",
    "spending.json",
    "faults.jsonl",
    "github",
    "runs",
    "private",
)
_ROOTS = {
    FactPlace.PROJECT: (".agentx", ".agent-memory"),
    FactPlace.STORE: (*_STORE_FILES, HELD_FOLDER, WALKS_FOLDER, *VIEW_FOLDERS),
}
_NAME_BYTES_MAX = 1_000
_PART_BYTES_MAX = 4 * 1024 * 1024


def list_rows(kv: KeyValue, families: tuple[Family, ...]) -> Iterator[Record]:
    """Yield every row of some families, in order."""
    for family in families:
        for key, value in kv.scan(family, b"", _ALL):
            yield [ROW, str(family), key, value]


def list_files(project: Project) -> Iterator[Record]:
    """Yield every file of facts, and then of views, part by part."""
    # What is stored moves from the journal into the files: read in that order, it is in one.
    files = sorted(list_fact_files(project), key=lambda file: not file.name.endswith(".jsonl"))
    before = _look_at_all(project)
    for file in (*files, *list_view_files(project)):
        found = look(file.path, ground=base_of(project, file.place))
        if found is None:
            continue
        try:
            yield from _list_parts(project, file, found)
        except FileNotFoundError:
            continue
    if _look_at_all(project) == before:
        yield [SETTLED]


def _look_at_all(project: Project) -> list[tuple[int, int, int] | None]:
    files = (*list_fact_files(project), *list_view_files(project))
    return [look_at(file.path) for file in files]


def _list_parts(project: Project, file: FactFile, found: os.stat_result) -> Iterator[Record]:
    head = [FILE, str(file.place), file.name, found.st_mode & 0o777, found.st_mtime_ns]
    if file.path.suffix == ".db":
        whole = _read_database(file.path)
        for start in range(0, len(whole), _PART_BYTES):
            part = whole[start : start + _PART_BYTES]
            yield [*head, part, start + _PART_BYTES >= len(whole)]
        return
    with open_to_read(file.path, ground=base_of(project, file.place)) as opened:
        part = opened.read(_PART_BYTES)
        while True:
            after = opened.read(_PART_BYTES)
            yield [*head, part, not after]
            if not after:
                return
            part = after


def _read_database(path: Path) -> bytes:
    """Return a database as one whole, whoever writes to it meanwhile."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return database.serialize()


def list_lines(name: str, path: Path) -> Iterator[Record]:
    """Yield a file of lines from beside the store, as one of the store; nothing where it is not."""
    if not exists(path):
        return
    with open_to_read(path) as opened:
        whole = opened.read()
    starts = range(0, len(whole), _PART_BYTES)
    for start in starts:
        part = whole[start : start + _PART_BYTES]
        yield [FILE, str(FactPlace.STORE), name, 0o600, 0, part, start == starts[-1]]


def check_row(record: Record) -> tuple[Family, bytes, bytes]:
    """Return the row of a record.

    Raises: CorruptRecord for what is none.
    """
    match record:
        case [_, str(family), bytes(key), bytes(value)] if family in set(Family):
            return Family(family), key, value
        case _:
            raise CorruptRecord("a row of the file is none", hint="use another copy")


@frozen
class FilePart:
    """A part of a file that is carried."""

    place: FactPlace
    name: str
    mode: int
    changed_ns: int
    part: bytes
    is_last: bool


def check_file(record: Record) -> FilePart:
    """Return the part of a file of a record; its name stays within what is ours.

    Raises: CorruptRecord for what is none, or would lie elsewhere.
    """
    match record:
        case [_, str(place), str(name), int(mode), int(changed_ns), bytes(part), bool(is_last)] if (
            place in set(FactPlace) and len(part) <= _PART_BYTES_MAX
        ):
            where = FactPlace(place)
        case _:
            raise CorruptRecord("a file in the file is none", hint="use another copy")
    parts = name.split("/")
    is_ours = parts[0] in _ROOTS[where] and not any(
        each in ("", ".", "..", ".git") or "\x00" in each or "\\" in each for each in parts
    )
    if not is_ours or len(name.encode("utf-8", "replace")) > _NAME_BYTES_MAX:
        raise CorruptRecord(
            f"{name[:200]!r} would lie outside of a memory's folders",
            hint="that file was not written by AgentX: do not use it",
        )
    return FilePart(
        place=where,
        name=name,
        mode=(mode & 0o644) | 0o600,
        changed_ns=changed_ns,
        part=part,
        is_last=is_last,
    )
