"""From the events of an issue to its questions, whatever clones they come from.

Pure and total: any events in any order, however often, give the same rows. Events are taken by
their ids. Of two questions that wanted one number the earlier has it; the other gets a number after
all that were wanted, and keeps its old name with its writer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from agentx.clarification.merging import hear
from agentx.clarification.model import (
    FILE,
    PERSON,
    Answered,
    Asked,
    Clarification,
    Entry,
    EntryType,
    Escalated,
    Fact,
    Reason,
    Resolved,
)
from agentx.clarification.store.ledger_json import (
    ENTRY_FIELDS,
    ROW_FIELDS,
    DamagedLedger,
    Row,
    as_json,
    clarification_of,
    entry_json,
    entry_of,
)
from agentx.clarification.store.question_events import (
    LEDGER,
    QuestionEvent,
    QuestionEventKind,
    born_ms,
    fact_of,
    is_erased,
    number_of,
    opening_of,
)
from agentx.kernel.ids import clarification_id, each_once

_FIXED = frozenset({"id", "uid", "formerly", "thread"})


@dataclass(slots=True)
class ToldQuestion:
    """One question, as events tell it."""

    uid: str
    id: str
    formerly: str
    state: Clarification | None = None
    heard: list[str] = field(default_factory=list)  # the event of each entry of its thread
    said: list[Row] = field(default_factory=list)  # what others wrote beside its fields
    beside: Row = field(default_factory=dict)  # what others wrote beside ours
    unclear: Row = field(default_factory=dict)  # fields that nobody understands
    strange: dict[str, Row] = field(default_factory=dict)  # entries that nobody understands
    statuses: set[str] = field(default_factory=set)  # every one it had
    is_gone: bool = False

    def page(self) -> Row:
        """Return its row as the ledger shows it."""
        if self.state is None:
            return {**self.unclear, "id": self.id, "uid": self.uid}
        return page_row(self.state, self.beside, self.said, tuple(self.strange.values())) | dict(
            sorted(self.unclear.items())
        )


@dataclass(slots=True)
class Folded:
    """What the events of an issue come to."""

    issue: int
    told: dict[str, ToldQuestion] = field(default_factory=dict)  # by uid
    beside: Row = field(default_factory=dict)
    strange: dict[str, Any] = field(default_factory=dict)  # rows that nobody understands
    last: str = ""
    given: int = 0
    faults: list[str] = field(default_factory=list)

    def pages(self) -> dict[str, Row]:
        """Return the rows by their names, in order of their numbers."""
        shown = [told for told in self.told.values() if not told.is_gone]
        return {told.id: told.page() for told in sorted(shown, key=_by_number)}


def page_row(
    state: Clarification, beside: Row, said: list[Row], strange: tuple[Row, ...] = ()
) -> Row:
    """Return the row of a question, the same whichever way it was come by."""
    row = as_json(state) | dict(sorted(beside.items()))
    entries = zip(row["thread"], said, strict=True)
    row["thread"] = [entry | dict(sorted(more.items())) for entry, more in entries]
    row["thread"] += strange
    return row


def fold(issue: int, events: Iterable[QuestionEvent]) -> Folded:
    """Return what events come to."""
    known = sorted(each_once(events), key=lambda event: event.id)
    folded = Folded(issue, last=known[-1].id if known else "")
    births: dict[str, QuestionEvent] = {}
    for event in known:
        if event.is_birth:
            births.setdefault(event.question, event)
    numbers = _number(list(births.values()))
    folded.given = max(numbers.values(), default=0)
    forgotten = {event.question for event in known if event.kind is QuestionEventKind.FORGOTTEN}
    for event in known:
        if event.question == LEDGER:
            _edit_ledger(folded, event)
        elif event.question not in births:
            what = "it belongs to a question that is not here"
            folded.faults.append(f"{event.writer}.jsonl: {event.id}: {what}")
        elif event.question not in forgotten and not is_erased(event):
            told = folded.told.get(event.question)
            if told is None:
                birth = births[event.question]
                told = _begin(issue, birth, numbers[event.question])
                folded.told[event.question] = told
            _apply(issue, told, event, number_of(births[event.question]))
    return folded


def _number(births: list[QuestionEvent]) -> dict[str, int]:
    """Return the number of each question; none depends on the order the files arrive in."""
    given: dict[int, str] = {}
    births = sorted(births, key=lambda event: (born_ms(event), event.question))
    later = [
        birth.question
        for birth in births
        if given.setdefault(number_of(birth), birth.question) != birth.question
    ]
    numbers = {question: number for number, question in given.items()}
    highest = max(given, default=0)
    return numbers | {question: highest + turn for turn, question in enumerate(later, 1)}


def _begin(issue: int, birth: QuestionEvent, number: int) -> ToldQuestion:
    wanted = number_of(birth)
    formerly = f"{clarification_id(issue, wanted)}@{birth.writer}" if wanted != number else ""
    return ToldQuestion(uid=birth.question, id=clarification_id(issue, number), formerly=formerly)


def _by_number(told: ToldQuestion) -> int:
    return int(told.id.rpartition("-")[2])


# --- one event ------------------------------------------------------------------------------


def _apply(issue: int, told: ToldQuestion, event: QuestionEvent, wanted: int) -> None:
    match event.kind:
        case QuestionEventKind.OPENED:
            if told.state is None:
                number = _by_number(told)
                told.state = replace(opening_of(event, issue, number), formerly=told.formerly)
                _hear(told, fact_of(event), event.id)
        case QuestionEventKind.TAKEN:
            _take(issue, told, event)
        case QuestionEventKind.EDITED:
            _edit(issue, told, event)
        case QuestionEventKind.ODD:
            told.strange[event.id] = event.detail["entry"]
        case QuestionEventKind.REMOVED:
            _remove(told, event)
        case QuestionEventKind.FORGOTTEN:
            told.is_gone = True
        case _:
            fact = fact_of(event)
            if isinstance(fact, Escalated):  # it names the question as it was called then
                was = clarification_id(issue, wanted)
                fact = replace(fact, text=fact.text.replace(was, told.id))
            _hear(told, fact, event.id, event.detail.get("beside"))
    if told.state is not None:
        told.statuses.add(str(told.state.status))


def _hear(told: ToldQuestion, fact: Fact, event_id: str, beside: object = None) -> None:
    if told.state is None:
        return
    told.state = hear(told.state, fact)
    for _ in told.state.thread[len(told.heard) :]:
        told.heard.append(event_id)
        told.said.append(beside if isinstance(beside, dict) else {})


def _take(issue: int, told: ToldQuestion, event: QuestionEvent) -> None:
    """Take a whole row; of a question that is known, only what was said."""
    row = {**event.detail["row"], "id": told.id, "uid": told.uid, "formerly": told.formerly}
    entries = row.get("thread")
    entries = entries if isinstance(entries, list) else []
    if told.state is None:
        try:
            told.state = clarification_of(row, issue)
        except DamagedLedger:
            told.unclear = row
            return
        told.unclear = {}
        told.beside = {name: row[name] for name in row if name not in ROW_FIELDS}
    for turn, entry in enumerate(entries):
        name = f"{event.id}#{turn}"
        try:
            said = entry_of(entry, told.id)
        except DamagedLedger:
            if entry not in told.strange.values() and isinstance(entry, dict):
                told.strange[name] = entry
            continue
        if len(told.heard) < len(told.state.thread):  # of the row that was taken just now
            told.heard.append(name)
            told.said.append(_beside(entry))
        elif key_entry(said) not in map(key_entry, told.state.thread):
            _hear(told, fact_said(said, told.state.reason), name)


def _edit(issue: int, told: ToldQuestion, event: QuestionEvent) -> None:
    for name, value in event.detail.get("fields", {}).items():
        _set_field(issue, told, name, value)
    state = told.state
    if state is None:
        return
    thread = list(state.thread)
    for known, changed in event.detail.get("words", {}).items():
        if known in told.heard:
            at = told.heard.index(known)
            row = {**entry_json(thread[at]), **told.said[at], **changed}
            row = {name: value for name, value in row.items() if value is not None}
            try:
                mended = entry_of(row, told.id)
            except DamagedLedger:
                continue
            if mended.speaker == PERSON and mended.body != thread[at].body:
                mended = replace(mended, via=FILE)
            thread[at], told.said[at] = mended, _beside(row)
    told.state = replace(state, thread=tuple(thread))


def _set_field(issue: int, told: ToldQuestion, name: str, value: object) -> None:
    if name in _FIXED:
        return
    told.unclear.pop(name, None)
    if name not in ROW_FIELDS:
        told.beside.pop(name, None)
        if value is not None:
            told.beside[name] = value
        return
    row = (told.unclear if told.state is None else as_json(told.state)) | {name: value}
    if value is None and name not in {"resolvedAt", "reason"}:
        row.pop(name)
    try:
        told.state = clarification_of({**row, "id": told.id}, issue)
    except DamagedLedger:
        told.unclear = row if told.state is None else {**told.unclear, name: value}
        return
    if not told.heard:  # it could not be read before
        told.heard = [f"{told.uid}#{turn}" for turn in range(len(told.state.thread))]
        told.said = [{} for _ in told.heard]


def _remove(told: ToldQuestion, event: QuestionEvent) -> None:
    names = event.detail.get("entries")
    if names is None:
        told.is_gone = True
        return
    told.strange = {name: row for name, row in told.strange.items() if name not in names}
    if told.state is None:
        return
    kept = [at for at, name in enumerate(told.heard) if name not in names]
    told.state = replace(told.state, thread=tuple(told.state.thread[at] for at in kept))
    told.said = [told.said[at] for at in kept]
    told.heard = [told.heard[at] for at in kept]


def _edit_ledger(folded: Folded, event: QuestionEvent) -> None:
    if event.kind is QuestionEventKind.ODD:
        folded.strange[event.id] = event.detail["entry"].get("row")
    for name, value in event.detail.get("fields", {}).items():
        folded.beside.pop(name, None)
        if value is not None:
            folded.beside[name] = value


# --- entries --------------------------------------------------------------------------------


def key_entry(entry: Entry) -> tuple[object, ...]:
    """Return by what an entry is known again."""
    return entry.type, entry.speaker, entry.at_ms, entry.body


def fact_said(entry: Entry, reason: Reason | None) -> Fact:
    """Return the fact that an entry of somebody else's tells."""
    at_ms, by, body = entry.at_ms, entry.speaker, entry.body
    match entry.type:
        case EntryType.QUESTION:
            return Asked(at_ms=at_ms, by=by, body=body)
        case EntryType.ANSWER:
            return Answered(at_ms=at_ms, by=by, body=body, via=FILE)
        case EntryType.RESOLUTION:
            return Resolved(at_ms=at_ms, by=by, body=body, via=FILE)
        case EntryType.ESCALATION:
            return Escalated(at_ms=at_ms, reason=reason or Reason.MANUAL, by=by, text=body)


def _beside(entry: Row) -> Row:
    return {name: value for name, value in entry.items() if name not in ENTRY_FIELDS}
