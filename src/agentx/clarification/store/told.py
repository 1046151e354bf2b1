"""One question as events tell it, and rows that were taken from the ledger's file.

A row that stood in a file is nobody's word but the file's, whoever took it over and signed that:
roles' words count as specified. What it says that a person said is a claim, and how far a question
has come that a person is to decide is found out from what was said, not from what the row says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agentx.clarification.facts import Answered, Asked, Escalated, Fact, Resolved
from agentx.clarification.model import (
    HUB,
    PERSON,
    Clarification,
    ClarificationStatus,
    Entry,
    EntryType,
    Reason,
    read_question,
)
from agentx.clarification.store.ledger_json import (
    ENTRY_FIELDS,
    ROW_FIELDS,
    DamagedLedger,
    Row,
    as_json,
    clarification_of,
    entry_of,
)
from agentx.clarification.store.merging import hear, keep_late
from agentx.clarification.store.question_events import QuestionEvent
from agentx.clarification.store.vouching.doubts import Said
from agentx.clarification.store.vouching.sight import SeenLines
from agentx.clarification.summary import rename_options
from agentx.clarification.ways import FILE, is_missed, is_of_elsewhere, is_unverified_way
from agentx.kernel.roles import is_speaker

_SAID = frozenset({EntryType.ANSWER, EntryType.RESOLUTION})
_ENDS = {
    ClarificationStatus.RESOLVED: (EntryType.RESOLUTION, EntryType.ESCALATION),
    ClarificationStatus.ESCALATED: (EntryType.ESCALATION,),
}
_ASKING = frozenset({EntryType.QUESTION, EntryType.ESCALATION})
_PAST = frozenset({ClarificationStatus.ANSWERED, ClarificationStatus.RESOLVED})


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
    is_doubted: bool = False  # the event just applied would have had to be vouched for
    is_unaware: bool = False  # its writer had not seen that it was settled, or a person called

    def page(self) -> Row:
        """Return its row as the ledger shows it."""
        if self.state is None:
            return {**self.unclear, "id": self.id, "uid": self.uid}
        return page_row(self.state, self.beside, self.said, tuple(self.strange.values())) | dict(
            sorted(self.unclear.items())
        )

    def hear(self, fact: Fact, event_id: str, beside: object = None) -> None:
        """Let something be said."""
        if self.state is None:
            return
        self.state = hear(self.state, fact, is_unaware=self.is_unaware)
        self._name_new(event_id, beside)

    def keep(self, fact: Said, doubt: str, event_id: str, beside: object = None) -> None:
        """Keep what was said, though it changes nothing, with why it does not."""
        assert self.state is not None, "who says something says it of a question"
        late = keep_late(self.state, fact)
        *before, newest = late.thread
        self.state = replace(late, thread=(*before, replace(newest, via=doubt)))
        self._name_new(event_id, beside)

    def _name_new(self, event_id: str, beside: object) -> None:
        assert self.state is not None, "as above"
        for _ in self.state.thread[len(self.heard) :]:
            self.heard.append(event_id)
            self.said.append(list_beside(beside) if isinstance(beside, dict) else {})

    def grow_from(self, stem: str) -> None:
        """Say which thread it was asked on, where it is an offshoot."""
        if self.state is not None and stem:
            self.state = replace(self.state, stem=stem)

    def name_entries(self) -> None:
        """Say of each entry by which event it is known."""
        if self.state is not None:
            names = zip(self.state.thread, self.heard, strict=True)
            first = self.state.stem or self.uid
            thread = tuple(name_entry(entry, name, first) for entry, name in names)
            self.state = replace(self.state, thread=thread)

    def place_late(self, events: Mapping[str, QuestionEvent], sight: SeenLines) -> None:
        """Say of each person's word that came late to what it was said, where that is not the last.

        That is the last that its writer had seen.
        """
        if self.state is None or not any(map(_is_late_word, self.state.thread)):
            return
        thread, asked = list[Entry](), list[tuple[Entry, str]]()
        for entry, name in zip(self.state.thread, self.heard, strict=True):
            event = events.get(name) if _is_late_word(entry) else None
            seen = [] if event is None else [one for one in asked if sight.has_seen(event, one[1])]
            if seen and seen[-1] is not asked[-1]:
                meant = seen[-1][0]
                uid = meant.uid or self.state.stem or self.uid
                thread.append(replace(entry, to_asked=uid, round=meant.round))
                continue
            if not entry.late and read_question(entry):
                asked.append((entry, name))
            thread.append(entry)
        self.state = replace(self.state, thread=tuple(thread))

    def list_ends(self) -> Iterator[str]:
        """Yield the events that settled it, or called a person: an answer to a call decides."""
        if self.state is None:
            return
        said = tuple(zip(self.state.thread, self.heard, strict=True))
        for wanted in _ENDS.get(self.state.status, ()):
            names = [name for entry, name in said if entry.type is wanted and not entry.late]
            if names:
                yield names[-1].partition("#")[0]

    def keep_strange(self, name: str, entry: object) -> None:
        """Keep an entry that nobody understands; one that looks like a person's is doubtful."""
        if isinstance(entry, dict) and entry not in self.strange.values():
            self.strange[name] = entry
        speaker = entry.get("from") if isinstance(entry, dict) else None
        self.is_doubted |= isinstance(speaker, str) and not is_speaker(speaker)


