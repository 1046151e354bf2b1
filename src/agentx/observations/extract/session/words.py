"""Which words a session said, and which it wrote into files and commits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from agentx.exchanges.commits import commit_of
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.tools import file_edits
from agentx.prose.keyphrases import terms

_SEEN_CHARS = 20_000  # of a turn, to learn which words are common in a session
_WRITTEN_CHARS = 200_000  # of a session's edits


def count_words(found: Iterable[Exchange]) -> Counter[str]:
    """Return in how many turns of a session each word is said."""
    common: Counter[str] = Counter()
    for exchange in found:
        for turn in (*([exchange.prompt] if exchange.prompt else ()), *exchange.replies):
            common.update(terms(turn.text[:_SEEN_CHARS]))
    return common


def list_written(found: Iterable[Exchange]) -> frozenset[str]:
    """Return the words that were written into files and commits: what is said of them was done."""
    held: set[str] = set()
    left = _WRITTEN_CHARS
    for exchange in found:
        for step in exchange.steps:
            commit = commit_of(step)
            texts = [line for edit in file_edits(step) for line in edit.added]
            texts += [commit.subject, commit.body] if commit else []
            text = "\n".join(texts)[: min(left, _SEEN_CHARS)]
            left -= len(text)
            held |= terms(text) if text else frozenset()
            if left <= 0:
                return frozenset(held)
    return frozenset(held)
