"""Observations in SQLite, for stores beyond what files can carry.

The same words and the same answers as the JSON store: both pass one contract suite. Whole
observations lie as the JSON they would be in an issue file, the index beside them in columns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from agentx.host.atomic import make_private_directory
from agentx.kernel.clock import Clock
from agentx.kernel.errors import CorruptRecord, LockHeld, UnavailableError
from agentx.kernel.limits import OBSERVATION_SEARCH_LIMIT, SEARCH_HITS_MAX
from agentx.observations.ids import parse_observation_id
from agentx.observations.merging import merges, old_enough, outcome
from agentx.observations.model import (
    Category,
    CompactionResult,
    Observation,
    ObservationIndex,
    SearchFilters,
    StoreFault,
    StoreStats,
)
from agentx.observations.store.checks import check
from agentx.observations.store.counts import counted, filtered
from agentx.observations.store.database import checkpoint, connect, is_busy
from agentx.observations.store.matching import best_matches
from agentx.observations.store.records import (
    EntryRecord,
    ObservationRecord,
    decode_observation,
    encode,
    entry_of,
    index_of,
    observation_of,
    record_of,
    with_news,
)
from agentx.observations.store.word_view import Source, WordView
from agentx.observations.store.words import Wording, wording

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
    record TEXT NOT NULL
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
_ENTRY = (
    "SELECT id, agent, issue, category, summary, tokens, timestamp, recall_count,"
    " superseded_by, stale FROM observations"
)
_IDS_AT_ONCE = 500


class SqliteObservationStore:
    """An `ObservationStore` in one database. Safe to use from several threads and processes."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock,
        view_folder: Path,
        report: Callable[[StoreFault], None] = lambda _fault: None,
    ) -> None:
        self._path = path
        self._clock = clock
        self._tell = report
        self._faults: list[StoreFault] = []
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._words = WordView(view_folder, path)

    @property
    def path(self) -> Path:
        """Where the database lies."""
        return self._path

    def store(self, observations: Sequence[Observation]) -> None:
        """Keep observations; return after they are on disk.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        check(observations)
        if observations:
            with self._changing() as db:
                self._insert(db, map(record_of, observations))

    def amend(self, observations: Sequence[Observation]) -> None:
        """Write anew what is known about stored observations; those not stored are left out."""
        known = {each.id: record_of(each) for each in observations}
        with self._changing() as db:
            for stored in _wanted(db, "observations", list(known)):
                each = with_news(stored, known[stored.id])
                db.execute(
                    "UPDATE observations SET superseded_by = ?, stale = ?, record = ? WHERE id = ?",
                    (each.superseded_by, bool(each.changed_files), encode(each).decode(), each.id),
                )

    def get_by_issue(self, issue_number: int) -> tuple[Observation, ...]:
        """Return the observations of an issue, oldest first."""
        with self._reading() as db:
            return tuple(map(observation_of, _of_issue(db, issue_number)))

    def get_by_id(self, observation_id: str) -> Observation | None:
        """Return one observation, or None."""
        return next(iter(self.get_by_ids((observation_id,))), None)

    def get_by_ids(self, observation_ids: Iterable[str]) -> tuple[Observation, ...]:
        """Return those that are there, in the order asked for."""
        asked = list(dict.fromkeys(observation_ids))
        for each in asked:
            parse_observation_id(each)
        with self._reading() as db:
            found = {record.id: record for record in _wanted(db, "observations", asked)}
        return tuple(observation_of(found[each]) for each in asked if each in found)

    def get_archived(self, observation_id: str) -> Observation | None:
        """Return an original that was merged into another, or None."""
        parse_observation_id(observation_id)
        with self._reading() as db:
            found = _wanted(db, "archive", (observation_id,))
        return observation_of(found[0]) if found else None

    def search(
        self, query: str, limit: int = OBSERVATION_SEARCH_LIMIT
    ) -> tuple[ObservationIndex, ...]:
        """Return what fits the words best, best first."""
        limit = min(max(limit, 0), SEARCH_HITS_MAX)
        with self._reading() as db:
            ids = self._words.search(query, limit, self._words_source(db))
            if ids is None:
                rows = [_entry(row) for row in db.execute(_ENTRY)]
                return tuple(map(index_of, best_matches(rows, query, limit)))
            found = {
                row[0]: _entry(row) for part in _parts(ids) for row in db.execute(*_entries(part))
            }
        return tuple(index_of(found[each]) for each in ids if each in found)

    def list_by_agent(self, agent: str) -> tuple[ObservationIndex, ...]:
        """Return everything of one agent, newest first."""
        return self.search_by_filters(SearchFilters(agent=agent))

    def list_by_category(self, category: Category) -> tuple[ObservationIndex, ...]:
        """Return everything of one category, newest first."""
        return self.search_by_filters(SearchFilters(category=category))

    def search_by_filters(self, filters: SearchFilters) -> tuple[ObservationIndex, ...]:
        """Return what passes every filter, newest first."""
        with self._reading() as db:
            rows = [_entry(row) for row in db.execute(*_narrowed(filters))]
        return tuple(map(index_of, filtered(rows, filters)))

    def increment_recall_count(self, *observation_ids: str) -> None:
        """Count one recall of each, in one write."""
        with self._changing() as db:
            db.executemany(
                "UPDATE observations SET recall_count = recall_count + 1 WHERE id = ?",
                ((each,) for each in dict.fromkeys(observation_ids)),
            )

    def compact(self, issue_number: int, *, before_ms: int | None = None) -> CompactionResult:
        """Merge related observations of an issue that are older than `before_ms`.

        The originals go to the archive. None means older than the archive threshold.
        """
        limit_ms = old_enough(before_ms, self._clock.now_ms())
        with self._changing() as db:
            before = {record.id: record for record in _of_issue(db, issue_number)}
            planned = merges(tuple(map(observation_of, before.values())), before_ms=limit_ms)
            result = outcome(issue_number, len(before), planned)
            olds = [before[each] for each in result.archived]
            _archive(db, olds)
            self._delete(db, olds)
            self._insert(db, map(record_of, result.merged))
        return result

    def remove(self, observation_id: str) -> bool:
        """Take one away for good; tell whether it was there."""
        parse_observation_id(observation_id)
        with self._changing() as db:
            found = _wanted(db, "observations", (observation_id,))
            self._words.drop([_wording(db, each) for each in found])
            self._delete(db, found)
            archived = db.execute("DELETE FROM archive WHERE id = ?", (observation_id,)).rowcount
        with self._reading() as db:
            checkpoint(db)
        return bool(found) or bool(archived)

    def get_stats(self) -> StoreStats:
        """Count what is there."""
        with self._reading() as db:
            rows = [_entry(row) for row in db.execute(_ENTRY)]
            archived = db.execute("SELECT count(*) FROM archive").fetchone()[0]
        beside = self._path.with_name(self._path.name + "-wal")
        sizes = [each.stat().st_size for each in (self._path, beside) if each.exists()]
        return counted(rows, archived=archived, bytes_on_disk=sum(sizes))

    def issues(self) -> tuple[int, ...]:
        """Return the numbers of the issues that have observations."""
        with self._reading() as db:
            found = db.execute("SELECT DISTINCT issue FROM observations ORDER BY issue")
            return tuple(issue for (issue,) in found)

    def everything(self) -> Iterator[Observation]:
        """Yield every observation, issue by issue."""
        for issue in self.issues():
            yield from self.get_by_issue(issue)

    def archive(self) -> Iterator[Observation]:
        """Yield every original that was merged into another."""
        with self._reading() as db:
            rows = db.execute("SELECT record FROM archive ORDER BY issue, number").fetchall()
        for (record,) in rows:
            yield observation_of(decode_observation(record))

    def keep_archived(self, observations: Iterable[Observation]) -> None:
        """Put originals into the archive, as a migration does."""
        with self._changing() as db:
            _archive(db, map(record_of, observations))

    def keep_counts(self, counts: dict[str, int]) -> None:
        """Set how often observations were recalled, as a migration does."""
        with self._changing() as db:
            db.executemany(
                "UPDATE observations SET recall_count = ? WHERE id = ?",
                ((count, each) for each, count in counts.items()),
            )

    def settle(self) -> int:
        """Bring the word lists up to date; nothing else waits here."""
        with self._reading() as db:
            self._words.level(self._words_source(db))
        return 0

    def faults(self) -> tuple[StoreFault, ...]:
        """Say what had to be mended or stepped over since this store was opened."""
        return tuple(self._faults)

    def close(self) -> None:
        """Let go of the database."""
        with self._lock:
            db, self._connection = self._connection, None
            if db is not None:
                db.close()
            self._words.close()

    def _insert(self, db: sqlite3.Connection, records: Iterable[ObservationRecord]) -> None:
        for record in records:
            entry = entry_of(record)
            db.execute(
                "INSERT OR IGNORE INTO observations (id, agent, issue, category, summary, tokens,"
                " timestamp, superseded_by, stale, record) VALUES (?,?,?,?,?,?,?,?,?,?)",
                (
                    *(entry.id, entry.agent, entry.issue_number, entry.category, entry.summary),
                    *(entry.tokens, entry.timestamp, entry.superseded_by, entry.stale),
                    encode(record).decode(),
                ),
            )
        _changed(db)

    def _delete(self, db: sqlite3.Connection, records: Sequence[ObservationRecord]) -> None:
        db.executemany("DELETE FROM observations WHERE id = ?", ((each.id,) for each in records))
        _changed(db)

    def _words_source(self, db: sqlite3.Connection) -> Source:
        return Source(
            state=str(db.execute("SELECT total(count) FROM changes").fetchone()[0]),
            ids=lambda: [each for (each,) in db.execute("SELECT id FROM observations")],
            fetch=lambda ids: (
                _wording(db, each) for each in _wanted(db, "observations", list(ids))
            ),
        )

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._opened()
            except sqlite3.Error as error:
                raise _spoken(self._path, error) from error

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            make_private_directory(self._path.parent)
            try:
                self._connection = _prepared(self._path)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                self._move_aside(error)
                self._connection = _prepared(self._path)
        return self._connection

    def _move_aside(self, error: sqlite3.Error) -> None:
        mark = f"corrupt-{self._clock.now_ms()}"
        for path in self._path.parent.glob(f"{self._path.name}*"):
            if ".corrupt-" not in path.name:
                path.replace(path.with_name(f"{path.name}.{mark}"))
        fault = StoreFault(
            what=f"not a database of observations: {error}",
            where=str(self._path),
            hint=f"it was moved aside ({mark}): restore a backup, or go on without it",
        )
        self._faults.append(fault)
        self._tell(fault)


def _prepared(path: Path) -> sqlite3.Connection:
    db = connect(path, durable=True)
    try:
        for statement in _TABLES.split(";"):
            db.execute(statement)
    except BaseException:
        db.close()
        raise
    return db


def _entry(row: Sequence[object]) -> EntryRecord:
    fields = dict(zip(EntryRecord.__struct_fields__, row, strict=True))
    return EntryRecord(**{**fields, "stale": bool(fields["stale"])})  # type: ignore[arg-type]  # as the table has them


def _entries(ids: Sequence[str]) -> tuple[str, Sequence[str]]:
    return f"{_ENTRY} WHERE id IN ({','.join('?' * len(ids))})", ids


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _IDS_AT_ONCE):
        yield ids[start : start + _IDS_AT_ONCE]


def _narrowed(filters: SearchFilters) -> tuple[str, tuple[str | int, ...]]:
    """Return the statement that reads little more than the filters let pass."""
    if filters.issue_number is not None:
        return f"{_ENTRY} WHERE issue = ?", (filters.issue_number,)
    if filters.agent:
        return f"{_ENTRY} WHERE agent = ?", (filters.agent,)
    if filters == SearchFilters(limit=filters.limit) and filters.limit is not None:
        return f"{_ENTRY} ORDER BY timestamp DESC, id DESC LIMIT ?", (max(filters.limit, 0),)
    return _ENTRY, ()


def _of_issue(db: sqlite3.Connection, issue: int) -> list[ObservationRecord]:
    found = db.execute(
        "SELECT record FROM observations WHERE issue = ? ORDER BY timestamp, id", (issue,)
    )
    return [decode_observation(record) for (record,) in found]


def _wanted(db: sqlite3.Connection, table: str, ids: Sequence[str]) -> list[ObservationRecord]:
    return [
        decode_observation(record)
        for part in _parts(ids)
        for (record,) in db.execute(
            f"SELECT record FROM {table} WHERE id IN ({','.join('?' * len(part))})",  # noqa: S608  a name of ours
            part,
        )
    ]


def _wording(db: sqlite3.Connection, record: ObservationRecord) -> Wording:
    return wording(record, _wanted(db, "archive", record.sources))


def _changed(db: sqlite3.Connection) -> None:
    """Count a change, so that the word lists know that they are behind."""
    if not db.execute("UPDATE changes SET count = count + 1").rowcount:
        db.execute("INSERT INTO changes VALUES (1)")


def _archive(db: sqlite3.Connection, records: Iterable[ObservationRecord]) -> None:
    for record in records:
        record.archived = True
        db.execute(
            "INSERT OR IGNORE INTO archive (id, issue, record) VALUES (?, ?, ?)",
            (record.id, record.issue_number, encode(record).decode()),
        )


def _spoken(path: Path, error: sqlite3.Error) -> LockHeld | UnavailableError | CorruptRecord:
    said = str(error)
    if is_busy(error):
        return LockHeld(f"{path}: another process is writing", hint="try again")
    if isinstance(error, sqlite3.OperationalError):
        return UnavailableError(f"{path}: {said}", hint="check the disk, then try again")
    return CorruptRecord(
        f"{path}: not a database of observations: {said}",
        hint="move it away, or restore it from a backup",
    )