def page_row(
    state: Clarification, beside: Row, said: list[Row], strange: tuple[Row, ...] = ()
) -> Row:
    """Return the row of a question, the same whichever way it was come by."""
    row = as_json(state) | dict(sorted(beside.items()))
    entries = zip(row["thread"], said, strict=True)
    row["thread"] = [entry | dict(sorted(more.items())) for entry, more in entries]
    row["thread"] += strange
    return row


def _is_late_word(entry: Entry) -> bool:
    return entry.late and entry.speaker == PERSON and entry.type in _SAID


# --- rows that were taken -------------------------------------------------------------------


def take_row(issue: int, told: ToldQuestion, event: QuestionEvent) -> Iterator[tuple[str, Said]]:
    """Take a whole row; yield what it says more of a question that is known, by name."""
    row = {**event.detail["row"], "id": told.id, "uid": told.uid, "formerly": told.formerly}
    entries = row.get("thread")
    entries = entries if isinstance(entries, list) else []
    if entries:
        entries = row["thread"] = [_rename_call(entry, told.id) for entry in entries]
    if isinstance(row.get("summary"), str):
        row["summary"] = rename_options(row["summary"], told.id)
    if told.state is None:
        try:
            taken = _reopen(clarification_of(row, issue))
        except DamagedLedger:
            told.unclear = row
            return
        told.state = _doubt_row(taken, event)
        told.is_doubted |= told.state != taken
        told.unclear = {}
        told.beside = {name: row[name] for name in row if name not in ROW_FIELDS}
    for turn, entry in enumerate(entries):
        name = f"{event.id}#{turn}"
        try:
            said = entry_of(entry, told.id)
        except DamagedLedger:
            told.keep_strange(name, entry)
            continue
        if len(told.heard) < len(told.state.thread):  # of the row that was taken just now
            told.heard.append(name)
            told.said.append(list_beside(entry))
        elif key_entry(said) not in map(key_entry, told.state.thread):
            yield name, fact_said(said, told.state.reason)


def _rename_call(entry: Any, name: str) -> Any:
    """Return an entry; one that calls a person with the name that the question has now."""
    if not isinstance(entry, dict) or entry.get("type") != EntryType.ESCALATION:
        return entry
    body = entry.get("body")
    return {**entry, "body": rename_options(body, name)} if isinstance(body, str) else entry


def _reopen(state: Clarification) -> Clarification:
    """Return a row that was taken; what a person is asked, an earlier version gave up."""
    if state.to != PERSON or state.status is not ClarificationStatus.ABANDONED:
        return state
    return replace(state, status=ClarificationStatus.PENDING, reason=None)


