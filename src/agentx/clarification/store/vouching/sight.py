"""What a person's word covers: the topic and the thread as they saw it.

A person's answer or decision carries, under its signature, what they saw, as digests: the topic and
the questions (`about`), and every line there was of the question (`saw`). So does a call for a
person, of what they are to decide.

- A line that nobody vouches for and that was not seen comes after the word or the call, whatever
  its id says: it was put in between, or another clone's. But what somebody answered before a person
  was called was answered.
- Of two lines with one id, and of two that begin a question, the one that was seen counts.
- Where the topic is another, or a question is missing that was seen, the word is a claim.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from agentx.clarification.facts import Answered, Escalated, Fact, Resolved
from agentx.clarification.model import PERSON, Clarification, EntryType
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


def is_word(fact: Fact) -> bool:
    """Tell whether a fact is an answer or a decision of a person's."""
    return isinstance(fact, Answered | Resolved) and fact.by == PERSON


def is_bound(fact: Fact) -> bool:
    """Tell whether a fact is kept with what was seen then."""
    return is_word(fact) or isinstance(fact, Escalated)


def bind(state: Clarification, fact: Fact, lines: Iterable[QuestionEvent]) -> Row:
    """Return what a person's word is about, or what they are called for, to be signed with it."""
    asked = (entry.body for entry in state.asked)
    about = {_ABOUT: [_hash(text) for text in (state.topic, *asked)]} if is_word(fact) else {}
    # A line is seen whole, and is cut to this once its thread is settled and gets small.
    seen = (_sum_up(each) for line in lines for each in (line, shorten(line)))
    return {**about, _SAW: list(dict.fromkeys(seen))}


def is_about(state: Clarification, detail: Row) -> bool:
    """Tell whether a question is what a person saw who said something; earlier words do not say."""
    about = detail.get(_ABOUT)
    if not isinstance(about, list) or not about:
        return True
    asked = {_hash(entry.body) for entry in state.entries(EntryType.QUESTION)}
    return about[0] == _hash(state.topic) and asked.issuperset(map(str, about[1:]))


class SeenLines:
    """What people saw who said something, in the events of an issue."""

    def __init__(self, events: Iterable[QuestionEvent]) -> None:
        bound = [event for event in events if event.is_vouched and _is_bound(event)]
        self._words: dict[str, dict[str, frozenset[str]]] = {}  # by question, by event
        self._calls = {event.id for event in bound if event.kind is QuestionEventKind.ESCALATED}
        for event in sorted(bound, key=lambda each: each.id):
            saw = event.detail.get(_SAW)
            seen = frozenset(map(str, saw if isinstance(saw, list) else ()))
            self._words.setdefault(event.question, {})[event.id] = seen

    def covers(self, event: QuestionEvent) -> bool:
        """Tell whether somebody saw an event who said something then, or was called."""
        words = self._words.get(event.question)
        if not words:
            return False
        known = _sum_up(event)
        return any(known in seen for seen in words.values())

    def order(
        self, known: list[QuestionEvent], births: Iterable[QuestionEvent]
    ) -> tuple[list[QuestionEvent], frozenset[str]]:
        """Return events so that what nobody vouches for and a person had not seen follows the word.

        They come in the order of their ids. Returns which were moved, too.
        """
        fixed = {event.id for event in births}
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

    def _find_last_unaware(self, event: QuestionEvent) -> str:
        """Return the last word after an event before somebody had seen it; or nothing."""
        words, last, known = self._words.get(event.question, {}), "", ""
        is_answer = event.kind is QuestionEventKind.ANSWERED
        for word, seen in words.items():
            if word > event.id and not (is_answer and word in self._calls):
                known = known or _sum_up(event)
                if known in seen:
                    break
                last = word
        return last


def _is_bound(event: QuestionEvent) -> bool:
    if event.kind is QuestionEventKind.ESCALATED:
        return _SAW in event.detail  # a call of an earlier version does not say
    return event.kind in _WORDS and event.detail.get("by") == PERSON


def _sum_up(event: QuestionEvent) -> str:
    """Return the digest of a line, the same whoever signed it and however it is written."""
    bare = line_of(replace(event, key="", signature=""))
    try:
        said = json.dumps(bare, sort_keys=True, separators=(",", ":"))
    except RecursionError:  # nested deeper than any of ours
        return ""
    return digest(said, size=16).hex()


def _hash(text: str) -> str:
    return digest(text, size=16).hex()
