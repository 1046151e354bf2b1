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
_LACKING_MAX = 20_000

Mark = tuple[int, int, frozenset[str]]  # where it begins and ends, and which words these are


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


def _marks(text: str, wanted: frozenset[str]) -> list[Mark]:
    """Return where words of the query stand, and which."""
    blanked = blank_out(text)
    if blanked is None:
        found = [(*span, wanted & _terms_of(text[slice(*span)])) for span in unit_spans(text)]
        return [each for each in found if each[2]]
    padded = f" {blanked} "
    marks = [
        (at + begin, at + end, which)
        for word, held in _words_for(wanted).list_held(set(blanked.split()))
        for at in _list_places(padded, word)
        for begin, end, which in held
    ]
    return sorted(marks, key=lambda mark: mark[:2])


class _Words:
    """Words of texts, as far as they were looked at for those of one query.

    Most words of a text stand in it several times and in the other hits too, and hardly any is a
    word of the query.
    """

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        self._lacking: set[str] = set()
        self._held: dict[str, tuple[Mark, ...]] = {}

    def list_held(self, words: set[str]) -> Iterator[tuple[str, tuple[Mark, ...]]]:
        """Yield the words that have terms of the query, each with where in it these stand."""
        wanted, known = self._wanted, self._held
        fresh = words - self._lacking - known.keys()
        for word in [
            word
            for word in fresh
            if len(word) > UNIT_CHARS_MAX or not wanted.isdisjoint(_terms_of(word))
        ]:
            if held := self._look(word):
                known[word] = held
        if len(self._lacking) >= _LACKING_MAX:
            self._lacking = set()
        self._lacking.update(fresh - known.keys())
        for word in words & known.keys():
            yield word, known[word]

    def _look(self, word: str) -> tuple[Mark, ...]:
        return tuple(
            (begin, begin + len(unit), which)
            for begin, unit in zip(count(0, UNIT_CHARS_MAX), cut_long([word]), strict=False)
            if (which := self._wanted & _terms_of(unit))
        )


@lru_cache(maxsize=8)
def _words_for(wanted: frozenset[str]) -> _Words:
    """Return what is known of words for a query: its hits are shown one after the other."""
    return _Words(wanted)


def _list_places(padded: str, word: str) -> Iterator[int]:
    """Yield where a word stands between two blanks; two may share the one between them."""
    at = padded.find(f" {word} ")
    while at >= 0:
        yield at
        at = padded.find(f" {word} ", at + 1 + len(word))


@lru_cache(maxsize=WORDS_KNOWN_MAX)
def _terms_of(word: str) -> frozenset[str]:
    """Return the terms of one word; the hits of all questions share most of theirs."""
    return frozenset(terms(word))


def _start(text: str, marks: list[Mark], chars_max: int) -> int:
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
