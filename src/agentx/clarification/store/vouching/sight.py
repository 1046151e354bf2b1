"""What a person's word covers: the topic and the thread as they saw it.

A person's answer or decision carries, under its signature, what they saw, as digests: the topic and
the questions (`about`), and every line there was of the question (`saw`). Whatever is said carries
the latter.

- A line that nobody vouches for and that was not seen comes after the word or the call, whatever
  its id says: it was put in between, or another clone's. But what somebody answered before a person
  was called was answered.
- A question that somebody vouches for, and that a person had not seen who said something, comes
  after the word, with all that was said to it: the word answers what they had seen. So it comes
  after the settlement of a role that had not seen what a person was asked.
- Of two lines with one id, and of two that begin a question, the one that was seen counts.
- Where the topic is another, or a question is missing that was seen, the word is a claim.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from agentx.clarification.facts import Answered, Asked, Escalated, Fact, Resolved
from agentx.clarification.model import PERSON, Clarification, EntryType, Reason
from agentx.clarification.store.ledger_json import Row
from agentx.clarification.store.question_events import (
    QuestionEvent,
    QuestionEventKind,
    line_of,
)
from agentx.clarification.store.shortening import shorten
from agentx.kernel.ids import digest

_ABOUT, _SAW = "about", "saw"
_WORDS = frozenset({QuestionEventKind.ANSWERED, QuestionEventKind.RESOLVED})
ASKING = frozenset({QuestionEventKind.ASKED, QuestionEventKind.ESCALATED})


def is_word(fact: Fact) -> bool:
    """Tell whether a fact is an answer or a decision of a person's."""
    return isinstance(fact, Answered | Resolved) and fact.by == PERSON


def is_bound(fact: Fact) -> bool:
    """Tell whether a fact is kept with what was seen then."""
    return isinstance(fact, Asked | Answered | Resolved | Escalated)


def bind(state: Clarification, fact: Fact, lines: Iterable[QuestionEvent]) -> Row:
    """Return what was seen when something is said, to be signed with it."""
    asked = (entry.body for entry in state.asked)
    about = {_ABOUT: [_hash(text) for text in (state.topic, *asked)]} if is_word(fact) else {}
    # A line is seen whole, and is cut to this once its thread is settled and gets small.
    seen = (sum_up(each) for line in lines for each in (line, shorten(line)))
    return {**about, _SAW: list(dict.fromkeys(seen))}


def is_about(state: Clarification, detail: Row) -> bool:
    """Tell whether a question is what a person saw who said something; earlier words do not say."""
    about = detail.get(_ABOUT)
    if not isinstance(about, list) or not about:
        return True
    asked = {_hash(entry.body) for entry in state.entries(EntryType.QUESTION)}
    return about[0] == _hash(state.topic) and asked.issuperset(map(str, about[1:]))


def hear_about(state: Clarification, detail: Row) -> Clarification:
    """Return a thread in which every question was put that a person saw who said something."""
    about = detail.get(_ABOUT)
    asked = set(map(str, about[1:])) if isinstance(about, list) else set()
    late = [entry for entry in state.entries(EntryType.QUESTION) if entry.late and not entry.doubt]
    put = [entry for entry in late if _hash(entry.body) in asked]
    if not put:
        return state
    thread = (replace(entry, late=False) if entry in put else entry for entry in state.thread)
    return replace(state, thread=tuple(thread))


