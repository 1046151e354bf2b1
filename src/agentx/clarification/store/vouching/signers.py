"""Whose key signed what: the question itself, and the word that settled it."""

from __future__ import annotations

from collections.abc import Iterable

from agentx.clarification.model import PERSON
from agentx.clarification.store.question_events import QuestionEvent, QuestionEventKind

_OPENED = QuestionEventKind.OPENED


def find_askers(judged: Iterable[QuestionEvent]) -> dict[str, str]:
    """Return by question the key of who asked it, as far as somebody vouches for that."""
    return {
        event.question: event.key
        for event in judged
        if event.kind is QuestionEventKind.OPENED
        and event.id == (event.stem or event.question)
        and event.is_vouched
    }


def find_settlers(judged: Iterable[QuestionEvent]) -> dict[str, str]:
    """Return by question the key of who wrote last that it is settled, in whoever's words."""
    settled = (event for event in judged if event.kind is QuestionEventKind.RESOLVED)
    known = sorted(settled, key=lambda each: each.id)
    return {event.question: event.key for event in known if event.is_vouched}


def find_signers(judged: Iterable[QuestionEvent]) -> dict[str, str]:
    """Return by question the key of who settled it, as far as somebody vouches for that.

    That is who signed a person's decision, else a person's answer, else the last one.
    """
    decided: dict[str, str] = {}
    answered: dict[str, str] = {}
    of_persons: set[str] = set()  # questions that a person answered, as far as somebody vouches
    for event in sorted(judged, key=lambda each: each.id):
        signed = event.key if event.is_vouched else ""
        is_persons = event.detail.get("by") == PERSON
        if event.kind is QuestionEventKind.RESOLVED and is_persons and signed:
            decided[event.question] = signed
        elif event.kind is QuestionEventKind.ANSWERED and (
            signed or not (is_persons or event.question in of_persons)
        ):
            answered[event.question] = signed
            if is_persons:
                of_persons.add(event.question)
    found = answered | decided
    return {question: key for question, key in found.items() if key}
