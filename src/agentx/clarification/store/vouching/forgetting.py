"""Which questions were forgotten by somebody whose words count, and what they were known by.

A line that nobody signed takes nothing out of memory, also where it takes a question of roles out
of the ledger (`vouching.doubts`): what is erased comes back by nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from agentx.clarification.store.question_events import QuestionEvent, QuestionEventKind
from agentx.clarification.store.vouching.sight import ASKING
from agentx.kernel.vouching.standing import Vouching


def find_forgotten(judged: Iterable[QuestionEvent]) -> set[str]:
    """Return the questions that somebody whose words count forgot."""
    return {
        event.question
        for event in judged
        if event.kind is QuestionEventKind.FORGOTTEN and event.standing is Vouching.SIGNED
    }


def list_uids(gone: Collection[str], events: Iterable[QuestionEvent]) -> frozenset[str]:
    """Return what questions were known by: as threads, and as what may have been offshoots."""
    asked = (each.id for each in events if each.question in gone and each.kind in ASKING)
    return frozenset((*gone, *asked))