class SeenLines:
    """What people saw who said something, in the events of an issue."""

    def __init__(
        self, events: Iterable[QuestionEvent], lines: Iterable[QuestionEvent] | None = None
    ) -> None:
        """Look at events; `lines` are all that lie there, where of two with one id one counts."""
        known = tuple(events)
        self._lines: dict[str, list[QuestionEvent]] = {}  # by id
        for event in known if lines is None else lines:
            self._lines.setdefault(event.id, []).append(event)
        bound = [event for event in known if event.is_vouched and _is_bound(event)]
        self._words: dict[str, dict[str, frozenset[str]]] = {}  # by question, by event
        self._calls = {event.id for event in bound if event.kind is QuestionEventKind.ESCALATED}
        for event in sorted(bound, key=lambda each: each.id):
            seen = list_seen(event) or frozenset()
            self._words.setdefault(event.question, {})[event.id] = seen

    def covers(self, event: QuestionEvent) -> bool:
        """Tell whether somebody saw an event who said something then, or was called."""
        words = self._words.get(event.question)
        if not words:
            return False
        known = sum_up(event)
        return any(known in seen for seen in words.values())

    def has_seen(self, event: QuestionEvent, other: str) -> bool:
        """Tell whether an event's writer had seen another event, as far as they say so."""
        seen = list_seen(event)
        return seen is None or any(sum_up(line) in seen for line in self._lines.get(other, ()))

    def is_unaware(self, event: QuestionEvent, other: str) -> bool:
        """Tell whether an event's writer, who vouches for it, had not seen another event.

        Who does not say what they saw, saw what was there.
        """
        lines = self._lines.get(other, [])
        if not (event.is_vouched and lines):
            return False
        if other > event.id:  # an id is later than all that its writer had seen
            return True
        saw = event.detail.get(_SAW)
        return isinstance(saw, list) and not any(sum_up(line) in saw for line in lines)

    def order(
        self, known: list[QuestionEvent], births: Iterable[QuestionEvent]
    ) -> tuple[list[QuestionEvent], frozenset[str]]:
        """Return events so that what a person had not seen who said something follows the word.

        They are of one question, and come in the order of their ids. Returns which were moved that
        nobody vouches for, too.
        """
        fixed = {event.id for event in births}
        is_persons = any(map(is_for_person, births))
        known = self._put_unseen_questions_behind(known, fixed, is_persons=is_persons)
        moved: dict[str, list[QuestionEvent]] = {}  # by the word that they follow
        for event in known:
            if not event.is_vouched and event.id not in fixed:
                word = self._find_last_unaware(event)
                if word:
                    moved.setdefault(word, []).append(event)
        gone = frozenset(each.id for later in moved.values() for each in later)
        if not gone:
            return known, gone
        ordered: list[QuestionEvent] = []
        for event in known:
            if event.id not in gone:
                ordered += (event, *moved.get(event.id, ()))
        return ordered, gone

    def _put_unseen_questions_behind(
        self, known: list[QuestionEvent], fixed: set[str], *, is_persons: bool
    ) -> list[QuestionEvent]:
        asked: dict[str, list[QuestionEvent]] = {}
        for event in known:
            if event.kind in ASKING and event.is_vouched and event.id not in fixed:
                asked.setdefault(event.question, []).append(event)
        words = [
            event
            for event in known
            if event.question in asked
            and _SAW in event.detail
            and event.id not in self._calls
            and (
                event.id in self._words.get(event.question, {})
                # Nor did a role settle what a person was asked that it had not seen.
                or (is_persons and event.kind is QuestionEventKind.RESOLVED and event.is_vouched)
            )
        ]
        for word in words:
            first = min(event.id for event in asked[word.question])
            if first < word.id:
                known = self._put_behind(known, word, asked[word.question])
        return known

    def _put_behind(
        self, known: list[QuestionEvent], word: QuestionEvent, asked: list[QuestionEvent]
    ) -> list[QuestionEvent]:
        """Return events so that questions come after the word of one who had not seen them."""
        at = next(turn for turn, each in enumerate(known) if each.id == word.id)
        before = {each.id for each in known[:at]}
        unseen = [each for each in asked if each.id in before and self.is_unaware(word, each.id)]
        questions = [each for each in unseen if _brings_question(each, unseen)]
        if not questions:
            return known
        moved = {
            each.id: each
            for each in known[:at]
            if each.question == word.question
            and each.is_vouched
            and self.is_unaware(word, each.id)
            and any(each is one or self._follows(each, one) for one in questions)
        }
        stays = (each for each in known[:at] if each.id not in moved)
        return [*stays, word, *moved.values(), *known[at + 1 :]]

    def _follows(self, event: QuestionEvent, question: QuestionEvent) -> bool:
        """Tell whether somebody said something who had seen a question."""
        if question.id >= event.id:
            return False
        if _SAW in event.detail:
            return not self.is_unaware(event, question.id)
        return event.writer == question.writer

    def _find_last_unaware(self, event: QuestionEvent) -> str:
        """Return the last word after an event before somebody had seen it; or nothing."""
        words, last, known = self._words.get(event.question, {}), "", ""
        is_answer = event.kind is QuestionEventKind.ANSWERED
        for word, seen in words.items():
            if word > event.id and not (is_answer and word in self._calls):
                known = known or sum_up(event)
                if known in seen:
                    break
                last = word
        return last


def _is_bound(event: QuestionEvent) -> bool:
    if event.kind is QuestionEventKind.ESCALATED:
        return _SAW in event.detail  # a call of an earlier version does not say
    return event.kind in _WORDS and event.detail.get("by") == PERSON


def _brings_question(event: QuestionEvent, unseen: list[QuestionEvent]) -> bool:
    """Tell whether a question is asked with an event, or was before it, that was not seen."""
    if event.kind is QuestionEventKind.ASKED or event.detail.get("reason") == Reason.MAX_ROUNDS:
        return True
    return any(each.kind is QuestionEventKind.ASKED and each.id < event.id for each in unseen)


def is_for_person(birth: QuestionEvent) -> bool:
    """Tell whether a thread begins with a question to a person."""
    row = birth.detail.get("row", birth.detail)
    return isinstance(row, dict) and row.get("to") == PERSON


def list_seen(event: QuestionEvent) -> frozenset[str] | None:
    """Return the digests of the lines that an event's writer had seen; None where none says."""
    saw = event.detail.get(_SAW)
    return frozenset(map(str, saw)) if isinstance(saw, list) else None


def sum_up(event: QuestionEvent) -> str:
    """Return the digest of a line, the same whoever signed it and however it is written."""
    bare = line_of(replace(event, key="", signature=""))
    try:
        said = json.dumps(bare, sort_keys=True, separators=(",", ":"))
    except RecursionError:  # nested deeper than any of ours
        return ""
    return digest(said, size=16).hex()


def _hash(text: str) -> str:
    return digest(text, size=16).hex()