def _doubt_row(state: Clarification, event: QuestionEvent) -> Clarification:
    """Return a row that was taken, without what it says of a person where nobody vouches for it."""
    if event.is_vouched and not any(_is_claim(entry) for entry in state.thread):
        return state  # of an earlier version, taken over before anybody signed here
    thread = tuple(_doubt_entry(entry, event) for entry in state.thread)
    is_persons = state.to == PERSON or bool(state.entries(EntryType.ESCALATION))
    is_claimed = thread != state.thread
    state = replace(state, thread=thread)
    if state.status not in _PAST or not (is_claimed or is_persons):
        return state
    reached = replace(state, status=ClarificationStatus.PENDING, round=0, thread=(), summary="")
    for entry in thread:
        reached = hear(reached, fact_said(entry, state.reason))
    is_over = reached.status is ClarificationStatus.RESOLVED
    heard = zip(thread, reached.thread, strict=True)
    return replace(
        state,
        thread=tuple(replace(said, late=said.late or again.late) for said, again in heard),
        summary=reached.summary,
        status=reached.status,
        reason=state.reason if is_over else reached.reason,
        resolved_ms=state.resolved_ms if is_over else None,
    )


def _is_claim(entry: Entry) -> bool:
    is_persons = entry.speaker == PERSON and entry.type in _SAID
    return is_persons and is_unverified_way(entry.via)


def _doubt_entry(entry: Entry, event: QuestionEvent) -> Entry:
    if _is_claim(entry):  # what a file says was said on GitHub is the file's
        return replace(entry, late=True, via=FILE if is_missed(entry.via) else entry.via)
    if event.is_vouched or entry.type not in _SAID:
        return entry
    if entry.speaker == PERSON:
        return replace(entry, via=event.doubt, late=True)
    is_made_up = entry.speaker == HUB or is_of_elsewhere(entry.via)
    return replace(entry, via=event.doubt) if is_made_up else entry


# --- entries --------------------------------------------------------------------------------


def name_entry(entry: Entry, name: str, first: str) -> Entry:
    """Return an entry with what it is known by: the event that asks, or is a person's word.

    The first is known by its thread, and what stood in a row by its place.
    """
    is_known = entry.type in _ASKING or entry.is_persons_word
    uid = name if is_known and name != first and "#" not in name else ""
    return entry if entry.uid == uid else replace(entry, uid=uid)


def key_entry(entry: Entry) -> tuple[object, ...]:
    """Return by what an entry is known again."""
    return entry.type, entry.speaker, entry.at_ms, entry.body


def is_told(state: Clarification, said: Said) -> bool:
    """Tell whether a thread has just that: the same words, by the same, at the same time."""
    return any(_key_fact(fact_said(entry, None)) == _key_fact(said) for entry in state.thread)


def _key_fact(said: Said) -> tuple[object, ...]:
    body = said.text if isinstance(said, Escalated) else said.body
    return type(said), said.by, said.at_ms, body


def fact_said(entry: Entry, reason: Reason | None) -> Said:
    """Return the fact that an entry of somebody else's tells."""
    at_ms, by, body = entry.at_ms, entry.speaker, entry.body
    match entry.type:
        case EntryType.QUESTION:
            return Asked(at_ms=at_ms, by=by, body=body)
        case EntryType.ANSWER:
            return Answered(at_ms=at_ms, by=by, body=body, via=FILE, worth=entry.worth)
        case EntryType.RESOLUTION:
            return Resolved(at_ms=at_ms, by=by, body=body, via=FILE)
        case EntryType.ESCALATION:
            return Escalated(at_ms=at_ms, reason=reason or Reason.MANUAL, by=by, text=body)


def list_beside(entry: Row) -> Row:
    """Return what others wrote beside our fields of an entry."""
    return {name: value for name, value in entry.items() if name not in ENTRY_FIELDS}
