"""How often the same is said elsewhere in a session.

Two lines say the same where they share at least half the words of the shorter one. Then one of
its rarer words is among those shared, so that only lines with such a word are looked at: a
session of twenty thousand lines is not compared with itself line by line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

_SUPPORTS = 0.5
_TERMS_MIN = 3  # a line of fewer words is like too many
SUPPORT_MAX = 6  # more do not count
_LOOKED_AT_MAX = 250  # for each line: what is said all over is found among these

_Places = dict[str, list[int]]


def count_support(lines: Sequence[tuple[object, frozenset[str]]]) -> list[int]:
    """Return for each line how many others support it; lines of one origin do not."""
    known = Counter(word for _, about in lines for word in about)
    rare = [
        sorted(about, key=lambda word: (known[word], word))[: _rare(len(about))]
        for _, about in lines
    ]
    holds: _Places = {}
    holds_rarely: _Places = {}
    for number, (_, about) in enumerate(lines):
        if len(about) >= _TERMS_MIN:
            for word in about:
                holds.setdefault(word, []).append(number)
            for word in rare[number]:
                holds_rarely.setdefault(word, []).append(number)
    return [
        _count(number, lines, _near(about, rare[number], holds, holds_rarely))
        if len(about) >= _TERMS_MIN
        else 0
        for number, (_, about) in enumerate(lines)
    ]


def _rare(terms: int) -> int:
    """Return how many words of a line can be left out of what it shares, and one more."""
    return terms // 2 + 1


def _near(
    about: frozenset[str], rare: list[str], holds: _Places, holds_rarely: _Places
) -> Iterator[int]:
    """Yield the lines that may share enough with one: longer ones by its rare words, and shorter
    ones by theirs."""
    for word in rare:
        yield from holds[word]
    for word in sorted(about):
        yield from holds_rarely.get(word, ())


def _count(number: int, lines: Sequence[tuple[object, frozenset[str]]], near: Iterator[int]) -> int:
    origin, about = lines[number]
    seen: set[int] = set()
    support = 0
    for other in near:
        if other in seen:
            continue
        seen.add(other)
        theirs = lines[other][1]
        shared = len(about & theirs) >= _SUPPORTS * min(len(about), len(theirs))
        support += shared and lines[other][0] != origin
        if support == SUPPORT_MAX or len(seen) == _LOOKED_AT_MAX:
            break
    return support
