"""Observations in SQLite, for stores beyond what files can carry.

The same words and the same answers as the JSON store: both pass one contract suite. Whole
observations lie as the JSON they would be in an issue file, the index beside them in columns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

import msgspec

from agentx.host.files.atomic import make_private_directory
from agentx.host.files.plain import list_folder, look, rename
from agentx.kernel.clock import Clock, to_iso
from agentx.kernel.errors import CorruptRecord, LockHeld, UnavailableError
from agentx.observations.forgetting import holders, take_whole, undoing
from agentx.observations.ids import ID_PREFIX, parse_observation_id
from agentx.observations.limits import OBSERVATION_SEARCH_LIMIT
from agentx.observations.model import (
    CompactionResult,
    Marking,
    Observation,
    ObservationIndex,
    SearchFilters,
    StoreFault,
    StoreStats,
)
from agentx.observations.port import ObservationStore
from agentx.observations.store.aside import purge_aside
from agentx.observations.store.checks import check
from agentx.observations.store.counts import count_lines, filter_lines, order_lines
from agentx.observations.store.database import checkpoint, is_busy
from agentx.observations.store.dropped import DroppedFile
from agentx.observations.store.records import (
    decode_observation,
    encode,
    index_of,
    observation_of,
    record_of,
    with_marking,
    with_news,
)
from agentx.observations.store.sqlite import tables
from agentx.observations.store.words.matching import best_matches
from agentx.observations.store.words.view import Source, WordView
from agentx.observations.tidying.merging import merges, old_enough, outcome
from agentx.search.limits import SEARCH_HITS_MAX


class SqliteObservationStore(ObservationStore):
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
        self._dropped = DroppedFile(path.parent, clock, self._report)

    @property
    def drops(self) -> DroppedFile:
        """What a person dropped."""
        return self._dropped

    def store(self, observations: Sequence[Observation]) -> None:
        """Keep observations; return after they are on disk.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        check(observations)
        if observations:
            with self._changing() as db:
                tables.insert(db, map(record_of, observations))

    def amend(self, observations: Sequence[Observation]) -> None:
        """Write anew what is known about stored observations; those not stored are left out."""
        known = {each.id: record_of(each) for each in observations}
        with self._changing() as db:
            for stored in tables.read_some(db, "observations", list(known)):
                each = with_news(stored, known[stored.id])
                db.execute(
                    "UPDATE observations SET superseded_by = ?, stale = ?, record = ? WHERE id = ?",
                    (each.superseded_by, bool(each.changed_files), encode(each).decode(), each.id),
                )

    def mark(self, markings: Sequence[Marking]) -> tuple[Observation, ...]:
        """Write what a person said of stored observations; return these as they are now."""
        by_id = {each.id: each for each in markings}
        _check_ids(by_id)
        now = to_iso(self._clock.now_ms())
        made = []
        with self._changing() as db:
            for stored in tables.read_some(db, "observations", list(by_id)):
                made.append(with_marking(stored, by_id[stored.id], now))
                if (made[-1].content, made[-1].summary) != (stored.content, stored.summary):
                    self._words.drop([tables.wording(db, stored)])
                tables.rewrite(db, made[-1])
        # Somebody who searched meanwhile may have indexed the old text again.
        self._words.look_again(made)
        return self.get_by_ids(by_id)

    def get_by_issue(self, issue_number: int) -> tuple[Observation, ...]:
        """Return the observations of an issue, oldest first."""
        with self._reading() as db:
            return tuple(map(observation_of, tables.of_issue(db, issue_number)))

    def get_by_ids(self, observation_ids: Iterable[str]) -> tuple[Observation, ...]:
        """Return those that are there, in the order asked for."""
        asked = _check_ids(observation_ids)
        with self._reading() as db:
            found = {record.id: record for record in tables.read_some(db, "observations", asked)}
        return tuple(observation_of(found[each]) for each in asked if each in found)

    def get_archived(self, observation_id: str) -> Observation | None:
        """Return an original that was merged into another, or None."""
        parse_observation_id(observation_id)
        with self._reading() as db:
            found = tables.read_some(db, "archive", (observation_id,))
        return observation_of(found[0]) if found else None

    def search(
        self, query: str, limit: int = OBSERVATION_SEARCH_LIMIT
    ) -> tuple[ObservationIndex, ...]:
        """Return what fits the words best, best first."""
        limit = min(max(limit, 0), SEARCH_HITS_MAX)
        with self._reading() as db:
            ids = self._words.search(query, limit, self._words_source(db))
            if ids is None:
                rows = [tables.entry(row) for row in db.execute(tables.ENTRIES)]
                return tuple(map(index_of, best_matches(rows, query, limit)))
            found = {
                row[0]: tables.entry(row)
                for part in tables.parts(ids)
                for row in db.execute(*tables.entries(part))
            }
        return tuple(index_of(found[each]) for each in ids if each in found)

    def search_by_filters(self, filters: SearchFilters) -> tuple[ObservationIndex, ...]:
        """Return what passes every filter, newest first."""
        with self._reading() as db:
            rows = [tables.entry(row) for row in db.execute(*tables.narrow(filters))]
        return tuple(map(index_of, filter_lines(order_lines(rows), filters)))

    def find_ids(self, short_id: str) -> tuple[str, ...]:
        """Return the ids that are named so for short."""
        ending = short_id.removeprefix(ID_PREFIX)
        with self._reading() as db:
            found = db.execute("SELECT id FROM observations WHERE id LIKE ?", (f"%-{ending}",))
            return tuple(str(row[0]) for row in found)

    def count_standing(self) -> int:
        """Return how many observations nothing has replaced."""
        with self._reading() as db:
            found = db.execute("SELECT count(*) FROM observations WHERE superseded_by = ''")
            return int(found.fetchone()[0])

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
            before = {record.id: record for record in tables.of_issue(db, issue_number)}
            planned = merges(tuple(map(observation_of, before.values())), before_ms=limit_ms)
            result = outcome(issue_number, len(before), planned)
            olds = [before[each] for each in result.archived]
            self._words.drop([tables.wording(db, each) for each in olds])
            tables.archive(db, olds)
            tables.delete(db, olds)
            tables.insert(db, map(record_of, result.merged))
        return result

    def put_away(self, observation_ids: Iterable[str]) -> None:
        """Put observations into the archive, merged into nothing."""
        with self._changing() as db:
            olds = tables.read_some(db, "observations", _check_ids(observation_ids))
            self._words.drop([tables.wording(db, each) for each in olds])
            tables.archive(db, olds)
            tables.delete(db, olds)

    def bring_back(self, observation_ids: Iterable[str]) -> None:
        """Put originals from the archive into the store again."""
        with self._changing() as db:
            back = tables.read_some(db, "archive", _check_ids(observation_ids))
            tables.unarchive(db, back)
            tables.insert(db, (msgspec.structs.replace(each, archived=False) for each in back))

    def remove(self, observation_id: str) -> bool:
        """Take one away for good, with all it was merged from; tell whether it was there."""
        issue = parse_observation_id(observation_id).issue_number
        with self._reading() as db:
            return bool(self.forget(take_whole(observation_id, tables.sources(db, issue))))

    def forget(self, observation_ids: Iterable[str]) -> tuple[str, ...]:
        """Take observations out of the database, the archive and what was merged of them too.

        The other originals of a merged one come back. Return the ids that are gone.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        asked = frozenset(observation_ids)
        issues = sorted({parse_observation_id(each).issue_number for each in asked})
        if not asked:
            return ()
        with self._changing() as db:
            gone = [each for issue in issues for each in self._forget(db, issue, asked)]
        with self._reading() as db:
            checkpoint(db)
            purge_aside(self._path.parent, asked.union(gone))
            self.settle()
            self._words.scrub(self._words_source(db))
        return tuple(gone)

    def _forget(self, db: sqlite3.Connection, issue: int, asked: Collection[str]) -> list[str]:
        mine = [each for each in asked if parse_observation_id(each).issue_number == issue]
        whole = holders(mine, tables.list_archived_sources(db, issue))
        undone = undoing(whole, tables.sources(db, issue))
        live = tables.read_some(db, "observations", sorted(undone.gone))
        archived = tables.read_some(db, "archive", sorted(undone.gone))
        back = tables.read_some(db, "archive", sorted(undone.returning))
        self._words.drop([tables.wording(db, each) for each in live])
        tables.delete(db, live)
        tables.unarchive(db, (*archived, *back))
        tables.insert(db, (msgspec.structs.replace(each, archived=False) for each in back))
        return sorted({each.id for each in (*live, *archived)})

    def get_stats(self) -> StoreStats:
        """Count what is there."""
        with self._reading() as db:
            rows = [tables.entry(row) for row in db.execute(tables.ENTRIES)]
            archived = db.execute("SELECT count(*) FROM archive").fetchone()[0]
        beside = self._path.with_name(self._path.name + "-wal")
        sizes = [seen.st_size for each in (self._path, beside) if (seen := look(each))]
        return count_lines(rows, archived=archived, bytes_on_disk=sum(sizes))

    def issues(self) -> tuple[int, ...]:
        """Return the numbers of the issues that have observations."""
        with self._reading() as db:
            found = db.execute("SELECT DISTINCT issue FROM observations ORDER BY issue")
            return tuple(issue for (issue,) in found)

    def archive(self) -> Iterator[Observation]:
        """Yield every original that was merged into another."""
        with self._reading() as db:
            rows = db.execute("SELECT record FROM archive ORDER BY issue, number").fetchall()
        for (record,) in rows:
            yield observation_of(decode_observation(record))

    def keep_archived(self, observations: Iterable[Observation]) -> None:
        """Put originals into the archive, as a migration does."""
        with self._changing() as db:
            tables.archive(db, map(record_of, observations))

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

    def _words_source(self, db: sqlite3.Connection) -> Source:
        return Source(
            state=str(db.execute("SELECT total(count) FROM changes").fetchone()[0]),
            ids=lambda: [each for (each,) in db.execute("SELECT id FROM observations")],
            fetch=lambda ids: (
                tables.wording(db, each) for each in tables.read_some(db, "observations", list(ids))
            ),
        )

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._open()
            except sqlite3.Error as error:
                raise _translate(self._path, error) from error

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

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            make_private_directory(self._path.parent)
            try:
                self._connection = tables.open_database(self._path)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                self._move_aside(error)
                self._connection = tables.open_database(self._path)
        return self._connection

    def _move_aside(self, error: sqlite3.Error) -> None:
        mark = f"corrupt-{self._clock.now_ms()}"
        folder = self._path.parent
        for name in list_folder(folder).files:
            if name.startswith(self._path.name) and ".corrupt-" not in name:
                rename(folder / name, folder / f"{name}.{mark}")
        fault = StoreFault(
            what=f"not a database of observations: {error}",
            where=str(self._path),
            hint=f"it was moved aside ({mark}): restore a backup, or go on without it",
        )
        self._report(fault)

    def _report(self, fault: StoreFault) -> None:
        if fault not in self._faults:
            self._faults.append(fault)
            self._tell(fault)


def _check_ids(ids: Iterable[str]) -> list[str]:
    found = list(dict.fromkeys(ids))
    for each in found:
        parse_observation_id(each)
    return found


def _translate(path: Path, error: sqlite3.Error) -> LockHeld | UnavailableError | CorruptRecord:
    said = str(error)
    if is_busy(error):
        return LockHeld(f"{path}: another process is writing", hint="try again")
    if isinstance(error, sqlite3.OperationalError):
        return UnavailableError(f"{path}: {said}", hint="check the disk, then try again")
    return CorruptRecord(
        f"{path}: not a database of observations: {said}",
        hint="move it away, or restore it from a backup",
    )
