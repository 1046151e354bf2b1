"""How much of their words two texts share. Who asks sets the share that is enough.

    overlap   shared words of all words: do two texts say the same?
    likeness  shared words of the shorter text: is one line told by another already?
    coverage  the part of some words that a text holds: does it have what is asked for?
    alike     forms of one word: "firewall" and "firewall-regel", "migrate" and "migration"
    adds      what a line says beyond one that is like it: numbers, names, a denial, another subject

Words count, not their order. Where texts are to say the same, they name the same numbers:
"step 3" and "step 4" are two things.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import lru_cache

from agentx.kernel.text import compile_late, fold_text, split_words
from agentx.kernel.values import frozen
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.sentences import ELLIPSIS

Words = AbstractSet[str]

_NUMBER = compile_late(r"\d+(?:[.,:]\d+)*")
_REASON = compile_late(r"(?i:\b(?:because|since|so that|due to|weil|damit)\b)")
_REASON_TERMS_MIN = 3


def list_words(text: str) -> list[str]:
    """Return the words of a text in their order, blind to case and punctuation."""
    return split_words((text if text.isascii() else fold_text(text)).casefold())


def overlap(one: Words, other: Words, *, least: float) -> float:
    """Return which part of all their words two texts share, from 0 to 1.

    0 where it is less than `least`, and where they name other numbers.
    """
    if min(len(one), len(other)) < least * max(len(one), len(other)):
        return 0.0  # too few words to share so many, whichever they are
    shared = len(one & other)
    share = shared / (len(one) + len(other) - shared) if shared else 0.0
    if share < least or any(char.isdigit() for word in one ^ other for char in word):
        return 0.0
    return share


def likeness(one: Words, other: Words) -> float:
    """Return how much of the shorter line is in the longer one, from 0 to 1.

    Lines of up to three terms are measured against the longer one: everything about `auth`
    would otherwise be one line.
    """
    return share_of_shorter(len(one & other), len(one), len(other))


def share_of_shorter(shared: int, one: int, other: int) -> float:
    """Return the likeness of two lines of so many terms that share so many."""
    smaller = min(one, other)
    if smaller == 0:
        return 0.0
    return shared / (smaller if smaller > 3 else max(one, other))


def coverage(wanted: Words, held: Words) -> float:
    """Return which part of the words wanted is held, from 0 to 1; of none, nothing is."""
    return len(wanted & held) / len(wanted) if wanted else 0.0


def adds(line: str, told: str) -> bool:
    """Tell whether a line says something beside another one that it is like.

    So it does if it names a number that the other does not, or a thing out of code where the other
    was cut, if only one of them denies, or if both are one sentence about different things: what
    is left of them without the words that each has alone is the same, in the same order.
    """
    if line == told:
        return False
    one, other = _read(line), _read(told)
    if not one.numbers <= other.numbers or one.denies != other.denies:
        return True
    if ELLIPSIS in told and not one.names <= other.names:
        return True
    mine, theirs = one.words - other.words, other.words - one.words
    if not mine or not theirs:
        return False
    return [each for each in one.order if each not in mine] == [
        each for each in other.order if each not in theirs
    ]


def adds_reason(line: str, told: str) -> bool:
    """Tell whether a line says why, in words of its own, and another one that is like it does not.

    Who did what was asked for says so in the words of the wish: the reason is what came of it.
    """
    if not _REASON.search(line) or _REASON.search(told):
        return False
    return len(terms(line) - terms(told)) >= _REASON_TERMS_MIN


@frozen
class _Line:
    """What of a line another one may have, too."""

    order: tuple[str, ...]
    words: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]  # out of code
    denies: bool


@lru_cache(maxsize=1024)  # one line is compared with many
def _read(text: str) -> _Line:
    order = tuple(list_words(text))
    return _Line(
        order=order,
        words=frozenset(order),
        numbers=frozenset(_NUMBER.findall(text)),
        names=frozenset(name.casefold() for name in code_names(text)),
        denies=cues.finds(cues.DENIES, text),
    )


_ALIKE_MIN = 4  # letters


def is_alike(one: str, other: str) -> bool:
    """Tell whether two words are forms of one: "firewall" and "firewall-regel", "migrate"."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < _ALIKE_MIN:
        return False
    return long.startswith(short[: max(_ALIKE_MIN, round(0.8 * len(short)))])


def share_alike(these: frozenset[str], held: frozenset[str]) -> frozenset[str]:
    """Return those of some words of which a form is among others."""
    return frozenset(each for each in these if any(is_alike(each, one) for one in held))
