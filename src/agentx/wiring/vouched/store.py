"""A store of observations that gives what speaks for a person only as far as it is borne out.

It keeps in the same store, and notes on record what a person has kept and takes away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from agentx.host.files.plain import is_folder
from agentx.kernel.errors import AgentXError
from agentx.kernel.roles import PERSON_ROLE
from agentx.observations.ids import ID_PREFIX
from agentx.observations.limits import OBSERVATION_SEARCH_LIMIT
from agentx.observations.model import (
    Category,
    CompactionResult,
    Dropped,
    Marking,
    Observation,
    ObservationIndex,
    SearchFilters,
    StoreFault,
    StoreStats,
)
from agentx.observations.port import ObservationStore
from agentx.project.project import Project
from agentx.wiring.vouched.drops import OF_PERSON, VouchedDrops
from agentx.wiring.vouched.judged import (
    is_judged,
    may_be_persons,
    may_name_question,
    names_question,
    put_back,
)
from agentx.wiring.vouched.judging import Judging
from agentx.wiring.vouched.outcomes import UNVERIFIED, find_question
from agentx.wiring.vouched.persons_record import PersonsRecord
from agentx.wiring.vouched.persons_words import PersonsWords
from agentx.wiring.vouched.taken_away import TakenAway

if TYPE_CHECKING:
    from agentx.wiring.vouched.witness import Witness


# Asked before anything narrower of the kind, which most projects have nothing of.
_OF_PERSONS = SearchFilters(agent=PERSON_ROLE)


class VouchedStore(ObservationStore):
    """An `ObservationStore` over another one."""

    def __init__(self, store: ObservationStore, project: Project) -> None:
        self.plain = store
        self.record = PersonsRecord(project)
        self._drops = VouchedDrops(store, self.record)
        self.words = PersonsWords(project)
        self.taken_away = TakenAway(project)
        self._project = project
        self._judging = Judging(store, project, self.record)

    @property
    def witness(self) -> Witness:
        """What bears memories out."""
        return self._judging.witness

    # --- what is read -------------------------------------------------------------------------

    def get_by_issue(self, issue_number: int) -> tuple[Observation, ...]:
        """Return the observations of an issue, oldest first."""
        return self._judging.judge(self.plain.get_by_issue(issue_number))

    def get_by_ids(self, observation_ids: Iterable[str]) -> tuple[Observation, ...]:
        """Return those that are there, in the order asked for; a question is none."""
        ids = [each for each in observation_ids if each.startswith(ID_PREFIX)]
        return self._judging.judge(self.plain.get_by_ids(ids))

    def search(
        self, query: str, limit: int = OBSERVATION_SEARCH_LIMIT
    ) -> tuple[ObservationIndex, ...]:
        """Return what fits the words best, best first."""
        return self._judging.judge_rows(self.plain.search(query, limit))

    def search_by_filters(self, filters: SearchFilters) -> tuple[ObservationIndex, ...]:
        """Return what passes every filter, newest first.

        Of two issues that had one number each has its own: what was asked of one goes with it.
        """
        wanted = filters.issue_number
        if wanted is None or not any(map(is_folder, self._project.asked)):
            return self._search(filters)
        here = [row for row in self._search(filters) if row.issue_number == wanted]
        if filters.category not in (None, Category.DECISION):
            return tuple(here)
        wide = replace(filters, issue_number=None, category=Category.DECISION, limit=None)
        others = (row for row in self.plain.search_by_filters(wide) if row.issue_number != wanted)
        asked = [row for row in others if may_name_question(row)]
        judged = self._judging.judge_rows(self._list_coming(asked, wanted))
        come = [row for row in judged if row.issue_number == wanted]
        come = [row for row in come if filters.superseded in (None, bool(row.superseded_by))]
        found = sorted((*here, *come), key=lambda row: (row.timestamp_ms, row.id), reverse=True)
        return tuple(found[: filters.limit])

    def _list_coming(
        self, rows: Sequence[ObservationIndex], wanted: int
    ) -> tuple[ObservationIndex, ...]:
        """Return rows of which the question may be of an issue that has another number now."""
        self._judging.look_again()
        found = self.plain.get_by_ids(row.id for row in rows)
        self._judging.prepare(found)
        asked = (one for one in found if not self._judging.is_borne_out(one))
        coming = {one.id for one in asked if self.witness.may_be_of(one, wanted)}
        return tuple(row for row in rows if row.id in coming)

    def _search(self, filters: SearchFilters) -> tuple[ObservationIndex, ...]:
        if filters.superseded is None and not filters.agent:
            return self._judging.judge_rows(self.plain.search_by_filters(filters))
        # What is withheld, or nobody's, is so only here: all of it is looked at.
        found = self.plain.search_by_filters(filters)
        newest: Sequence[ObservationIndex] = found
        if self.plain.search_by_filters(_OF_PERSONS):
            wide = replace(filters, superseded=None, agent=PERSON_ROLE, limit=None)
            rows = {row.id: row for row in (*found, *self.plain.search_by_filters(wide))}
            newest = sorted(rows.values(), key=lambda row: (row.timestamp_ms, row.id), reverse=True)
        passing = (
            row
            for row in self._judging.judge_in_turn(newest)
            if filters.superseded in (None, bool(row.superseded_by))
            and filters.agent in ("", row.agent)
        )
        return tuple(islice(passing, filters.limit))

    def is_borne_out(self, one: Observation) -> bool:
        """Tell whether a memory is known to be told as it lies, as of its own issue."""
        return self._judging.is_borne_out(one)

    def list_unverified(self) -> tuple[Observation, ...]:
        """Return what claims a person and nothing bears out."""
        rows = self.plain.search_by_filters(SearchFilters())
        found = self.get_by_ids(row.id for row in rows if may_be_persons(row))
        return tuple(one for one in found if one.agent == UNVERIFIED)

    def list_lost(self) -> frozenset[str]:
        """Return the questions of which memory lost, or has in other words, what was kept."""
        return frozenset(self._find_lost().values())

    def is_taken_away(self, observation_id: str) -> bool:
        """Tell whether a person took the memory of this id away."""
        noted = self.drops.read().dropped.get(observation_id)
        known = self.record.known.get(observation_id)
        is_noted = noted is not None and not noted.is_returning
        return is_noted or (known is not None and known.is_gone)

    def note_found(self, question: str) -> None:
        """Note that what was lost of a question is kept anew.

        Raises: UnavailableError, LockHeld.
        """
        gone = [name for name, of in self._find_lost().items() if of == question]
        self.record.note_gone(gone)

    def _find_lost(self) -> dict[str, str]:
        self.record.look_again()
        known = self.record.known.items()
        kept = {name: one.of for name, one in known if one.of and not one.is_gone}
        there = {one.id for one in self.plain.get_by_ids(kept) if self.record.bears_out(one)}
        return {name: of for name, of in kept.items() if name not in there}

    def list_missing(self) -> tuple[str, ...]:
        """Return what people told memory themselves and is not there as they had it kept."""
        self.record.look_again()
        known = self.record.known.items()
        worded = {name for name, one in known if one.of} - {*self.words.lacks(self.record.known)}
        kept = [name for name, one in known if not one.is_gone and (name in worded or not one.of)]
        there = {one.id for one in self.plain.get_by_ids(kept) if self.record.bears_out(one)}
        return tuple(name for name in kept if name not in there)

    def keep_words(self) -> None:
        """Keep the words of what people had kept before words were.

        Raises: LockHeld, UnavailableError.
        """
        rows = self.plain.search_by_filters(SearchFilters(agent=PERSON_ROLE))
        unworded = self.words.lacks(row.id for row in rows if row.id in self.record.known)
        found = self.plain.get_by_ids(unworded)
        self.words.keep(one for one in found if self.record.bears_out(one))

    def leave_away(self, ids: Iterable[str]) -> None:
        """Note that a person has what they told memory no more, and keep none of its words.

        Raises: LockHeld, UnavailableError.
        """
        gone = tuple(ids)
        self.record.note_gone(gone)
        self.words.take_away(gone)

    def bring_back_said(self, name: str) -> bool:
        """Put what a person told memory in its place again; tell whether its words are known.

        Raises: LockHeld, UnavailableError.
        """
        said = self.words.find(name)
        if said is None or said.id != name or not self.record.bears_out(said):
            return False
        self._judging.expect_news()
        there = self.plain.get_by_id(name)
        if there is not None:  # in other words, or of somebody else
            self.plain.forget((name,))
            said = replace(
                said,
                superseded_by=there.superseded_by,
                changed_files=there.changed_files,
                pinned=there.pinned,
                reviewed=there.reviewed,
                repeats=there.repeats,
            )
        self.plain.store((said,))
        return True

    # --- what is written ----------------------------------------------------------------------

    def store(self, observations: Sequence[Observation]) -> None:
        """Keep observations; what a person has kept is on record before.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        self._judging.expect_news()
        said = [one for one in observations if one.agent == PERSON_ROLE]
        if said:
            self.begin_record()
            self.record.keep(said)
        try:
            self.plain.store(observations)
        except AgentXError:
            # Nobody has it kept. What a question came to is kept by whoever looks next, and may
            # have been just now, by somebody else: it was not taken away.
            self.record.note_gone(one.id for one in said if not find_question(one))
            raise
        self.words.keep(said)

    def begin_record(self) -> None:
        """Begin the record of what people had kept, where none is begun.

        Raises: LockHeld, UnavailableError.
        """
        self.record.begin(self._list_persons, self._list_dropped)

    def _list_dropped(self) -> Iterable[Dropped]:
        return self.drops.read().dropped.values()

    def _list_persons(self) -> Iterator[Observation]:
        rows = self.plain.search_by_filters(SearchFilters(agent=PERSON_ROLE))
        yield from self.plain.get_by_ids(row.id for row in rows)
        yield from (one for one in self.plain.archive() if one.agent == PERSON_ROLE)

    def amend(self, observations: Sequence[Observation]) -> None:
        """Write anew what is known about stored observations, but not how they were judged."""
        self._judging.expect_news()
        judged = [one.id for one in observations if is_judged(one)]
        plain = {one.id: one for one in self.plain.get_by_ids(judged)}
        self.plain.amend([put_back(one, plain.get(one.id)) for one in observations])

    def mark(self, markings: Sequence[Marking]) -> tuple[Observation, ...]:
        """Write what a person said of stored observations; return these as they are now.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        worded = [each.id for each in markings if each.content is not None]
        borne_out = {one.id for one in self.get_by_ids(worded) if one.agent == PERSON_ROLE}
        written = {each.id for each in markings if each.content is not None and not each.cut}
        outcomes = self._find_outcomes(written)
        marked = self.plain.mark(markings)
        # What a person wrote anew stands in the place of what the question came to.
        self.taken_away.note(outcomes)
        self._judging.expect_news()
        said = [one for one in marked if one.agent == PERSON_ROLE and one.id in borne_out | written]
        if said:
            self.begin_record()
            self.record.keep(said)
        judged = self._judging.judge(marked)
        persons = {one.id for one in judged if one.agent == PERSON_ROLE}
        self.words.keep(one for one in marked if one.id in persons)
        return judged

    def put_away(self, observation_ids: Iterable[str]) -> None:
        """Put observations into the archive; who drops them has noted it before.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        self._judging.expect_news()
        self.plain.put_away(observation_ids)

    def note_dropped(self, observation_ids: Iterable[str], *, is_dropped: bool = True) -> None:
        """Note on record that a person drops observations, or wants them back.

        Raises: LockHeld, UnavailableError.
        """
        ids = tuple(observation_ids)
        if any(each.startswith(OF_PERSON) for each in ids):
            self.begin_record()
        self._note_gone(ids, is_gone=is_dropped, is_dropped=is_dropped)

    def bring_back(self, observation_ids: Iterable[str]) -> None:
        """Put originals from the archive into the store again.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        ids = tuple(observation_ids)
        self.plain.bring_back(ids)
        self._note_gone(ids, is_gone=False)

    def remove(self, observation_id: str) -> bool:
        """Take one away for good, with all it was merged from; tell whether it was there."""
        self._note_gone((observation_id,))
        return self.plain.remove(observation_id)

    def forget(self, observation_ids: Iterable[str]) -> tuple[str, ...]:
        """Take observations out of every file; return the ids that are gone."""
        ids = tuple(observation_ids)
        self._note_gone(ids)
        return self.plain.forget(ids)

    def _note_gone(
        self, ids: Iterable[str], *, is_gone: bool = True, is_dropped: bool = False
    ) -> None:
        self._judging.expect_news()
        known = tuple(ids)
        persons = [each for each in known if each.startswith(OF_PERSON)]
        outcomes = self._find_outcomes(known)
        if not is_gone:  # what lies in no file here stands in its ledger
            by_id = (self.witness.find_outcome_by_id(each) for each in known)
            outcomes += [each for each in by_id if each is not None]
        # First what counts in every checkout: who is killed then has it done by the next sync.
        self.taken_away.note(outcomes, is_gone=is_gone, is_dropped=is_dropped)
        if persons:
            self.record.note_gone(persons, is_gone=is_gone, is_dropped=is_dropped)
        if is_gone:
            self.words.take_away(persons)
        else:
            self.words.keep(self.plain.get_by_ids(persons))

    def _find_outcomes(self, ids: Iterable[str]) -> list[tuple[tuple[str, ...], Observation]]:
        """Return what questions came to, as memories have it, each with its question's uids."""
        known = [one for one in self.plain.get_by_ids(ids) if names_question(one.content)]
        self.witness.look_again()
        found = map(self.witness.find_outcome, known)
        return [outcome for outcome in found if outcome is not None]

    def settle(self) -> int:
        """Bring every file up to date with what was stored; return how many records moved."""
        self._judging.expect_news()
        return self.plain.settle()

    # --- what it hands on ---------------------------------------------------------------------

    @property
    def drops(self) -> VouchedDrops:
        """What a person dropped, as far as that is borne out."""
        return self._drops

    def list_by_category(self, category: Category) -> tuple[ObservationIndex, ...]:
        """Return everything of one category, newest first."""
        return self.search_by_filters(SearchFilters(category=category))

    def find_ids(self, short_id: str) -> tuple[str, ...]:
        """Return the ids that are named so for short."""
        return self.plain.find_ids(short_id)

    def count_standing(self) -> int:
        """Return how many observations nothing has replaced."""
        return self.plain.count_standing()

    def increment_recall_count(self, *observation_ids: str) -> None:
        """Count one recall of each, in one write."""
        self.plain.increment_recall_count(*observation_ids)

    def compact(self, issue_number: int, *, before_ms: int | None = None) -> CompactionResult:
        """Merge related observations of an issue that are older than `before_ms`."""
        return self.plain.compact(issue_number, before_ms=before_ms)

    def get_stats(self) -> StoreStats:
        """Count what is there."""
        return self.plain.get_stats()

    def issues(self) -> tuple[int, ...]:
        """Return the numbers of the issues that have observations."""
        return self.plain.issues()

    def get_archived(self, observation_id: str) -> Observation | None:
        """Return an original that was merged into another, or None."""
        is_one = observation_id.startswith(ID_PREFIX)
        found = self.plain.get_archived(observation_id) if is_one else None
        if found is None or not names_question(found.content):
            return found
        self._judging.look_again()
        return None if self.witness.is_forgotten(found) else found

    def archive(self) -> Iterator[Observation]:
        """Yield every original that was merged into another."""
        return self.plain.archive()

    def faults(self) -> tuple[StoreFault, ...]:
        """Say what had to be mended or stepped over since this store was opened."""
        return self.plain.faults()

    def close(self) -> None:
        """Let go of what is open."""
        self.plain.close()


def is_missing(store: ObservationStore, name: str) -> bool:
    """Tell whether a person had the memory of this id kept, and no file has it any more."""
    if not isinstance(store, VouchedStore) or not store.record.holds(name):
        return False
    return store.plain.get_by_id(name) is None


def tell_other_issue(store: ObservationStore, one: Observation, wanted: int | None = None) -> str:
    """Return of which issue a memory speaks, where that is not the one that its name says."""
    if not (isinstance(store, VouchedStore) and names_question(one.content)):
        return ""
    if (wanted and one.issue_number == wanted) or store.is_borne_out(one):
        return ""
    return store.witness.tell_issue(one)
