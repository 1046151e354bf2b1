"""The tables of the SQLite store, and the statements over them.

Whole observations lie as the JSON they would be in an issue file, the index beside them in
columns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from agentx.observations.model import SearchFilters
from agentx.observations.store.database import connect
from agentx.observations.store.records import (
    EntryRecord,
    ObservationRecord,
    decode_observation,
    encode,
    entry_of,
)
from agentx.observations.store.words import lists as words
from agentx.observations.store.words.lists import IndexedWords

_TABLES = """
CREATE TABLE IF NOT EXISTS changes (count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS observations (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    issue INTEGER NOT NULL,
    category TEXT NOT NULL,
    summary TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    timestamp TEXT NOT NULL,
    recall_count INTEGER NOT NULL DEFAULT 0,
    superseded_by TEXT NOT NULL,
    stale INTEGER NOT NULL,
    record TEXT NOT NULL,
    marks TEXT NOT NULL DEFAULT '',
    branch TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS by_issue ON observations (issue, timestamp, id);
CREATE INDEX IF NOT EXISTS by_agent ON observations (agent, timestamp, id);
CREATE INDEX IF NOT EXISTS by_time ON observations (timestamp, id);
CREATE TABLE IF NOT EXISTS archive (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    issue INTEGER NOT NULL,
    record TEXT NOT NULL
)
"""
# Databases that are older than these columns lack them.
_LATER = {
    "marks": "ALTER TABLE observations ADD COLUMN marks TEXT NOT NULL DEFAULT ''",
    "branch": "ALTER TABLE observations ADD COLUMN branch TEXT NOT NULL DEFAULT ''",
}
_BY_MARKS = "CREATE INDEX IF NOT EXISTS by_marks ON observations (number) WHERE marks != ''"
ENTRIES = (
    "SELECT id, agent, issue, category, summary, tokens, timestamp, recall_count,"
    " superseded_by, stale, branch, marks FROM observations"
)
# What was said of an observation later, in the column `marks`.
_MARKED = ("pinned", "reviewed", "mended_at", "repeats")
_IDS_AT_ONCE = 500


def open_database(path: Path) -> sqlite3.Connection:
    """Open a database; make the tables that are not there."""
    db = connect(path, durable=True)
    try:
        for statement in _TABLES.split(";"):
            db.execute(statement)
        columns = {row[1] for row in db.execute("PRAGMA table_info(observations)")}
        for column, statement in _LATER.items():
            if column not in columns:
                db.execute(statement)
        db.execute(_BY_MARKS)
    except BaseException:
        db.close()
        raise
    return db


def entry(row: Sequence[object]) -> EntryRecord:
    """Return a row of the index as a line of the manifest."""
    *known, branch, marks = row
    fields: dict[str, object] = dict(zip(EntryRecord.__struct_fields__, known, strict=False))
    said = msgspec.json.decode(str(marks)) if marks else {}
    return EntryRecord(**{**fields, "stale": bool(fields["stale"]), "branch": branch, **said})


def _marks(line: EntryRecord) -> str:
    """Return what a person said of an observation; empty for most."""
    said = {name: value for name in _MARKED if (value := getattr(line, name))}
    return encode(said).decode() if said else ""


def entries(ids: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the statement that reads the index of some observations."""
    return f"{ENTRIES} WHERE id IN ({','.join('?' * len(ids))})", ids


def parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield ids in parts that one statement can name."""
    for start in range(0, len(ids), _IDS_AT_ONCE):
        yield ids[start : start + _IDS_AT_ONCE]


def narrow(filters: SearchFilters) -> tuple[str, tuple[str | int, ...]]:
    """Return the statement that reads little more than the filters let pass."""
    if filters.pinned:
        return f"{ENTRIES} WHERE marks != ''", ()
    if filters.issue_number is not None:
        return f"{ENTRIES} WHERE issue = ?", (filters.issue_number,)
    if filters.agent:
        return f"{ENTRIES} WHERE agent = ?", (filters.agent,)
    if filters == SearchFilters(limit=filters.limit) and filters.limit is not None:
        return f"{ENTRIES} ORDER BY timestamp DESC, id DESC LIMIT ?", (max(filters.limit, 0),)
    return ENTRIES, ()


def of_issue(db: sqlite3.Connection, issue: int) -> list[ObservationRecord]:
    """Return the observations of an issue, oldest first."""
    found = db.execute(
        "SELECT record FROM observations WHERE issue = ? ORDER BY timestamp, id", (issue,)
    )
    return [decode_observation(record) for (record,) in found]


def read_some(db: sqlite3.Connection, table: str, ids: Sequence[str]) -> list[ObservationRecord]:
    """Return those of some ids that a table holds."""
    return [
        decode_observation(record)
        for part in parts(ids)
        for (record,) in db.execute(
            f"SELECT record FROM {table} WHERE id IN ({','.join('?' * len(part))})",  # noqa: S608  a name of ours
            part,
        )
    ]


def sources(db: sqlite3.Connection, issue: int) -> dict[str, tuple[str, ...]]:
    """Return the observations of an issue with what each was merged from."""
    return {each.id: each.sources for each in of_issue(db, issue)}


def list_archived_sources(db: sqlite3.Connection, issue: int) -> dict[str, tuple[str, ...]]:
    """Return those in the archive that were merged from others, with what they were merged from."""
    found = db.execute(
        "SELECT record FROM archive WHERE issue = ? AND record LIKE '%\"sources\":%'", (issue,)
    )
    olds = (decode_observation(record) for (record,) in found)
    return {each.id: each.sources for each in olds if each.sources}


def wording(db: sqlite3.Connection, record: ObservationRecord) -> IndexedWords:
    """Return what is indexed of an observation, with the words of its originals."""
    return words.wording(record, read_some(db, "archive", record.sources))


def insert(db: sqlite3.Connection, records: Iterable[ObservationRecord]) -> None:
    """Put observations in; those that are there stay."""
    for record in records:
        line = entry_of(record)
        db.execute(
            "INSERT OR IGNORE INTO observations (id, agent, issue, category, summary, tokens,"
            " timestamp, superseded_by, stale, record, marks, branch)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                *(line.id, line.agent, line.issue_number, line.category, line.summary),
                *(line.tokens, line.timestamp, line.superseded_by, line.stale),
                encode(record).decode(),
                _marks(line),
                line.branch,
            ),
        )
    _count_change(db)


def rewrite(db: sqlite3.Connection, record: ObservationRecord) -> None:
    """Write anew an observation that is there."""
    line = entry_of(record)
    db.execute(
        "UPDATE observations SET summary = ?, tokens = ?, record = ?, marks = ?, branch = ?"
        " WHERE id = ?",
        (line.summary, line.tokens, encode(record).decode(), _marks(line), line.branch, line.id),
    )
    _count_change(db)


def delete(db: sqlite3.Connection, records: Iterable[ObservationRecord]) -> None:
    """Take observations out."""
    db.executemany("DELETE FROM observations WHERE id = ?", ((each.id,) for each in records))
    _count_change(db)


def _count_change(db: sqlite3.Connection) -> None:
    """Count a change, so that the word lists know that they are behind."""
    if not db.execute("UPDATE changes SET count = count + 1").rowcount:
        db.execute("INSERT INTO changes VALUES (1)")


def archive(db: sqlite3.Connection, records: Iterable[ObservationRecord]) -> None:
    """Put originals into the archive; those that are there stay."""
    for record in records:
        record.archived = True
        db.execute(
            "INSERT OR IGNORE INTO archive (id, issue, record) VALUES (?, ?, ?)",
            (record.id, record.issue_number, encode(record).decode()),
        )


def unarchive(db: sqlite3.Connection, records: Iterable[ObservationRecord]) -> None:
    """Take originals out of the archive."""
    db.executemany("DELETE FROM archive WHERE id = ?", ((each.id,) for each in records))
