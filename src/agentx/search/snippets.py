"""A few words around what was found, with the words marked.

The best stretch is the one with the most distinct terms of the query. A mark is a range of
characters in the snippet, so that each surface shows it in its own way.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import count

from agentx.kernel.text import whole_head
from agentx.kernel.values import frozen
from agentx.search.analysis import UNIT_CHARS_MAX, blank_out, cut_long, terms, unit_spans
from agentx.search.limits import WORDS_KNOWN_MAX

SNIPPET_CHARS = 240
_READ_CHARS_MAX = 20_000
_LEAD_CHARS = 40


@frozen(kw_only=False)
class Snippet:
    """A stretch of a text on one line; `marks` are where the query's words stand in it."""

    text: str
    marks: tuple[tuple[int, int], ...]


def snippet(text: str, wanted: frozenset[str], chars_max: int = SNIPPET_CHARS) -> Snippet:
    """Return the stretch of a text that shows best why it was found."""
    text = " ".join(text[:_READ_CHARS_MAX].split())
    marks = _marks(text, wanted)
    start = _start(text, marks, chars_max)
    shown = whole_head(text[start:], chars_max)
    end = start + len(shown)
    before = "\u2026" if start else ""
    after = "\u2026" if end < len(text) else ""
    shift = len(before) - start
    inside = tuple(
        (begin + shift, stop + shift) for begin, stop, _ in marks if begin >= start and stop <= end
    )
    return Snippet(f"{before}{shown}{after}", inside)


def _marks(text: str, wanted: frozenset[str]) -> list[tuple[int, int, frozenset[str]]]:
    """Return where words of the query stand, and which."""
    blanked = blank_out(text)
    if blanked is None:
        found = [(*span, wanted & _terms_of(text[slice(*span)])) for span in unit_spans(text)]
        return [each for each in found if each[2]]
    # Most words of a text stand in it several times, and hardly any is a word of the query.
    words = set(blanked.split())
    short = {word for word in words if len(word) <= UNIT_CHARS_MAX}
    asked = [(word, 0, word) for word in short if not wanted.isdisjoint(_terms_of(word))] + [
        (word, begin, unit)
        for word in words - short
        for begin, unit in zip(count(0, UNIT_CHARS_MAX), cut_long([word]), strict=False)
    ]
    marks = [
        (at + begin, at + begin + len(unit), wanted & _terms_of(unit))
        for word, begin, unit in asked
        for at in _list_places(blanked, word)
    ]
    return sorted((each for each in marks if each[2]), key=lambda mark: mark[:2])


def _list_places(blanked: str, word: str) -> Iterator[int]:
    """Yield where a word stands; two may share the blank between them."""
    padded = f" {blanked} "
    at = padded.find(f" {word} ")
    while at >= 0:
        yield at
        at = padded.find(f" {word} ", at + 1 + len(word))


@lru_cache(maxsize=WORDS_KNOWN_MAX)
def _terms_of(word: str) -> frozenset[str]:
    """Return the terms of one word; the hits of all questions share most of theirs."""
    return frozenset(terms(word))


def _start(text: str, marks: list[tuple[int, int, frozenset[str]]], chars_max: int) -> int:
    """Return where the stretch with the most distinct terms begins, at a word."""
    if not marks or len(text) <= chars_max:
        return 0
    best, best_count = marks[0][0], 0
    for number, (begin, _, _) in enumerate(marks):
        seen: set[str] = set()
        for _, end, which in marks[number:]:
            if end - begin > chars_max - _LEAD_CHARS:
                break
            seen |= which
        if len(seen) > best_count:
            best, best_count = begin, len(seen)
    lead = max(best - _LEAD_CHARS, 0)
    blank = text.find(" ", lead, best)
    if lead == 0:
        return 0
    return blank + 1 if blank >= 0 else best
