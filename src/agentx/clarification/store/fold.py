"""From the events of an issue to its questions, whatever clones they come from.

Pure and total: any events in any order, however often, give the same rows. Events are taken by
their ids. Of two questions that wanted one number the earlier has it; the other gets another
(`naming`), and keeps its old name with its writer.

An event that nobody vouches for may say what a role says. What it says that a person said is a
claim, and what a person has to decide or has decided it neither settles, changes nor takes away.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from agentx.clarification.model import (
    FORGED,
    PERSON,
    Answered,
    Escalated,
    Fact,
    Resolved,
    Vouching,
)
from agentx.clarification.store.ledger_json import (
    ROW_FIELDS,
    DamagedLedger,
    Row,
    as_json,
    clarification_of,
    entry_json,
    entry_of,
)
from agentx.clarification.store.naming.numbers import Numbers, give_numbers
from agentx.clarification.store.question_events import (
    LEDGER,
    QuestionEvent,
    QuestionEventKind,
    fact_of,
    has_words,
    is_erased,
    number_of,
    opening_of,
)
from agentx.clarification.store.shortening import is_shortened
from agentx.clarification.store.told import ToldQuestion, list_beside, take_row
from agentx.clarification.store.vouching.doubts import (
    STATUS_FIELDS,
    WORD_FIELDS,
    EventDoubt,
    doubt_fact,
    has_spoken,
    is_persons,
)
from agentx.clarification.store.vouching.sight import is_about, order_by_sight
from agentx.kernel.ids import clarification_id, each_once

_FIXED = frozenset({"id", "uid", "formerly", "thread"})


@dataclass(slots=True)
class Folded:
    """What the events of an issue come to."""

    issue: int
    told: dict[str, ToldQuestion] = field(default_factory=dict)  # by uid
    beside: Row = field(default_factory=dict)
    strange: dict[str, Any] = field(default_factory=dict)  # rows that nobody understands
    last: str = ""
    numbers: Numbers = field(default_factory=Numbers)
    faults: list[str] = field(default_factory=list)
    forgotten: set[str] = field(default_factory=set)
    unseen: frozenset[str] = frozenset()  # put before a person's word that did not see them
    doubts: dict[str, EventDoubt] = field(default_factory=dict)  # by event

    def pages(self) -> dict[str, Row]:
        """Return the rows by their names, in order of their numbers."""
        shown = [told for told in self.told.values() if not told.is_gone]
        return {told.id: told.page() for told in sorted(shown, key=_by_number)}


def fold(issue: int, events: Iterable[QuestionEvent]) -> Folded:
    """Return what events come to."""
    known = sorted(_choose(events), key=lambda event: event.id)
    folded = Folded(issue, last=known[-1].id if known else "")
    known, folded.unseen = order_by_sight(known)
    births = _find_births(known)
    numbers = give_numbers(births, known)
    folded.numbers = numbers
    folded.forgotten = {
        event.question
        for event in known
        if event.kind is QuestionEventKind.FORGOTTEN and event.standing is Vouching.SIGNED
    }
    for event in known:
        birth = births.get(event.question)
        if event.question == LEDGER:
            _edit_ledger(folded, event)
        elif birth is None:
            what = "it belongs to a question that is not here"
            folded.faults.append(f"{event.writer}.jsonl: {event.id}: {what}")
        elif event.question not in folded.forgotten and (
            has_words(event) or event.kind is QuestionEventKind.FORGOTTEN
        ):
            _tell(folded, birth, numbers.given[event.question], event)
    return folded


def _tell(folded: Folded, birth: QuestionEvent, number: int, event: QuestionEvent) -> None:
    """Let an event happen to its question, which begins with its birth, whatever ids say."""
    told = folded.told.get(birth.question)
    if told is None:
        told = folded.told[birth.question] = _begin(folded.issue, birth, number)
        if not is_erased(birth):
            _happen(folded, told, birth, number_of(birth))
    if event is not birth:
        _happen(folded, told, event, number_of(birth))


def _happen(folded: Folded, told: ToldQuestion, event: QuestionEvent, wanted: int) -> None:
    told.is_doubted = event.standing is Vouching.FORGED or event.id in folded.unseen
    _apply(folded.issue, told, event, wanted)
    if told.is_doubted:
        folded.doubts[event.id] = EventDoubt(
            question=event.question, writer=event.writer, why=event.doubt
        )
    if event.kind is QuestionEventKind.FORGOTTEN and told.is_gone:
        folded.forgotten.add(event.question)


def _choose(events: Iterable[QuestionEvent]) -> list[QuestionEvent]:
    """Return each id once; of two contents the one that is vouched for, and was shortened."""
    turns: dict[tuple[bool, bool], list[QuestionEvent]] = {}
    for event in events:
        turn = (event.standing is not Vouching.SIGNED, not is_shortened(event))
        turns.setdefault(turn, []).append(event)
    chosen: dict[str, QuestionEvent] = {}
    for turn in sorted(turns):
        for event in each_once(turns[turn]):
            chosen.setdefault(event.id, event)
    return list(chosen.values())


def _find_births(known: list[QuestionEvent]) -> dict[str, QuestionEvent]:
    """Return the event that each question begins with; nobody begins one that another opened."""
    births: dict[str, QuestionEvent] = {}
    turns: dict[str, tuple[bool, bool]] = {}
    for event in known:
        turn = (event.kind is not QuestionEventKind.OPENED, event.standing is not Vouching.SIGNED)
        if event.is_birth and (event.question not in births or turn < turns[event.question]):
            births[event.question], turns[event.question] = event, turn
    return births


def _begin(issue: int, birth: QuestionEvent, number: int) -> ToldQuestion:
    wanted = number_of(birth)
    formerly = f"{clarification_id(issue, wanted)}@{birth.writer}" if wanted != number else ""
    return ToldQuestion(uid=birth.question, id=clarification_id(issue, number), formerly=formerly)


def _by_number(told: ToldQuestion) -> int:
    return int(told.id.rpartition("-")[2])


# --- one event ------------------------------------------------------------------------------


def _apply(issue: int, told: ToldQuestion, event: QuestionEvent, wanted: int) -> None:
    is_kept_out = told.state is not None and not event.is_vouched and is_persons(told.state)
    told.is_vouched &= event.is_vouched
    match event.kind:
        case QuestionEventKind.OPENED:
            if told.state is None:
                number = _by_number(told)
                told.state = replace(opening_of(event, issue, number), formerly=told.formerly)
                told.hear(fact_of(event), event.id)
        case QuestionEventKind.TAKEN:
            take_row(issue, told, event)
        case QuestionEventKind.EDITED:
            _edit(issue, told, event, is_kept_out=is_kept_out)
        case QuestionEventKind.ODD:
            told.keep_strange(event.id, event.detail["entry"])
        case QuestionEventKind.REMOVED if not (is_kept_out and "entries" not in event.detail):
            _remove(told, event)
        case QuestionEventKind.FORGOTTEN if not is_kept_out:
            told.is_gone = True
        case QuestionEventKind.REMOVED | QuestionEventKind.FORGOTTEN:
            told.is_doubted = True
        case QuestionEventKind.ABANDONED if is_kept_out:
            told.is_doubted = True
        case _:
            fact = _doubt(told, event)
            # No role says what a person is to say, and nobody vouches for who said it.
            told.is_doubted |= is_kept_out and isinstance(fact, Answered | Resolved)
            if isinstance(fact, Escalated):  # it names the question as it was called then
                was = clarification_id(issue, wanted)
                fact = replace(fact, text=fact.text.replace(was, told.id))
            told.hear(fact, event.id, event.detail.get("beside"))
    if told.state is not None:
        told.statuses.add(str(told.state.status))


def _doubt(told: ToldQuestion, event: QuestionEvent) -> Fact:
    """Return what is said with what is doubtful about who said it."""
    fact, is_doubted = doubt_fact(fact_of(event), event)
    told.is_doubted |= is_doubted
    if (
        isinstance(fact, Answered | Resolved)
        and fact.by == PERSON
        and told.state is not None
        and not (told.is_vouched or is_about(told.state, event.detail))
    ):
        told.is_doubted = True
        return replace(fact, via=FORGED)
    return fact


def _edit(issue: int, told: ToldQuestion, event: QuestionEvent, *, is_kept_out: bool) -> None:
    is_worded = is_kept_out or _is_worded(told, event)
    kept = (STATUS_FIELDS if is_kept_out else frozenset()) | (
        WORD_FIELDS if is_worded else frozenset()
    )
    for name, value in event.detail.get("fields", {}).items():
        if name in kept:
            told.is_doubted = True
        else:
            _set_field(issue, told, name, value)
    state = told.state
    if state is None:
        return
    thread = list(state.thread)
    for known, changed in event.detail.get("words", {}).items():
        if known in told.heard:
            at = told.heard.index(known)
            new = {"body": changed["body"]} if "body" in changed else {}
            if new and is_worded:
                told.is_doubted, new = True, {}
            row = {**entry_json(thread[at]), **told.said[at], **list_beside(changed), **new}
            row = {name: value for name, value in row.items() if value is not None}
            try:
                mended = entry_of(row, told.id)
            except DamagedLedger:
                continue
            thread[at], told.said[at] = mended, list_beside(row)
    told.state = replace(state, thread=tuple(thread))


def _is_worded(told: ToldQuestion, event: QuestionEvent) -> bool:
    """Tell whether a person goes by the words as they are, and nobody vouches for an event."""
    state = told.state
    return not event.is_vouched and state is not None and (is_persons(state) or has_spoken(state))


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
    is_worded = _is_worded(told, event)
    kept = []
    for at, name in enumerate(told.heard):
        if name not in names:
            kept.append(at)
        elif is_worded:
            told.is_doubted = True
            kept.append(at)
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
