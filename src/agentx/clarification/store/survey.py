"""What a look finds: of one ledger its rows, each read once whoever asks for it; of all, a survey.

One command looks at a ledger for many reasons, and to read its rows takes most of that time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from agentx.clarification.contested import find_contesting, find_unconfirmed
from agentx.clarification.model import Clarification, Ledger
from agentx.clarification.store.book import Book
from agentx.clarification.store.files.stamps import Look, Stamp
from agentx.clarification.store.ledger_json import DamagedLedger, read_row, rows_of
from agentx.clarification.store.naming.names import Names
from agentx.clarification.store.naming.shown import name_for_good
from agentx.clarification.watch.awaiting import find_untrusted_question
from agentx.clarification.watch.gathered import GatheredQuestions, gather
from agentx.clarification.watch.glance import is_settled, list_unheard
from agentx.clarification.watch.later import find_in_doubt
from agentx.clarification.watch.matters import list_matters
from agentx.kernel.clock import to_iso
from agentx.kernel.ids import ClarificationId, parse_clarification_id
from agentx.kernel.values import frozen

_Looked = tuple[tuple[Look, ...], tuple[Look, ...]]  # its files, and where lines are held


class LedgerRows:
    """The rows of a ledger.

    Raises: DamagedLedger that names what is wrong, UnknownVersion.
    """

    def __init__(
        self,
        document: object,
        issue: int,
        *,
        faults: Iterable[str] = (),
        is_behind: bool = False,
        missing: tuple[str, ...] = (),
        list_moved: Callable[[], Names] = dict,
    ) -> None:
        self._rows, wrong = rows_of(document, issue)
        self._issue = issue
        self._faults = (*faults, *wrong)
        self._is_behind = is_behind
        self._missing = missing
        self._list_moved = cache(list_moved)
        self._read: dict[str, tuple[Clarification | None, tuple[str, ...]]] = {}
        self._open: Ledger | None = None

    def list_all(self) -> Ledger:
        """Return every row that can be read."""
        return self._take(self._rows)

    def list_settled(self) -> Ledger:
        """Return what nobody has to do anything about any more."""
        return self._take(name for name, row in self._rows.items() if is_settled(row))

    def list_open(self, since_ms: int) -> Ledger:
        """Return what is active, and what others decided since a moment; once found, it stays.

        Most of most ledgers is settled, and long ago.
        """
        if self._open is None:
            self._open = self._find_open(to_iso(since_ms)[: len("2026-01-01")])
        return self._open

    def _find_open(self, day: str) -> Ledger:
        looked_at = self._take(name for name, _ in list_unheard(self._rows, day))
        known = gather(looked_at)
        found = (
            state
            for state in known
            if state.is_active
            or state.was_decided_for_asker
            or find_untrusted_question(state) is not None
            or find_unconfirmed(state) is not None
            or any(_is_in_doubt(each, known) for each in (state, *list_matters(state)))
        )
        return self._make(found, looked_at.faults)

    def _take(self, names: Iterable[str]) -> Ledger:
        """Return the rows of some names; what cannot be read harms itself alone, and is named."""
        found, faults = list[Clarification](), list(self._faults)
        for name in names:
            if name not in self._read:
                self._read[name] = self._read_row(name)
            state, wrong = self._read[name]
            faults += wrong
            if state is not None:
                found.append(state)
        return self._make(found, faults)

    def _read_row(self, name: str) -> tuple[Clarification | None, tuple[str, ...]]:
        wrong: list[str] = []
        try:
            state = read_row(ClarificationId(name), self._rows[name], self._issue, wrong)
        except DamagedLedger as error:
            return None, (*wrong, error.message)
        return name_for_good(state, self._list_moved), tuple(wrong)

    def _make(self, states: Iterable[Clarification], faults: Iterable[str]) -> Ledger:
        return Ledger(
            issue=self._issue,
            clarifications=tuple(states),
            faults=tuple(faults),
            is_behind=self._is_behind,
            missing=self._missing,
        )


def _is_in_doubt(state: Clarification, among: GatheredQuestions) -> bool:
    return find_contesting(state) is not None or find_in_doubt(state, among) is not None


def list_rows(book: Book, list_moved: Callable[[], Names] = dict) -> LedgerRows:
    """Return the rows of a ledger that was opened; `list_moved` says what names meant before."""
    return LedgerRows(
        book.document(),
        book.issue,
        faults=book.made.faults,
        is_behind=book.is_behind,
        missing=book.list_missing(),
        list_moved=list_moved,
    )


class SeenLedgers:
    """What was read of ledgers, by what changes when they do; several may look into it."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[_Looked, LedgerRows]] = {}

    def find(self, stamp: Stamp) -> LedgerRows | None:
        """Return a ledger that is as it was when it was read; else None."""
        looked, rows = self._seen.get(stamp.issue, (None, None))
        return rows if looked == (stamp.files, stamp.held) else None

    def keep(self, stamp: Stamp, rows: LedgerRows) -> None:
        """Note a ledger that was read after its files were looked at."""
        self._seen[stamp.issue] = ((stamp.files, stamp.held), rows)


@frozen
class Survey:
    """Every active clarification, what was decided lately, and ledgers that could not be read."""

    active: tuple[Clarification, ...]
    decided: tuple[Clarification, ...] = ()  # by others than the asker
    damaged: tuple[str, ...] = ()
    closed: tuple[int, ...] = ()  # issues whose ledger cannot be read: nobody knows what waits
    behind: tuple[int, ...] = ()  # issues whose view does not say yet what the events do
    missing: tuple[str, ...] = ()  # questions of which git took lines out of the files

    def hides(self, clarification_id: str | None) -> bool:
        """Tell whether a question cannot be read: nobody knows what became of it."""
        if not clarification_id:
            return False
        issue = parse_clarification_id(clarification_id)[1]
        return issue in self.closed or any(f" {clarification_id}:" in one for one in self.damaged)
