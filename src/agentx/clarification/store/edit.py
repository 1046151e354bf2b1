"""A ledger under its lock: what happens to its questions until the lock is given back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from agentx.clarification.facts import Answered, Asked, Fact
from agentx.clarification.model import Clarification, Entry, read_question
from agentx.clarification.protocol import evolve
from agentx.clarification.store.book import Book, Opener
from agentx.clarification.store.foreign import LedgerChange
from agentx.clarification.store.ledger_json import (
    ENTRY_FIELDS,
    ROW_FIELDS,
    DamagedLedger,
    Row,
    clarification_of,
    entry_of,
)
from agentx.clarification.store.merging import keep_late
from agentx.clarification.store.naming.names import Names, find_row
from agentx.clarification.store.naming.shown import name_for_good
from agentx.clarification.store.question_events import (
    QuestionEvent,
    QuestionEventKind,
    say_fact,
    say_opening,
)
from agentx.clarification.store.told import name_entry, page_row
from agentx.clarification.store.vouching.anew import keep_saying, list_said
from agentx.clarification.store.vouching.forgetting import AGED, KNOWN_AS
from agentx.clarification.store.vouching.sight import bind, is_bound, is_word
from agentx.clarification.watch.glance import is_settled
from agentx.kernel.errors import IllegalTransition
from agentx.kernel.ids import ClarificationId, clarification_id, parse_clarification_id
from agentx.kernel.text import fold_text
from agentx.prose.same.wording import key_topic


class LedgerEdit:
    """A ledger under its lock: look into it, let things happen, and leave.

    Only what is asked for is read: an issue may have had hundreds.
    """

    def __init__(
        self,
        book: Book,
        opener: Opener,
        given_before: Callable[[], int],
        list_moved: Callable[[], Names],
    ) -> None:
        self.book = book
        self.events: list[QuestionEvent] = []
        self.forgets: set[str] = set()
        self.is_told_elsewhere = False  # the rows do not tell all of what happened: events do
        self._opener = opener
        self._list_moved = list_moved
        self._number_last = book.made.given or given_before()

    def find(self, wanted: str) -> Clarification | None:
        """Return one clarification by its name, or by the one it had, or None.

        Raises: DamagedLedger when it cannot be read.
        """
        row = find_row(self.book.rows, self.book.made.names, wanted)
        if row is None:
            return None
        return name_for_good(clarification_of(row, self.book.issue), self._list_moved)

    def list_open(self, asker: str, to: str, topic: str) -> Iterator[Clarification]:
        """Yield what one agent asked of another on a topic and is not settled, the newest first."""
        wanted = fold_text(topic).casefold()
        for row in reversed(self.book.rows.values()):
            if (row.get("from"), row.get("to")) == (asker, to) and not is_settled(row):
                if fold_text(str(row.get("topic"))).casefold() != wanted:
                    continue
                with suppress(DamagedLedger):
                    state = clarification_of(row, self.book.issue)
                    yield name_for_good(state, self._list_moved)

    def next_id(self) -> ClarificationId:
        """Return an id that was never given."""
        return clarification_id(self.book.issue, self._number_last + 1)

    def open(self, state: Clarification, question: Asked) -> Clarification:
        """Keep a new question, once the block ends; return it with what it is known by."""
        number = parse_clarification_id(state.id)[2]
        event = self._say(
            LedgerChange("", QuestionEventKind.OPENED, say_opening(state, question, number))
        )
        self.events[-1] = replace(event, question=event.id)
        self._number_last = number
        after = replace(evolve(state, question), uid=event.id)
        self.book.rows[after.id] = page_row(after, {}, [{} for _ in after.thread])
        return after

    def record(self, state: Clarification, facts: Iterable[Fact]) -> Clarification:
        """Keep what happened to a clarification, once the block ends; return it as it is then.

        What others wrote beside our fields stays.
        """
        stem = state.stem or state.uid
        for fact in facts:
            elsewhere = self._list_elsewhere(state) if is_word(fact) else ()
            self.is_told_elsewhere |= bool(elsewhere)
            lines = (*self._list_lines(state), *elsewhere) if is_bound(fact) else ()
            about = bind(state, fact, lines) if is_bound(fact) else {}
            known = len(state.thread)
            state = evolve(state, fact)
            kind, detail = say_fact(fact, state)
            event = self._say(LedgerChange(stem, kind, {**detail, **about}))
            new = (name_entry(entry, event.id, stem) for entry in state.thread[known:])
            state = replace(state, thread=(*state.thread[:known], *new))
        return self._show(state)

    def keep_missed(
        self, state: Clarification, fact: Answered, to_asked: str = ""
    ) -> Clarification:
        """Keep what was said and changes nothing, once the block ends; return it with that.

        Who said it had not seen what was asked after `to_asked`.
        """
        unseen = _list_asked_after(state, to_asked)
        thread = tuple(each for each in state.thread if each not in unseen)
        names = {each.uid for each in unseen}
        lines = (line for line in self._list_lines(state) if line.id not in names)
        about = bind(replace(state, thread=thread), fact, lines)
        kind, detail = say_fact(fact, state)
        self.is_told_elsewhere = True  # it may have been brought before
        self._say(LedgerChange(state.stem or state.uid, kind, {**detail, **about}))
        return self._show(keep_late(state, fact))

    def _show(self, state: Clarification) -> Clarification:
        row = self.book.rows[state.id]
        said, strange = _split(row["thread"], state.id)
        said += [{} for _ in state.thread[len(said) :]]
        beside = {name: value for name, value in row.items() if name not in ROW_FIELDS}
        self.book.rows[state.id] = page_row(state, beside, said, strange)
        return name_for_good(state, self._list_moved)  # it may ask something else now

    def forget(self, wanted: str, *, is_aged: bool = False) -> tuple[str, ...] | None:
        """Take a question out of every file, once the block ends, and what shares its thread.

        Where it only `is_aged` memory keeps what it came to.

        Returns the agents that it was between; None where there is no such question.

        Raises: IllegalTransition while another one of its thread is open.
        """
        row = find_row(self.book.rows, self.book.made.names, wanted)
        if row is None:
            return None
        stem = row.get("stem") or row["uid"]
        family = self._list_family(stem)
        still = [each["id"] for each in family if each is not row and not is_settled(each)]
        if still:
            raise IllegalTransition(
                f"{row['id']} shares its thread with {', '.join(still)}, which waits still",
                hint=f"settle {still[0]} first: both are forgotten together",
            )
        said = next((_claim_of(each) for each in family if each.get("uid") == stem), {})
        if said:
            known = {number for each in family for number in _list_numbers(each)}
            said[KNOWN_AS] = sorted(known)
        self._say(
            LedgerChange(stem, QuestionEventKind.FORGOTTEN, {**said, **(AGED if is_aged else {})})
        )
        self.forgets.add(stem)
        for each in family:
            del self.book.rows[each["id"]]
        return tuple(str(row[name]) for name in ("from", "to") if name in row)

    def _list_family(self, stem: str) -> list[Row]:
        """Return the rows of a thread and of its offshoots."""
        return [row for row in self.book.rows.values() if stem in (row.get("uid"), row.get("stem"))]

    def _list_lines(self, state: Clarification) -> tuple[QuestionEvent, ...]:
        """Return every line of a question, whoever wrote it, and what happens to it just now."""
        stem = state.stem or state.uid
        is_parted = len(self._list_family(stem)) > 1
        kept = self._opener.list_lines(stem, state.uid if is_parted else "")
        return (*kept, *(event for event in self.events if event.question == stem))

    def _list_elsewhere(self, state: Clarification) -> tuple[QuestionEvent, ...]:
        """Return the lines that say, as a person, something to the same question elsewhere."""
        found: list[QuestionEvent] = []
        topic = key_topic(state.topic)
        for row in self.book.rows.values():
            if row.get("uid") != state.uid and key_topic(str(row.get("topic"))) == topic:
                with suppress(DamagedLedger):
                    other = clarification_of(row, self.book.issue)
                    if said := list_said(state, other):
                        stem = other.stem or other.uid
                        found += keep_saying(self._opener.list_lines(stem), said)
        return tuple(found)

    def say_numbers(self) -> None:
        """Keep the numbers that questions got where others had theirs, so that they stay."""
        for uid, number in self.book.made.unsaid.items():
            self._say(LedgerChange(uid, QuestionEventKind.NAMED, {"number": number}))
        self.book.made = replace(self.book.made, unsaid={})

    def _say(self, change: LedgerChange) -> QuestionEvent:
        last = self.events[-1].id if self.events else self.book.made.last
        self.events += self._opener.stamp(last, (change,))
        return self.events[-1]


def _list_asked_after(state: Clarification, first: str) -> list[Entry]:
    """Return what a thread asks after one question of it; nothing where that is not known."""
    asking = [each for each in state.thread if not each.late and read_question(each)]
    names = [each.uid or state.stem or state.uid for each in asking]
    return asking[names.index(first) + 1 :] if first in names else []


def _claim_of(row: Row) -> Row:
    """Return which number a question wanted, and when: it stays taken when that is forgotten."""
    created = row.get("created")
    if not isinstance(created, str):
        return {}
    return {"number": _list_numbers(row)[-1], "timestamp": created}


def _list_numbers(row: Row) -> list[int]:
    """Return by which numbers a question is known: the one that it wanted is the last."""
    names = (str(row["id"]), str(row.get("formerly") or "").partition("@")[0])
    return [parse_clarification_id(name)[2] for name in names if name]


def _split(thread: list[Row], where: str) -> tuple[list[Row], tuple[Row, ...]]:
    """Return what stands beside our fields of each entry, and the entries that cannot be read."""
    said, strange = [], []
    for entry in thread:
        try:
            entry_of(entry, where)
        except DamagedLedger:
            strange.append(entry)
            continue
        said.append({name: entry[name] for name in entry if name not in ENTRY_FIELDS})
    return said, tuple(strange)
