"""Observations in JSON files: `manifest.json`, `issue-<n>.json`, `archive/`, and a journal.

    store --> pending.jsonl --settle--> issue-29.json, then manifest.json
                   |                        |
                   +-------- read both -----+

Storing appends one synced line to the journal, whatever the store holds already. Readers join
journal and files. Settling (at `agentx sync`, before compaction and migration, after a removal,
and when the journal is long) rewrites the files: each issue file under its lock, then the
manifest under its lock, never the other way round; then the journal is emptied.

What a kill leaves:  in the journal only           read from there, settled next time
                     in the issue file as well     the same, an id is stored once
                     in the manifest as well       the manifest's mark says so
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from threading import RLock

from agentx.host.files.plain import is_folder
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import Entropy
from agentx.observations.forgetting import Undoing, holders, take_whole, undoing
from agentx.observations.ids import group_by_issue, parse_observation_id, shorten_id
from agentx.observations.limits import OBSERVATION_SEARCH_LIMIT, OBSERVATIONS_PENDING_BYTES_MAX
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
from agentx.observations.store.counts import count_lines
from agentx.observations.store.dropped import DroppedFile
from agentx.observations.store.files.issue_files import IssueFiles
from agentx.observations.store.files.joined import Joined
from agentx.observations.store.files.manifest import ManifestFile
from agentx.observations.store.files.pending import Pending
from agentx.observations.store.files.settle import Settling
from agentx.observations.store.records import (
    ObservationRecord,
    observation_of,
    record_of,
    with_marking,
)
from agentx.observations.store.words.lists import IndexedWords, wording
from agentx.observations.store.words.matching import best_matches
from agentx.observations.store.words.view import Source, WordView
from agentx.observations.tidying.merging import merges, old_enough, outcome
from agentx.search.limits import SEARCH_HITS_MAX

_VALUES_KEPT_MAX = 2_000


class JsonObservationStore(ObservationStore):
    """An `ObservationStore` in one folder. Safe to use from several threads and processes."""

    def __init__(
        self,
        folder: Path,
        *,
        clock: Clock,
        entropy: Entropy,
        view_folder: Path,
        report: Callable[[StoreFault], None] = lambda _fault: None,
    ) -> None:
        self._clock = clock
        self._faults: list[StoreFault] = []
        self._tell = report
        self._lock = RLock()
        files = IssueFiles(folder, clock, entropy, self._report)
        self._words = WordView(view_folder, folder)
        manifest = ManifestFile(files, clock, entropy, self._report, self._words.look_again)
        self._files = files
        self._dropped = DroppedFile(folder, clock, self._report)
        self._pending = Pending(files.paths.pending, clock, entropy)
        self._joined = Joined(self._pending, manifest, clock, self._report)
        self._settling = Settling(self._pending, files, manifest, clock)
        self._values: dict[str, tuple[ObservationRecord, Observation]] = {}

    @property
    def folder(self) -> Path:
        """Where the files lie."""
        return self._files.paths.root

    @property
    def drops(self) -> DroppedFile:
        """What a person dropped."""
        return self._dropped

    def store(self, observations: Sequence[Observation]) -> None:
        """Keep observations; return after they are on disk.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        check(observations)
        if not observations:
            return
        with self._lock:
            self._append("store", [record_of(each) for each in observations])

    def amend(self, observations: Sequence[Observation]) -> None:
        """Write anew what is known about stored observations; those not stored are left out."""
        with self._lock:
            rows = self._joined.rows()
            known = [record_of(each) for each in observations if each.id in rows]
            if known:
                self._pending.append("amend", observations=known)

    def mark(self, markings: Sequence[Marking]) -> tuple[Observation, ...]:
        """Write what a person said of stored observations; return these as they are now.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        by_id = {each.id: each for each in markings}
        by_issue = group_by_issue(by_id)
        with self._lock:
            texts = [one.id for one in markings if one.content or one.again or one.not_again]
            if all(one.is_of_session for one in markings):
                self._note_repeats(by_id)
                return self.get_by_ids(by_id)
            # Only what lies in a file can be changed there.
            self._settling.settle()
            self._words.drop(list(self._wordings(texts)))
            for issue, ids in by_issue.items():
                self._settling.mark(issue, {each: by_id[each] for each in sorted(ids)})
            return self.get_by_ids(by_id)

    def _note_repeats(self, by_id: Mapping[str, Marking]) -> None:
        """Write that some were seen again; sessions do that often, so it goes to the journal."""
        said = [with_marking(each, by_id[each.id], now="") for each in self._fetch(by_id)]
        if said:
            self._words.drop(list(self._wordings(by_id)))  # as they were worded until now
            self._append("repeat", said)

    def get_by_issue(self, issue_number: int) -> tuple[Observation, ...]:
        """Return the observations of an issue, oldest first."""
        with self._lock:
            found = map(observation_of, self._issue(issue_number))
            return tuple(sorted(found, key=lambda each: (each.timestamp_ms, each.id)))

    def get_by_ids(self, observation_ids: Iterable[str]) -> tuple[Observation, ...]:
        """Return those that are there, in the order asked for; reads only the issues needed."""
        asked = list(dict.fromkeys(observation_ids))
        with self._lock:
            found = {record.id: record for record in self._fetch(asked)}
            return tuple(self._value_of(found[each]) for each in asked if each in found)

    def get_archived(self, observation_id: str) -> Observation | None:
        """Return an original that was merged into another, or None."""
        issue = parse_observation_id(observation_id).issue_number
        path = self._files.archive_path(issue)
        found = self._files.read_some(path, frozenset((observation_id,)))
        return observation_of(found[0]) if found else None

    def search(
        self, query: str, limit: int = OBSERVATION_SEARCH_LIMIT
    ) -> tuple[ObservationIndex, ...]:
        """Return what fits the words best, best first."""
        limit = min(max(limit, 0), SEARCH_HITS_MAX)
        with self._lock:
            rows = self._joined.rows()
            found = self._words.search(query, limit, self._words_source())
            if found is None:
                return tuple(map(self._joined.value_of, best_matches(rows.values(), query, limit)))
            return tuple(self._joined.value_of(rows[each]) for each in found if each in rows)

    def search_by_filters(self, filters: SearchFilters) -> tuple[ObservationIndex, ...]:
        """Return what passes every filter, newest first."""
        with self._lock:
            return self._joined.find(filters)

    def find_ids(self, short_id: str) -> tuple[str, ...]:
        """Return the ids that are named so for short."""
        with self._lock:
            return tuple(each for each in self._joined.rows() if shorten_id(each) == short_id)

    def count_standing(self) -> int:
        """Return how many observations nothing has replaced."""
        with self._lock:
            return self._joined.count_standing()

    def increment_recall_count(self, *observation_ids: str) -> None:
        """Count one recall of each, in one write."""
        with self._lock:
            rows = self._joined.rows()
            known = [each for each in dict.fromkeys(observation_ids) if each in rows]
            if known:
                self._pending.append("recalled", ids=known)

    def compact(self, issue_number: int, *, before_ms: int | None = None) -> CompactionResult:
        """Merge related observations of an issue that are older than `before_ms`.

        The originals go to the archive. None means older than the archive threshold.

        Raises: LockHeld, UnavailableError.
        """
        with self._lock:
            self.settle()
            before = self._issue(issue_number)
            limit_ms = old_enough(before_ms, self._clock.now_ms())
            planned = merges(tuple(map(observation_of, before)), before_ms=limit_ms)
            result = outcome(issue_number, len(before), planned)
            if planned:
                self._words.drop(list(self._wordings(result.archived)))
                new = [record_of(each) for each in result.merged]
                self._settling.replace(issue_number, new=new, originals=result.archived)
        return result

    def put_away(self, observation_ids: Iterable[str]) -> None:
        """Put observations into the archive, merged into nothing.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        by_issue = group_by_issue(observation_ids)
        with self._lock:
            if not by_issue:
                return
            self._settling.settle()
            self._words.drop(list(self._wordings(chain.from_iterable(by_issue.values()))))
            for issue, ids in by_issue.items():
                self._settling.replace(issue, new=(), originals=sorted(ids))
            self._words.level(self._words_source())

    def bring_back(self, observation_ids: Iterable[str]) -> None:
        """Put originals from the archive into the store again.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        by_issue = group_by_issue(observation_ids)
        with self._lock:
            for issue, ids in by_issue.items():
                self._settling.undo(issue, Undoing(gone=frozenset(), returning=frozenset(ids)))

    def remove(self, observation_id: str) -> bool:
        """Take one away for good, with all it was merged from; tell whether it was there.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        issue = parse_observation_id(observation_id).issue_number
        with self._lock:
            merged = {each.id: each.sources for each in self._issue(issue)}
            return bool(self.forget(take_whole(observation_id, merged)))

    def forget(self, observation_ids: Iterable[str]) -> tuple[str, ...]:
        """Take observations out of every file, the archive and what was merged of them too.

        The other originals of a merged one come back. Return the ids that are gone.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        asked = frozenset(observation_ids)
        by_issue = group_by_issue(asked)
        with self._lock:
            if not asked or not is_folder(self.folder):
                return ()
            # Gone means gone from the disk: the journal holds texts too.
            self._settling.settle()
            gone = [each for issue in by_issue for each in self._forget(issue, by_issue[issue])]
            if not gone:
                # One who died while forgetting may have left the lines of what the files lost.
                self._settling.renew_manifest()
            self._values.clear()
            purge_aside(self.folder, asked.union(gone))
            self.settle()
            self._words.scrub(self._words_source())
            return tuple(gone)

    def _forget(self, issue: int, asked: Collection[str]) -> list[str]:
        kept = self._issue(issue)
        archive = self._files.records(self._files.archive_path(issue))
        archived = {each.id for each in archive}
        whole = holders(asked, {each.id: each.sources for each in archive})
        undone = undoing(whole, {each.id: each.sources for each in kept})
        live = undone.gone.intersection(each.id for each in kept)
        gone = live | (undone.gone & archived)
        if gone:
            self._words.drop(list(self._wordings(live)))
            self._settling.undo(issue, undone)
        return sorted(gone)

    def get_stats(self) -> StoreStats:
        """Count what is there."""
        with self._lock:
            rows = self._joined.rows()
            archive = self._files.archive_stamps()
            return count_lines(
                rows.values(),
                archived=sum(
                    len(self._files.records(self._files.archive_path(issue))) for issue in archive
                ),
                bytes_on_disk=sum(size for size, _ in self._files.stamps().values())
                + sum(size for size, _ in archive.values())
                + self._pending.size()
                + self._joined.manifest_bytes(),
            )

    def issues(self) -> tuple[int, ...]:
        """Return the numbers of the issues that have observations."""
        with self._lock:
            return tuple(sorted({row.issue_number for row in self._joined.rows().values()}))

    def archive(self) -> Iterator[Observation]:
        """Yield every original that was merged into another."""
        for issue in sorted(self._files.archive_stamps()):
            for record in self._files.records(self._files.archive_path(issue)):
                yield observation_of(record)

    def keep_archived(self, observations: Iterable[Observation]) -> None:
        """Put originals into the archive, as a migration does."""
        by_issue: dict[int, list[ObservationRecord]] = {}
        for each in observations:
            by_issue.setdefault(each.issue_number, []).append(record_of(each))
        with self._lock:
            for issue, records in by_issue.items():
                self._settling.archive(issue, records)

    def keep_counts(self, counts: dict[str, int]) -> None:
        """Set how often observations were recalled, as a migration does."""
        with self._lock:
            self._settling.set_counts(counts)

    def settle(self) -> int:
        """Bring every file up to date with what was stored; return how many acts moved.

        Raises: LockHeld, UnavailableError, UnsupportedVersion.
        """
        with self._lock:
            if not is_folder(self.folder):
                return 0
            moved = self._settling.settle()
            self._words.level(self._words_source())
            return moved

    def look_through(self) -> None:
        """Read every issue file, so that `faults` names what is wrong in any of them."""
        for issue in sorted(self._files.stamps()):
            self._files.records(self._files.path(issue))

    def faults(self) -> tuple[StoreFault, ...]:
        """Say what had to be mended or stepped over since this store was opened."""
        return tuple(self._faults)

    def close(self) -> None:
        """Let go of what is open."""
        with self._lock:
            self._words.close()

    def _issue(self, issue: int) -> list[ObservationRecord]:
        """Return the records of one issue: the journal is read first, the file after it."""
        self._pending.refresh()
        acts = list(self._pending.acts)
        path = self._files.path(issue)
        kept = {record.id: record for record in self._files.records(path)}
        return list(self._settling.overlaid(kept, acts, issue).values())

    def _fetch(self, ids: Iterable[str]) -> list[ObservationRecord]:
        """Return some records, reading only the files they lie in."""
        by_issue = group_by_issue(ids)
        self._pending.refresh()
        found: list[ObservationRecord] = []
        for issue, wanted in by_issue.items():
            path = self._files.path(issue)
            kept = {each.id: each for each in self._files.read_some(path, frozenset(wanted))}
            joined = self._settling.overlay_some(kept, wanted, issue)
            found += [joined[each] for each in wanted if each in joined]
        return found

    def _value_of(self, record: ObservationRecord) -> Observation:
        """Return a record as a value, made once for as long as the record is the same."""
        known = self._values.get(record.id)
        if known is not None and known[0] is record:
            return known[1]
        made = observation_of(record)
        if len(self._values) >= _VALUES_KEPT_MAX:
            self._values.clear()
        self._values[record.id] = record, made
        return made

    def _words_source(self) -> Source:
        rows = self._joined.rows()
        return Source(state=self._joined.state(), ids=rows.keys, fetch=self._wordings)

    def _wordings(self, ids: Iterable[str]) -> Iterator[IndexedWords]:
        for record in self._fetch(ids):
            path = self._files.archive_path(record.issue_number)
            olds = self._files.read_some(path, frozenset(record.sources)) if record.sources else ()
            yield wording(record, olds)

    def _append(self, op: str, records: Sequence[ObservationRecord]) -> None:
        self._pending.append(op, observations=records)
        if self._pending.size() > OBSERVATIONS_PENDING_BYTES_MAX:
            self._settle_if_possible()

    def _settle_if_possible(self) -> None:
        """Settle; what was stored is on disk already, so that nothing depends on it."""
        try:
            self._settling.settle()
        except AgentXError as error:
            self._report(
                StoreFault(what=error.message, where=str(self._pending.path), hint=error.hint)
            )

    def _report(self, fault: StoreFault) -> None:
        if fault not in self._faults:
            self._faults.append(fault)
            self._tell(fault)
