"""How much an observation matters now: the formulas of the specification, by phase.

    recency   1 / (1 + days / 30)                        1.0 today, 0.5 after 30 days
    keyword   matching words / words asked for
    recall    min(times recalled / 10, 1)

    recency only        recency
    recency + keyword   0.5 recency + 0.5 keyword
    full (default)      0.4 recency + 0.2 recall + 0.4 keyword

Every factor and every score is from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from agentx.kernel.clock import DAY_MS
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.model import Formula, ObservationIndex
from agentx.prose.likeness import coverage

_HALF_DAYS = 30
_RECALLS_MAX = 10
_WORD = compile_late(r"[^\W_]+(?:[._/-][^\W_]+)*")
# The words of grammar; a question is about the others.
STOP_WORDS = frozenset(
    (
        "a an and are as at be been but by can did do does for from had has have how i if in into "
        "is it its may might must no nor not of on or our shall should so such than that the their "
        "them then there these they this those to was we were what when where which who why will "
        "with would you your"
    ).split()
)


@frozen
class Subject:
    """What the agent that is about to start is about."""

    now_ms: int
    words: frozenset[str] = frozenset()
    phase: Formula = Formula.FULL


@frozen
class ScoredObservation:
    """An index entry with what it is worth now."""

    entry: ObservationIndex
    score: float


def recency(timestamp_ms: int, now_ms: int) -> float:
    """Return 1 for now, half after 30 days; a time to come counts as now."""
    days = max(now_ms - timestamp_ms, 0) / DAY_MS
    return 1.0 / (1.0 + days / _HALF_DAYS)


def recall_score(recall_count: int) -> float:
    """Return how often it was wanted, saturating at ten."""
    return min(max(recall_count, 0) / _RECALLS_MAX, 1.0)


def keyword_overlap(summary: str, words: frozenset[str]) -> float:
    """Return which part of the words asked for the summary holds."""
    return coverage(words, keywords(summary)) if words else 0.0


def relevance(entry: ObservationIndex, asked: Subject) -> float:
    """Return the score of one entry."""
    fresh = recency(entry.timestamp_ms, asked.now_ms)
    match asked.phase:
        case Formula.RECENCY:
            return fresh
        case Formula.KEYWORD:
            return 0.5 * fresh + 0.5 * keyword_overlap(entry.summary, asked.words)
        case Formula.FULL:
            wanted = recall_score(entry.recall_count)
            return 0.4 * fresh + 0.2 * wanted + 0.4 * keyword_overlap(entry.summary, asked.words)


def score(entries: Iterable[ObservationIndex], asked: Subject) -> list[ScoredObservation]:
    """Return the entries with their scores, best first; the newest first among equals."""
    scored = [ScoredObservation(entry=each, score=relevance(each, asked)) for each in entries]
    scored.sort(key=lambda each: (-each.score, -each.entry.timestamp_ms, each.entry.id))
    return scored


@lru_cache(maxsize=4096)
def keywords(text: str) -> frozenset[str]:
    """Return the words of a text that say what it is about, in lower case."""
    found = set()
    for word in _WORD.findall(text.lower()):
        if word not in STOP_WORDS:
            found.add(word)
    return frozenset(found)


def lead_with_standing(found: Iterable[ObservationIndex]) -> tuple[ObservationIndex, ...]:
    """Return what was found, what was replaced behind what replaced it, if that was found, too."""
    rows = {each.id: each for each in found}
    led: dict[str, ObservationIndex] = {}
    for row in rows.values():
        chain = {row.id: row}
        by = row.superseded_by
        while by in rows and by not in led.keys() | chain.keys():
            chain[by] = rows[by]
            by = rows[by].superseded_by
        led.update(reversed(chain.items()))
    return tuple(led.values())
