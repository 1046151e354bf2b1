"""What a person's word covers: the topic and the thread as they saw it.

A person's answer or decision carries, under its signature, what they saw, as digests: the topic and
the questions (`about`), and what roles answered and why a person was called (`seen`).

- A line that nobody vouches for, that stands before the word by its id and was not seen, comes
  after it: it was put in between, or another clone's.
- Where the topic or the questions are not those that were seen, the word is a claim.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.clarification.model import (
    PERSON,
    Answered,
    Asked,
    Clarification,
    Entry,
    EntryType,
    Escalated,
    Fact,
    Resolved,
)
from agentx.clarification.store.ledger_json import Row
from agentx.clarification.store.question_events import (
    QuestionEvent,
    QuestionEventKind,
    fact_of,
    is_erased,
)
from agentx.clarification.store.shortening import cut_words
from agentx.kernel.ids import digest
from agentx.kernel.text import compile_late

_ABOUT, _SEEN = "about", "seen"
_NAME = compile_late(r"CLR-[0-9]+-[0-9]+(?:@[A-Za-z0-9_-]+)?")  # a number may move
_MAY_WAIT = frozenset(
    {QuestionEventKind.ASKED, QuestionEventKind.ANSWERED, QuestionEventKind.ESCALATED}
)


def bind(state: Clarification, fact: Fact) -> Row:
    """Return what a person's word is about, to be signed with it."""
    if not isinstance(fact, Answered | Resolved) or fact.by != PERSON:
        return {}
    seen = [each for entry in state.thread if _is_covered(entry) for each in _list_digests(entry)]
    return {_ABOUT: _list_hashes(state), _SEEN: list(dict.fromkeys(seen))}


def is_about(state: Clarification, detail: Row) -> bool:
    """Tell whether a question is what a person saw who said something; earlier words do not say."""
    seen = detail.get(_ABOUT)
    if not isinstance(seen, list) or not seen:
        return True
    now = _list_hashes(state)
    return seen[0] == now[0] and set(map(str, seen[1:])) == set(now[1:])


def order_by_sight(known: list[QuestionEvent]) -> tuple[list[QuestionEvent], frozenset[str]]:
    """Return events so that what nobody vouches for and a person had not seen follows their word.

    They come in the order of their ids. Returns which were moved, too.
    """
    typed: dict[str, list[QuestionEvent]] = {}
    moved: dict[str, list[QuestionEvent]] = {}  # by the word that they follow
    for event in known:
        if event.kind in _MAY_WAIT and not event.is_vouched and not is_erased(event):
            typed.setdefault(event.question, []).append(event)
        elif event.question in typed and (seen := _read_seen(event)) is not None:
            later = [each for each in typed[event.question] if not _is_seen(each, seen)]
            typed[event.question] = []
            moved[event.id] = later
    gone = frozenset(each.id for later in moved.values() for each in later)
    if not gone:
        return known, gone
    ordered: list[QuestionEvent] = []
    for event in known:
        if event.id not in gone:
            ordered += (event, *moved.get(event.id, ()))
    return ordered, gone


def _read_seen(event: QuestionEvent) -> frozenset[str] | None:
    """Return what a person saw whose word an event is; None for what is none, or does not say."""
    about, seen = event.detail.get(_ABOUT), event.detail.get(_SEEN)
    is_word = event.is_vouched and event.detail.get("by") == PERSON
    if not (is_word and isinstance(about, list) and isinstance(seen, list)):
        return None
    return frozenset(map(str, (*about, *seen)))


def _is_seen(event: QuestionEvent, seen: Iterable[str]) -> bool:
    fact = fact_of(event)
    match fact:
        case Asked():
            return _hash(fact.body) in seen
        case Answered():
            return _digest(EntryType.ANSWER, fact.by, fact.body) in seen
        case Escalated():
            return _digest(EntryType.ESCALATION, fact.by, fact.text or fact.body) in seen
        case _:
            return True


def _is_covered(entry: Entry) -> bool:
    is_role = entry.speaker != PERSON and entry.type is EntryType.ANSWER
    return is_role or entry.type is EntryType.ESCALATION


def _list_digests(entry: Entry) -> tuple[str, str]:
    """Return the digests of an entry, whole and as it is when its thread gets small."""
    whole, short = entry.body, cut_words(entry.type, entry.body)
    return (
        _digest(entry.type, entry.speaker, whole),
        _digest(entry.type, entry.speaker, short),
    )


def _list_hashes(state: Clarification) -> list[str]:
    asked = (entry.body for entry in state.entries(EntryType.QUESTION) if not entry.late)
    return [_hash(text) for text in (state.topic, *asked)]


def _hash(text: str) -> str:
    return digest(text, size=16).hex()


def _digest(kind: EntryType, speaker: str, text: str) -> str:
    return digest(str(kind), speaker, _NAME.sub("", text), size=16).hex()
