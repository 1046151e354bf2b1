"""Two opinions on what answers a question: its words (BM25) and its meaning (vectors).

    words      an order with scores, and how sure it is: the share that its best hit has of what
               a text with every word of the question would have
    meaning    an order with cosines

Where the words are sure they decide, because a name or an identifier that stands in the
text is better evidence than likeness; where they are not, likeness finds what is said in
other words. So each question gets its own weight for the meaning, from both sides:

    weight  =  WEIGHT_SURE / (how sure the words are), at most WEIGHT_MAX
               x  how like the question the nearest meaning is at all

    score   =  words / best words  +  weight x (cosine - common) / (best cosine - common)

What only one side knows is kept with what that side gives it. "Common" is what the last of the
nearest still has: any text of this memory has as much.

On long chats, where likeness alone finds half of what words find, a weight of 0.2 gains a point
of recall and 0.5 loses one; so that is what it is when the words are half sure.

Law: with a weight of nothing the order is the words' own; the order depends on the two lists
alone, and of equals the one that the words put first comes first.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentx.kernel.values import frozen

# Of what the words' best hit counts, the best meaning counts at most this much, and this much
# when the words are as sure as they can be.
WEIGHT_MAX = 1.0
WEIGHT_SURE = 0.1
# Cosines of MiniLM: below the first nothing is alike, from the second on it is about the same.
_UNLIKE, _ALIKE = 0.15, 0.55


@frozen(kw_only=False)
class Opinion:
    """One side's hits, best first: ids with scores of its own kind."""

    hits: tuple[tuple[str, float], ...]
    sureness: float = 0.0  # of words: between 0 and 1


@frozen(kw_only=False)
class Fused:
    """A document, its score, and what of it is owed to its meaning."""

    doc_id: str
    score: float
    by_meaning: float


def weight_of_meaning(words: Opinion, meaning: Opinion) -> float:
    """Return how much the meaning counts for this question, as a share of what the words count."""
    if not meaning.hits:
        return 0.0
    if not words.hits:
        return WEIGHT_MAX
    left_open = min(WEIGHT_MAX, WEIGHT_SURE / max(words.sureness, WEIGHT_SURE / WEIGHT_MAX))
    nearest = meaning.hits[0][1]
    return left_open * min(1.0, max(0.0, (nearest - _UNLIKE) / (_ALIKE - _UNLIKE)))


def fuse(words: Opinion, meaning: Opinion) -> tuple[Fused, ...]:
    """Put two opinions together, best first."""
    weight = weight_of_meaning(words, meaning)
    by_words = _shares(words.hits, common=0.0)
    by_meaning = _shares(meaning.hits, common=_common(meaning.hits))
    # The words' order first: a sort that keeps it decides between equals.
    ids = dict.fromkeys((*by_words, *by_meaning))
    made = [
        Fused(
            doc_id,
            by_words.get(doc_id, 0.0) + weight * by_meaning.get(doc_id, 0.0),
            weight * by_meaning.get(doc_id, 0.0),
        )
        for doc_id in ids
    ]
    made.sort(key=lambda each: -each.score)
    return tuple(made)


def _shares(hits: Sequence[tuple[str, float]], *, common: float) -> dict[str, float]:
    best = max((score for _, score in hits), default=0.0) - common
    if best <= 0:
        return {doc_id: 0.0 for doc_id, _ in hits}
    return {doc_id: max(0.0, score - common) / best for doc_id, score in hits}


def _common(hits: Sequence[tuple[str, float]]) -> float:
    """Return what any text here has in common with the question: what the last hit has."""
    return min((score for _, score in hits), default=0.0) if len(hits) > 1 else 0.0
