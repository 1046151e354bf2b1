"""Whether two lessons say the same.

The same words in another order, case or punctuation are the same; so are texts that share
nearly all of their words, as long as neither says "not" where the other does not and both
name the same numbers: error 404 is not error 500.
"""

from __future__ import annotations

from agentx.prose.likeness import list_words, overlap

ALIKE = 0.8
_NOT = frozenset("no not never none without cannot cant dont wont instead avoid stop".split())
_SMALL = frozenset("a an the is are was were be to of in on for and or we it this that".split())


def fingerprint(text: str) -> str:
    """Return what is the same for texts that differ only in case, blanks and punctuation."""
    return " ".join(list_words(text))


def alike(one: str, other: str) -> float:
    """Return how much of their words two texts share; 0 when they are not alike."""
    ours, theirs = _words(one), _words(other)
    if bool(ours & _NOT) != bool(theirs & _NOT):
        return 0.0
    return overlap(ours, theirs, least=ALIKE)


def _words(text: str) -> frozenset[str]:
    return frozenset(list_words(text.replace("'", ""))) - _SMALL
