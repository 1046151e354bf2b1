"""Whose key signed what: the question itself, and what was said to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentx.clarification.facts import Answered, Resolved
from agentx.clarification.model import Clarification, Entry
from agentx.clarification.store.ledger_json import DamagedLedger
from agentx.clarification.store.question_events import (
    QuestionEvent,
    QuestionEventKind,
    fact_of,
)

_SAID = frozenset({QuestionEventKind.ANSWERED, QuestionEventKind.RESOLVED})


def find_askers(judged: Iterable[QuestionEvent]) -> dict[str, str]:
    """Return by question the key of who asked it, as far as somebody vouches for that."""
    return {
        event.question: event.key
        for event in judged
        if event.kind is QuestionEventKind.OPENED
        and event.id == (event.stem or event.question)
        and event.is_vouched
    }


def find_sayer(state: Clarification, word: Entry, judged: Iterable[QuestionEvent]) -> str:
    """Return the key of who said just these words then, as far as somebody vouches for that."""
    said = _list_saying(state, word, judged)
    return next((event.key for event in said if event.is_vouched), "")


def find_writer(state: Clarification, word: Entry, judged: Iterable[QuestionEvent]) -> str:
    """Return in whose file just these words lie, whoever vouches for that; nothing for nowhere."""
    return next((event.writer for event in _list_saying(state, word, judged)), "")


def _list_saying(
    state: Clarification, word: Entry, judged: Iterable[QuestionEvent]
) -> Iterator[QuestionEvent]:
    for event in judged:
        if event.question == state.uid and event.kind in _SAID:
            try:
                fact = fact_of(event)
            except DamagedLedger:
                continue
            if isinstance(fact, Answered | Resolved) and (fact.by, fact.at_ms, fact.body) == (
                *(word.speaker, word.at_ms),
                word.body,
            ):
                yield event
