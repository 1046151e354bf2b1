"""The index as it is now: the manifest joined with the journal, held in memory.

Both files are looked at before every answer; unchanged ones are not read again. A journal that
only grew is read from where it grew. After 30 s the issue files are compared with the manifest
again too, for those who edit them by hand.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence

from agentx.host.locks.lock import locked
from agentx.kernel.clock import Clock
from agentx.kernel.errors import ConflictError, UnavailableError
from agentx.observations.limits import MANIFEST_CACHE_MS
from agentx.observations.model import ObservationIndex, SearchFilters, StoreFault
from agentx.observations.store.counts import filter_lines
from agentx.observations.store.files.issue_files import OWNER
from agentx.observations.store.files.manifest import (
    Index,
    ManifestFile,
    Rows,
    apply,
    list_unsettled,
)
from agentx.observations.store.files.pending import Act, Pending, Seen, look_at
from agentx.observations.store.records import EntryRecord, index_of

# A reader mends the manifest in passing; it does not wait for those who are writing it.
_MEND_WAIT_MS = 200
_VALUES_KEPT_MAX = 4_000
_FOUND_KEPT_MAX = 600
_FILTERS_KEPT_MAX = 32
_MOVING = frozenset({"store", "remove"})


class Joined:
    """Journal and manifest, seen as one."""

    def __init__(
        self,
        pending: Pending,
        manifest: ManifestFile,
        clock: Clock,
        report: Callable[[StoreFault], None],
    ) -> None:
        self._pending = pending
        self._manifest = manifest
        self._clock = clock
        self._report = report
        self._index: Index | None = None
        self._seen: Seen | None = None
        self._read_ms = 0
        self._rows: Rows = {}
        self._applied = 0  # acts of the journal that are in the rows
        # What was found out of the rows, until they change.
        self._ordered: list[tuple[str, str]] | None = None  # by time and id, oldest first
        self._standing: int | None = None
        self._found: dict[SearchFilters, tuple[ObservationIndex, ...]] = {}
        self._values: dict[str, tuple[EntryRecord, ObservationIndex]] = {}

    def rows(self) -> Rows:
        """Return a line for every observation there is; not to be changed.

        Raises: UnavailableError.
        """
        # The journal first: what leaves it meanwhile is in the files by the time we read them.
        anew = self._pending.refresh()
        now = look_at(self._manifest.path)
        now_ms = self._clock.now_ms()
        fresh = 0 <= now_ms - self._read_ms < MANIFEST_CACHE_MS
        if self._index is None or now != self._seen or not fresh:
            if self._index is None or now != self._seen or self._manifest.catch_up(self._index):
                self._load()
                anew = True
            self._read_ms = now_ms
        if anew:
            assert self._index is not None, "loaded above"
            self._rows = dict(self._index.rows)
            self._ordered = None
            acts = list_unsettled(self._pending.acts, self._index.settled)
            self._applied = len(self._pending.acts) - len(acts)
        acts = self._pending.acts[self._applied :]
        if anew or acts:
            self._apply(acts)
            self._applied = len(self._pending.acts)
            self._standing = None
            self._found.clear()
        return self._rows

    def find(self, filters: SearchFilters) -> tuple[ObservationIndex, ...]:
        """Return what passes every filter, newest first; who serves many asks the same again.

        Raises: UnavailableError.
        """
        rows = self.rows()
        if self._ordered is None:
            # They lie about in the order in which they came, and that is almost this one.
            self._ordered = sorted((row.timestamp, row.id) for row in rows.values())
        found = self._found.get(filters)
        if found is None:
            newest_first = (rows[each] for _, each in reversed(self._ordered))
            found = tuple(map(self.value_of, filter_lines(newest_first, filters)))
            if len(found) <= _FOUND_KEPT_MAX and len(self._found) < _FILTERS_KEPT_MAX:
                self._found[filters] = found
        return found

    def count_standing(self) -> int:
        """Return how many observations nothing has replaced.

        Raises: UnavailableError.
        """
        rows = self.rows()
        if self._standing is None:
            self._standing = sum(not row.superseded_by for row in rows.values())
        return self._standing

    def value_of(self, row: EntryRecord) -> ObservationIndex:
        """Return a line as a value, made once for as long as the line is the same."""
        known = self._values.get(row.id)
        if known is not None and known[0] is row:
            return known[1]
        made = index_of(row)
        if len(self._values) >= _VALUES_KEPT_MAX:
            self._values.clear()
        self._values[row.id] = row, made
        return made

    def state(self) -> str:
        """Return a text that changes whenever a row may have come or gone."""
        moving = (act.record for act in reversed(self._pending.acts) if act.op in _MOVING)
        return f"{self._seen} {next(moving, '')}"

    def manifest_bytes(self) -> int:
        """Return the size of the manifest."""
        now = look_at(self._manifest.path)
        return 0 if now is None else now.size

    def _apply(self, acts: Sequence[Act]) -> None:
        """Bring the rows up to date; what comes is put into their order, which is long."""
        stored = (one for act in acts if act.op == "store" for one in act.observations)
        fresh = {one.id for one in stored if one.id not in self._rows}
        apply(self._rows, acts)
        if any(act.op == "remove" for act in acts):
            self._ordered = None
        if self._ordered is not None:
            for each in fresh:
                insort(self._ordered, (self._rows[each].timestamp, each))

    def _load(self) -> None:
        begun_ms = self._clock.now_ms()
        self._seen = look_at(self._manifest.path)
        self._index = self._manifest.read()
        if (self._index.trouble or self._index.late) and self._index.files:
            self._mend()
        if self._index.trouble and self._index.files:
            took_ms = self._clock.now_ms() - begun_ms
            self._report(
                StoreFault(
                    what=f"Memory manifest rebuilt from issue files (took {took_ms}ms)",
                    where=str(self._manifest.path),
                    hint=f"it was {self._index.trouble}",
                )
            )

    def _mend(self) -> None:
        """Write what was found out, unless others are at it."""
        assert self._index is not None, "read before"
        trouble = self._index.trouble
        try:
            with locked(
                self._manifest.path, owner=OWNER, clock=self._clock, wait_ms=_MEND_WAIT_MS
            ) as held:
                index = self._manifest.read(held)
                if index.trouble or index.late:
                    self._manifest.write(held, index)
                self._index = index
                self._seen = look_at(self._manifest.path)
        except (ConflictError, UnavailableError):
            return
        finally:
            self._index.trouble = trouble
