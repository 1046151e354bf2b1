"""Words that stand for each other: what was asked for as `purchase` may have been said as `bought`.

The table beside this file has one term a line, with the terms that mean nearly the same and
how nearly, in per cent. It was made once from a sentence encoder over an English dictionary
(`scripts/make_kindred.py`), so it knows the language and nothing of what is remembered.

Law: a kindred word helps to find, it never counts as much as the word itself.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from agentx.kernel.values import frozen

_TABLE = "kindred.txt"
_TERMS_KNOWN_MAX = 4_096


@frozen(kw_only=False)
class Kin:
    """A term that means nearly the same, and how nearly: between 0 and 1."""

    term: str
    closeness: float


@lru_cache(maxsize=_TERMS_KNOWN_MAX)
def find_kindred(term: str) -> tuple[Kin, ...]:
    """Return the terms that mean nearly the same, the nearest first."""
    table = _table()
    begin = table.find(f"\n{term} ".encode("utf-8", "replace"))
    if begin < 0 or " " in term or "\n" in term:
        return ()
    line = table[begin + 1 : table.index(b"\n", begin + 1)].decode("ascii")
    words = line.split(" ")[1:]
    return tuple(
        Kin(word, int(per_cent) / 100)
        for word, per_cent in zip(words[::2], words[1::2], strict=True)
    )


@lru_cache(maxsize=1)
def _table() -> bytes:
    return b"\n" + Path(__file__).with_name(_TABLE).read_bytes()
