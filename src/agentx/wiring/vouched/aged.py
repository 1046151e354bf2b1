"""What a question came to whose ledger is gone, held against what people said to the same since.

What it came to outlives its ledger (`retention.days`). What was asked stands in the memory alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from agentx.clarification.model import Clarification, Entry
from agentx.clarification.watch.gathered import GatheredQuestions, Said, find_turn
from agentx.clarification.watch.later import is_come_to
from agentx.kernel.roles import UNCONFIRMED
from agentx.kernel.text import fold_text, preview_ends
from agentx.observations.labels import read_asked, read_decider, read_said
from agentx.observations.model import Observation
from agentx.prose.same.wording import Key, key_words

_COLONS = 4  # of which any may end the topic
_SAID_CHARS = 120


def withhold_aged(one: Observation, asked: GatheredQuestions) -> Observation:
    """Return a memory as it may be told beside what people said to the same words later.

    Where memory has the later word it is withheld. What is in doubt takes nothing back that is not.
    """
    if one.superseded_by or one.mended_ms:
        return one
    is_doubtful = UNCONFIRMED in read_decider(one.content)
    for key in _list_keys(one):
        said = asked.list_said(key) if is_doubtful else asked.list_sure(key)
        later = _find_later(one, said)
        if later is not None:
            return _tell(one, *later)
        if _find_later(one, asked.list_said(key)) is not None:
            return replace(one, contested=True)
    return one


def _list_keys(one: Observation) -> Iterator[Key]:
    """Yield what a memory says was asked; nothing where it does not say so."""
    question = read_asked(one.content)
    if question:
        parts = read_said(one.content).split(": ")
        for count in islice(range(1, len(parts)), _COLONS):
            yield key_words(": ".join(parts[:count]), question)


def _find_later(one: Observation, said: Sequence[Said]) -> Said | None:
    """Return what was said last, where that was after what a memory tells."""
    return said[0] if said and find_turn(*said[0])[0] > one.timestamp_ms else None


def _tell(one: Observation, asked: Clarification, word: Entry) -> Observation:
    if is_come_to(asked, word):
        return replace(one, superseded_by=str(asked.id))
    said = fold_text(word.body)
    if one.content.startswith(f"{asked.topic}: {said}"):
        return one
    return replace(one, decided_later=f"{preview_ends(said, _SAID_CHARS)} ({asked.id})")
