"""Whether two lessons say the same.

The same words in another order, case or punctuation are the same; so are texts that share
nearly all of their words, as long as neither says "not" where the other does not and both
name the same numbers: error 404 is not error 500.
"""

from __future__ import annotations

import re

from agentx.kernel.text import folded

ALIKE = 0.8
_WORD = re.compile(r"\w+")
_NOT = frozenset("no not never none without cannot cant dont wont instead avoid stop".split())
_SMALL = frozenset("a an the is are was were be to of in on for and or we it this that".split())


def fingerprint(text: str) -> str:
    """Return what is the same for texts that differ only in case, blanks and punctuation."""
    return " ".join(_WORD.findall(folded(text).casefold()))


def alike(one: str, other: str) -> float:
    """Return how much of their words two texts share, 0 to 1.

    0 when only one of them denies, or when they name other numbers.
    """
    ours, theirs = _words(one), _words(other)
    if not ours or not theirs or bool(ours & _NOT) != bool(theirs & _NOT):
        return 0.0
    if _numbers(ours) != _numbers(theirs):
        return 0.0
    return len(ours & theirs) / len(ours | theirs)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(folded(text).casefold().replace("'", ""))) - _SMALL


def _numbers(words: frozenset[str]) -> set[str]:
    return {word for word in words if any(char.isdigit() for char in word)}
