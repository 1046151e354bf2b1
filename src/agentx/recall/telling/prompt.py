"""At a prompt: what is close enough to it to be worth a line. Saying nothing is the rule.

A memory is close when much of what it says and much of what is asked is the same, by words that
few memories have. What the prompt says itself, what the session said, and what it was told, it
knows. Bars are measured on real sessions (ADR 51).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from math import log, sqrt

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import likeness
from agentx.recall.section.choose import SAME, Tellable
from agentx.recall.section.learnt import WeighedMemory, value_line, weigh
from agentx.recall.section.wording import word_memory
from agentx.recall.telling.bar import Bar

PROMPT_CHARS_MAX = 4_000

_LINES_MAX = 3
_WORDS_MIN = 3  # a prompt with fewer asks nothing that could be found
_RARE_MIN = 2
_RARE_SHARE = 0.1  # of all memories: a word that more of them have tells little
_RARE_HOLDERS = 2
_REMEMBERED_MAX = 2_000
_SAID_MAX = 0.75  # of a memory: who says so much of it knows it
# A place on the web is named by words that say nothing of what is asked.
_PLACES = compile_late(r"\b[a-z]+://\S+|\b[\w.+-]+@[\w.-]+", re.IGNORECASE)


@frozen
class AskedNow:
    """What a session is about to do, and what it knows already."""

    text: str
    session_id: str = ""
    harness: str = ""
    told: frozenset[str] = frozenset()  # by id


def list_news(memories: Sequence[WeighedMemory], prompt: AskedNow) -> list[WeighedMemory]:
    """Return the memories that stand and that a session neither made nor was told."""
    return [
        one
        for one in memories
        if not (one.observation.superseded_by or one.mark)
        and one.observation.session_id != prompt.session_id
        and one.observation.told_as not in prompt.told
        and prompt.told.isdisjoint(one.observation.event_ids)
    ]


def choose_close(memories: Sequence[WeighedMemory], prompt: AskedNow, bar: Bar) -> list[Tellable]:
    """Return what is told at a prompt, closest first; mostly nothing."""
    asked = _words_of(prompt.text[:PROMPT_CHARS_MAX])
    if len(asked) < _WORDS_MIN:
        return []
    said = {one.observation.id: _read(word_memory(one.observation)) for one in memories}
    weights = _Weights(said.values())
    near: dict[str, float] = {}
    for one in list_news(memories, prompt):
        words = said[one.observation.id]
        shared = words & asked
        if len(shared) >= _RARE_MIN and weights.add_up(shared) >= bar.shared * weights.most:
            near[one.observation.id] = weights.compare(words, asked, shared)
    # Few are near, so what each is worth is asked last.
    found = weigh([one for one in memories if near.get(one.observation.id, 0) >= bar.cover])
    worth = {one.doc_id: value_line(one.kind, one.text) for one in found}
    close = [
        (near[one.doc_id] * worth[one.doc_id], one)
        for one in found
        if worth[one.doc_id] >= bar.worth
    ]
    close.sort(key=lambda pair: (-pair[0], pair[1].doc_id))
    anew = {one.doc_id for _, one in close}  # of what was told otherwise before
    known = [words for doc_id, words in said.items() if doc_id in prompt.told - anew]
    return _drop_alike([one for _, one in close], known)[:_LINES_MAX]


@lru_cache(maxsize=_REMEMBERED_MAX)
def _read(line: str) -> frozenset[str]:
    """Return the words of the line that is told of a memory; memories change little."""
    return _words_of(line)


class _Weights:
    """What each word is worth: the fewer memories have it, the more."""

    def __init__(self, texts: Collection[frozenset[str]]) -> None:
        self._count = len(texts)
        self._holders = Counter(word for words in texts for word in words)
        self._rare_max = max(_RARE_HOLDERS, self._count * _RARE_SHARE)
        self.most = log(1 + self._count)

    def add_up(self, words: Collection[str]) -> float:
        return sum(log(1 + self._count / max(self._holders[word], 1)) for word in words)

    def compare(
        self, words: frozenset[str], asked: frozenset[str], shared: frozenset[str]
    ) -> float:
        """Return how close a line is to what is asked, from 0 to 1; 0 where it adds nothing."""
        if sum(self._holders[word] <= self._rare_max for word in shared) < _RARE_MIN:
            return 0.0
        both, own = self.add_up(shared), self.add_up(words)
        return 0.0 if both > _SAID_MAX * own else both / sqrt(own * self.add_up(asked))


def _drop_alike(found: Sequence[Tellable], known: Sequence[frozenset[str]]) -> list[Tellable]:
    """Return lines of which none says what another one, or one that was told, says."""
    kept: list[Tellable] = []
    for one in found:
        others = [*known, *(each.words for each in kept)]
        if all(likeness(one.words, each) < SAME for each in others):
            kept.append(one)
    return kept


def _words_of(text: str) -> frozenset[str]:
    return terms(_PLACES.sub(" ", text))
