"""The signs of a text that say something, as "<" and "C++" do: they are in no word.

Punctuation, quotes, brackets and emphasis around words say nothing, and neither do dashes between
them.
"""

from __future__ import annotations

import unicodedata

from agentx.kernel.text import fold_text

_SAYS = frozenset("#%&*@/\\-_")  # punctuation by its kind, and more than that at the end of a word
_AROUND = "\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb()[]{}"
_DASHES = frozenset("-\u2013\u2014\u2022*")
_JOINS = frozenset("-_./':,\u2019@")


def list_signs(text: str) -> tuple[str, ...]:
    """Return the signs of a text in order, "w" where a word stands with them."""
    found = (_read_sign(word) for word in fold_text(text).split())
    return tuple(sign for sign in found if sign)


def _read_sign(word: str) -> str:
    if word.isalnum():
        return ""
    bare = _strip(word)
    letters = [at for at, char in enumerate(bare) if char.isalnum()]
    if not letters:
        return "" if bare in _DASHES else bare
    before, after = bare[: letters[0]], bare[letters[-1] + 1 :]
    within = (char for char in bare[letters[0] : letters[-1]] if not char.isalnum())
    between = "".join(char for char in within if char not in _JOINS)
    sign = f"{before}w{between}w{after}" if between else f"{before}w{after}"
    return "" if sign == "w" else sign


def _strip(word: str) -> str:
    """Return a word without what stands around it."""
    bare = word.strip(_AROUND)
    while bare and _only_ends(bare[-1]):
        bare = bare[:-1].rstrip(_AROUND)
    for sign in ("*", "_"):
        inner = bare.strip(sign)
        if inner and bare.startswith(sign) and bare.endswith(sign):
            bare = _strip(inner)
    return bare


def _only_ends(char: str) -> bool:
    """Tell whether a character at the end of a word only ends it."""
    return char not in _SAYS and unicodedata.category(char).startswith("P")
