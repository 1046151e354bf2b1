"""From the events of an issue to its questions, whatever clones they come from.

Pure and total: any events in any order, however often, give the same rows. Events are taken by
their ids. Of two questions that wanted one number the earlier has it; the other gets another
(`naming`), and keeps its old name with its writer.

What an event may do that nobody vouches for says `vouching.doubts`, and what comes before and after
a person's word `vouching.sight`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from agentx.clarification.facts import Abandoned, Escalated, Fact, Retried, WentStale
from agentx.clarification.model import HUB, PERSON, Reason
from agentx.clarification.store.ledger_json import (
    ROW_FIELDS,
    DamagedLedger,
    Row,
    as_json,
    clarification_of,
    entry_json,
    entry_of,
)
from agentx.clarification.store.merging import bear_out, is_doubtful, is_kept
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
from agentx.clarification.store.told import ToldQuestion, is_told, list_beside, take_row
from agentx.clarification.store.vouching.anew import end_contests
from agentx.clarification.store.vouching.doubts import (
    EventDoubt,
    Rights,
    counts,
    doubt_fact,
    find_rights,
)
from agentx.clarification.store.vouching.forgetting import find_forgotten
from agentx.clarification.store.vouching.offshoots import Parted, part_threads
from agentx.clarification.store.vouching.sight import (
    ASKING,
    SeenLines,
    hear_about,
    is_about,
    is_word,
)
from agentx.clarification.summary import rename_options
from agentx.clarification.ways import FILE, FORGED, is_missed
from agentx.kernel.ids import clarification_id, each_once
from agentx.kernel.vouching.standing import Vouching

_CUT = (
    "what a person said here was said to lines that are gone: it does not count until they are back"
)
_FIXED = frozenset({"id", "uid", "formerly", "stem", "thread"})


@dataclass(slots=True)
class Folded:
    """What the events of an issue come to."""

    issue: int
    told: dict[str, ToldQuestion] = field(default_factory=dict)  # by uid
    beside: Row = field(default_factory=dict)
    strange: dict[str, Any] = field(default_factory=dict)  # rows that nobody understands
    last: str = ""
    numbers: Numbers = field(default_factory=Numbers)
    offshoots: dict[str, QuestionEvent] = field(default_factory=dict)  # what each begins with
    faults: list[str] = field(default_factory=list)
    forgotten: set[str] = field(default_factory=set)
    sight: SeenLines = field(default_factory=lambda: SeenLines(()))
    # Of each question what was put before a person's word that did not see it.
    unseen: set[tuple[str, str]] = field(default_factory=set)
    doubts: dict[str, EventDoubt] = field(default_factory=dict)  # by event

    def pages(self) -> dict[str, Row]:
        """Return the rows by their names, in order of their numbers."""
        shown = [told for told in self.told.values() if not told.is_gone]
        return {told.id: told.page() for told in sorted(shown, key=_by_number)}


def fold(issue: int, events: Iterable[QuestionEvent]) -> Folded:
    """Return what events come to."""
    found = tuple(events)
    sight = SeenLines(found)
    known = sorted(_choose(found, sight), key=lambda event: event.id)
    folded = Folded(issue, last=known[-1].id if known else "", sight=sight)
    births = _find_births(known, sight)
    folded.forgotten = find_forgotten(known)
    parted = part_threads(known, births, sight, folded.forgotten)
    numbers = give_numbers(births | _number_offshoots(parted, births), parted.events)
    folded.numbers, folded.offshoots = numbers, parted.offshoots
    births |= {
        uid: replace(births[event.question], question=uid, stem=event.question)
        for uid, event in parted.offshoots.items()
    }
    if parted.offshoots:
        folded.sight = SeenLines(parted.events, found)
    for event in _order(folded, parted.events, births):
        birth = births.get(event.question)
        if event.question == LEDGER:
            _edit_ledger(folded, event)
        elif birth is None:
            if event.kind is QuestionEventKind.NAMED:
                continue  # of an offshoot whose asker is not trusted here: it is told of its stem
            if event.is_birth:
                folded.doubts[event.id] = EventDoubt(
                    question=event.question, writer=event.writer, why=event.doubt
                )
            what = "it belongs to a question that is not here"
            folded.faults.append(f"{event.writer}.jsonl: {event.id}: {what}")
        elif event.question not in folded.forgotten and (
            has_words(event) or event.kind is QuestionEventKind.FORGOTTEN
        ):
            _tell(folded, birth, event)
    lines = {event.id: event for event in parted.events}
    for told in folded.told.values():
        told.name_entries()
        told.place_late(lines, folded.sight)
    end_contests(folded.told.values(), parted.events)
    return folded


def find_lines(events: Iterable[QuestionEvent], question: str) -> frozenset[str]:
    """Return which events a thread holds; they are those of it, or of the one it grew out of."""
    return frozenset(event.id for event in list_parted(events) if event.question == question)


def find_about(
    events: Iterable[QuestionEvent], questions: Container[str]
) -> tuple[QuestionEvent, ...]:
    """Return the events of some questions, and of those that they grew out of."""
    known = tuple(events)
    stems = {each.question for each in known if each.id in questions}  # of offshoots
    stems |= {each.question for each in known if each.question in questions}
    return tuple(event for event in known if event.question in stems)


def list_parted(events: Iterable[QuestionEvent]) -> list[QuestionEvent]:
    """Return events, each once and under the thread that it belongs to."""
    found = tuple(events)
    sight = SeenLines(found)
    known = sorted(_choose(found, sight), key=lambda event: event.id)
    return part_threads(known, _find_births(known, sight), sight).events


def _number_offshoots(parted: Parted, births: dict[str, QuestionEvent]) -> dict[str, QuestionEvent]:
    """Return what offshoots begin with, each wanting the number of the thread it was asked on."""
    return {
        uid: replace(
            event,
            question=uid,
            detail={**event.detail, "number": number_of(births[event.question])},
        )
        for uid, event in parted.offshoots.items()
    }


def _order(
    folded: Folded, events: list[QuestionEvent], births: dict[str, QuestionEvent]
) -> Iterator[QuestionEvent]:
    """Yield events, those of each question so that what a person had not seen follows the word."""
    by_question: dict[str, list[QuestionEvent]] = {}
    for event in events:
        by_question.setdefault(event.question, []).append(event)
    for question, known in by_question.items():
        birth = births.get(question)
        ordered, unseen = folded.sight.order(known, () if birth is None else (birth,))
        folded.unseen |= {(question, each) for each in unseen}
        yield from ordered


def _tell(folded: Folded, birth: QuestionEvent, event: QuestionEvent) -> None:
    """Let an event happen to its question, which begins with its birth, whatever ids say."""
    told = folded.told.get(birth.question)
    if told is None:
        told = folded.told[birth.question] = _begin(folded, birth)
        if not is_erased(birth):
            _happen(folded, told, birth)
            told.grow_from(birth.stem)
    if event.id != birth.id:
        _happen(folded, told, event)


def _happen(folded: Folded, told: ToldQuestion, event: QuestionEvent) -> None:
    told.is_doubted = event.standing is Vouching.FORGED or (
        (event.question, event.id) in folded.unseen
    )
    told.is_unaware = event.kind in ASKING and any(
        folded.sight.is_unaware(event, end) for end in told.list_ends()
    )
    _apply(folded.issue, told, event)
    if told.is_doubted:
        folded.doubts[event.id] = EventDoubt(
            question=event.question, writer=event.writer, why=event.doubt
        )
    if event.kind is QuestionEventKind.FORGOTTEN and told.is_gone:
        folded.forgotten.add(event.question)


def _choose(events: Iterable[QuestionEvent], sight: SeenLines) -> list[QuestionEvent]:
    """Return each id once; of two contents the one that is vouched for, or seen, or shortened."""
    turns: dict[tuple[bool, bool, bool], list[QuestionEvent]] = {}
    for event in events:
        is_signed = event.standing is Vouching.SIGNED
        turn = (not is_signed, not (is_signed or sight.covers(event)), not is_shortened(event))
        turns.setdefault(turn, []).append(event)
    chosen: dict[str, QuestionEvent] = {}
    for turn in sorted(turns):
        for event in each_once(turns[turn]):
            chosen.setdefault(event.id, event)
    return list(chosen.values())


def _find_births(known: list[QuestionEvent], sight: SeenLines) -> dict[str, QuestionEvent]:
    """Return the event that each question begins with; nobody begins one that another opened."""
    births: dict[str, QuestionEvent] = {}
    for event in known:
        if event.is_birth and not _is_made_up(event):
            other = births.setdefault(event.question, event)
            if other is not event and _rank_birth(event, sight) < _rank_birth(other, sight):
                births[event.question] = event
    return births


def _is_made_up(birth: QuestionEvent) -> bool:
    """Tell whether a question is put in the name of a person, or of AgentX itself, by hand."""
    row = birth.detail.get("row", birth.detail)
    return row.get("from") in (PERSON, HUB) and not birth.is_vouched


def _rank_birth(event: QuestionEvent, sight: SeenLines) -> tuple[bool, bool, bool]:
    is_vouched = event.is_vouched
    is_opened = event.kind is QuestionEventKind.OPENED
    return not is_vouched, not (is_vouched or sight.covers(event)), not is_opened


def _begin(folded: Folded, birth: QuestionEvent) -> ToldQuestion:
    given, wanted = folded.numbers.given, number_of(birth)
    number, asked = given[birth.question], folded.offshoots.get(birth.question, birth)
    if birth.stem:  # it was asked on a thread that has its number by now
        wanted = given[birth.stem]
    formerly = f"{clarification_id(folded.issue, wanted)}@{asked.writer}"
    return ToldQuestion(
        uid=birth.question,
        id=clarification_id(folded.issue, number),
        formerly=formerly if wanted != number else "",
    )


def _by_number(told: ToldQuestion) -> int:
    return int(told.id.rpartition("-")[2])


# --- one event ------------------------------------------------------------------------------


def _apply(issue: int, told: ToldQuestion, event: QuestionEvent) -> None:
    match event.kind:
        case QuestionEventKind.OPENED:
            if told.state is None:
                number = _by_number(told)
                told.state = replace(opening_of(event, issue, number), formerly=told.formerly)
                told.hear(fact_of(event), event.id)
        case QuestionEventKind.TAKEN:
            for name, said in take_row(issue, told, event):
                _say(told, event, said, name)
        case QuestionEventKind.EDITED:
            _edit(issue, told, event, find_rights(told.state, event))
        case QuestionEventKind.ODD:
            told.keep_strange(event.id, event.detail["entry"])
        case QuestionEventKind.REMOVED if "entries" in event.detail:
            _remove_entries(told, event, find_rights(told.state, event))
        case QuestionEventKind.REMOVED | QuestionEventKind.FORGOTTEN:
            may = find_rights(told.state, event).removes
            told.is_gone |= may
            told.is_doubted |= not may
        case _:
            fact = fact_of(event)
            if isinstance(fact, Escalated):  # it names the question as it was called then
                fact = replace(fact, text=rename_options(fact.text, told.id))
            _say(told, event, fact, event.id, event.detail.get("beside"))
    if told.state is not None:
        told.statuses.add(str(told.state.status))


def _say(
    told: ToldQuestion,
    event: QuestionEvent,
    fact: Fact,
    name: str,
    beside: object = None,
) -> None:
    """Let something happen, as far as an event may say so; what may not count is kept."""
    state, rights = told.state, find_rights(told.state, event)
    if state is None:
        return
    if isinstance(fact, WentStale | Retried | Abandoned):
        may = rights.removes if isinstance(fact, Abandoned) else rights.steps
        told.is_doubted |= not may
        if may:
            told.hear(fact, name)
        return
    if event.detail.get("via") == FILE and not beside and is_told(state, fact):
        return  # it was found in a view where its own line was not
    fact = doubt_fact(fact, event, state)
    if is_word(fact) and event.is_vouched and not is_about(state, event.detail):
        told.is_doubted = True
        told.keep(fact, FORGED, name)
        # Somebody took lines away: nobody goes on by what the person had said before.
        told.hear(Escalated(at_ms=fact.at_ms, reason=Reason.MANUAL, body=_CUT), name)
    elif counts(fact, event, rights):
        told.is_doubted |= is_doubtful(fact)
        if is_word(fact):
            told.state = hear_about(state, event.detail)
        told.hear(fact, name, beside)
    elif is_missed(event.doubt) and (sure := bear_out(state, event.doubt, fact.body)) != state:
        told.state = sure  # somebody read it, too, whose word counts
    elif not (is_missed(event.doubt) and is_kept(state, event.doubt)):
        told.is_doubted = True
        told.keep(fact, event.doubt, name, beside)


def _edit(issue: int, told: ToldQuestion, event: QuestionEvent, rights: Rights) -> None:
    for name, value in event.detail.get("fields", {}).items():
        if name in ROW_FIELDS and not _may_set(told, event, rights, name, value):
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
            if new and not rights.changes:
                told.is_doubted, new = True, {}
            row = {**entry_json(thread[at]), **told.said[at], **list_beside(changed), **new}
            row = {name: value for name, value in row.items() if value is not None}
            try:
                mended = entry_of(row, told.id)
            except DamagedLedger:
                continue
            thread[at], told.said[at] = mended, list_beside(row)
    told.state = replace(state, thread=tuple(thread))


def _may_set(
    told: ToldQuestion, event: QuestionEvent, rights: Rights, name: str, value: object
) -> bool:
    """Tell whether an event may say a field of ours; nobody makes a person the asker by hand."""
    is_made_up = name == "from" and value in (PERSON, HUB) and not event.is_vouched
    state = told.state
    is_same = state is not None and as_json(state).get(name) == value
    return is_same or (rights.changes and not is_made_up)


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


def _remove_entries(told: ToldQuestion, event: QuestionEvent, rights: Rights) -> None:
    names = event.detail["entries"]
    told.strange = {name: row for name, row in told.strange.items() if name not in names}
    if told.state is None:
        return
    if not rights.changes:
        told.is_doubted |= any(name in names for name in told.heard)
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
