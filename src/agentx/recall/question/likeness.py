"""The same thing said twice is one memory with two sources.

Texts are compared by their words: two that share nearly all of them are near-duplicates. The
best-ranked one stands for all, and the ids of the others stay with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentx.kernel.values import frozen
from agentx.observations.labels import asks_another
from agentx.prose.likeness import list_words, overlap
from agentx.recall.limits import LIKENESS_HITS_MAX
from agentx.search.document import Hit

SAME_SHARE = 0.9
# Of fewer words, "yes, do that" would equal any other "yes, do that".
_WORDS_MIN = 5


@frozen(kw_only=False)
class HitGroup:
    """A hit, and the ids of what says the same or was made of it."""

    hit: Hit
    also: tuple[str, ...] = ()


def merge_alike(
    hits: Sequence[Hit], made_of: Mapping[str, tuple[str, ...]] | None = None
) -> tuple[HitGroup, ...]:
    """Merge near-duplicates; the order is that of the best of each.

    `made_of` are the ids of what was made of some hits: they stay with them.
    """
    beside = made_of if made_of is not None else {}
    kept: list[tuple[Hit, frozenset[str], list[str]]] = []
    for number, hit in enumerate(hits):
        words = frozenset(list_words(hit.passage) if number < LIKENESS_HITS_MAX else ())
        for first, others, also in kept:
            is_alike = first.doc_type == hit.doc_type and _is_same(words, others)
            if is_alike and not asks_another(first.passage, hit.passage):
                also.extend((hit.doc_id, *beside.get(hit.doc_id, ())))
                break
        else:
            kept.append((hit, words, list(beside.get(hit.doc_id, ()))))
    return tuple(HitGroup(hit, tuple(also)) for hit, _, also in kept)


def _is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    mine, theirs = len(one), len(other)
    if mine < _WORDS_MIN or mine < SAME_SHARE * theirs or theirs < SAME_SHARE * mine:
        return False
    return overlap(one, other, least=SAME_SHARE) > 0
