"""Whose key signed the word that settled a question: a person's decision, else the last answer."""

from __future__ import annotations

from collections.abc import Iterable

from agentx.clarification.model import PERSON
from agentx.clarification.store.question_events import QuestionEvent, QuestionEventKind


def find_signers(judged: Iterable[QuestionEvent]) -> dict[str, str]:
    """Return by question the key of who settled it, as far as somebody vouches for that."""
    decided: dict[str, str] = {}
    answered: dict[str, str] = {}
    for event in sorted(judged, key=lambda each: each.id):
        signed = event.key if event.is_vouched else ""
        if event.kind is QuestionEventKind.RESOLVED and event.detail.get("by") == PERSON:
            decided[event.question] = signed or decided.get(event.question, "")
        elif event.kind is QuestionEventKind.ANSWERED:
            answered[event.question] = signed
    found = answered | {question: key for question, key in decided.items() if key}
    return {question: key for question, key in found.items() if key}
