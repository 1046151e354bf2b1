"""Seed phrases: twelve to twenty-four plain words that open a wallet.

The words are those of a public list, all of three to eight letters. Any sentence has such words;
so a phrase counts only beside a word that announces it, and only if none of its words is one
that sentences cannot do without and the list does not have.
"""

from __future__ import annotations

import re

from agentx.redaction.rules import ANNOUNCEMENTS

_ANNOUNCED = re.compile("|".join(map(re.escape, ANNOUNCEMENTS)), re.IGNORECASE)
_BETWEEN = r"(?:[\s,;|\"']|\\{1,3}[nrt\"]|\d{1,2}[.):]|[-*](?=\s)){1,12}"
_RUN = re.compile(rf"(?<![A-Za-z])[a-z]{{3,8}}(?:{_BETWEEN}[a-z]{{3,8}}(?![A-Za-z]))+", re.ASCII)
_WORD = re.compile(r"[a-z]{3,8}", re.ASCII)
_ESCAPE = re.compile(r"\\[nrt]")
_WORDS_MIN, _WORDS_MAX = 12, 27
_NEAR_CHARS = 64
# Words of every second sentence; none of them is on the list.
_COMMON = frozenset(
    """
    the and for with from are was not but his her its has had been were which who why how our out
    used uses using should must would could does did their them than these those into onto also
    because before between without your words please stored never anybody
    """.split()
)


def without_phrases(text: str) -> str:
    """Return the text without the phrases that are announced as seeds."""
    kept: list[str] = []
    done = 0
    for run in _RUN.finditer(text):
        for start, end in _candidates(text, run.start(), run.end()):
            if _ANNOUNCED.search(text, max(done, start - _NEAR_CHARS), start):
                kept += (text[done:start], "[REDACTED:seed-phrase]")
                done = end
    return "".join((*kept, text[done:])) if kept else text


def is_phrase(words: list[str]) -> bool:
    """Tell whether words, taken by themselves, may be a seed phrase."""
    return len(words) in {12, 15, 18, 21, 24} and all(
        3 <= len(word) <= 8 and word.isalpha() and word.islower() and word not in _COMMON
        for word in words
    )


def _candidates(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of a run that are as many words as a phrase has, and none of them common."""
    # The letter of an escape is no letter of the word behind it.
    words = list(_WORD.finditer(_ESCAPE.sub("  ", text[start:end])))
    if len(words) < _WORDS_MIN:
        return []
    announced = {match.end() for match in _ANNOUNCED.finditer(text, start, end)}
    found: list[tuple[int, int]] = []
    first = 0
    for number in range(len(words) + 1):
        ends = number == len(words)
        if ends or words[number][0] in _COMMON or start + words[number].end() in announced:
            if _WORDS_MIN <= number - first <= _WORDS_MAX:
                found.append((start + words[first].start(), start + words[number - 1].end()))
            first = number + 1
    return found
