"""Words that stand for each other: what was asked for as `purchase` may have been said as `bought`.

The table beside this file has one term a line, with the terms that mean nearly the same and
how nearly, in per cent. It was made once from a sentence encoder over an English dictionary
(ADR 16), so it knows the language and nothing of what is remembered. What programmers write in
short, as `db`, no dictionary has: that is listed here.

Law: a kindred word helps to find, it never counts as much as the word itself.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from agentx.kernel.values import frozen

_TABLE = "kindred.txt"
# What people write in short, by its terms, and how near that is to the whole word.
_SHORT_CLOSENESS = 0.9
_SHORT_FORMS = (
    "db databas",
    "pg postgr postgresql",
    "k8s kubernet",
    "auth authent",
    "config configur",
    "cfg configur config",
    "env environ",
    "repo repositori",
    "param paramet",
    "impl implement",
    "ttl expiri lifetim",
    "js javascript",
    "ts typescript",
    "infra infrastructur",
    "cert certif",
    "async asynchron",
    "i18n internation",
)
# The whole word means other things, too: only who writes in short looks for it.
_SHORT_FOR_MANY = (
    "auth author login",
    "doc document",
    "dep depend",
    "arg argument",
    "prod product",
    "perf perform",
    "msg messag",
    "err error",
    "req request",
    "res respons",
    "py python",
    "conn connect",
    "idx index",
    "stmt statement",
    "tx transact",
    "l10n local",
    "a11y access",
)
_TERMS_KNOWN_MAX = 4_096


@frozen(kw_only=False)
class Kin:
    """A term that means nearly the same, and how nearly: between 0 and 1."""

    term: str
    closeness: float


@lru_cache(maxsize=_TERMS_KNOWN_MAX)
def find_kindred(term: str) -> tuple[Kin, ...]:
    """Return the terms that mean nearly the same, the nearest first."""
    short = _short_forms().get(term, ())
    table = _table()
    begin = table.find(f"\n{term} ".encode("utf-8", "replace"))
    if begin < 0 or " " in term or "\n" in term:
        return short
    line = table[begin + 1 : table.index(b"\n", begin + 1)].decode("ascii")
    words = line.split(" ")[1:]
    return short + tuple(
        Kin(word, int(per_cent) / 100)
        for word, per_cent in zip(words[::2], words[1::2], strict=True)
    )


@lru_cache(maxsize=1)
def _short_forms() -> dict[str, tuple[Kin, ...]]:
    """Return what stands for what people write in short, and the short form for that."""
    found: dict[str, list[Kin]] = {}
    for row in (*_SHORT_FORMS, *_SHORT_FOR_MANY):
        short, *whole = row.split()
        for word in whole:
            found.setdefault(short, []).append(Kin(word, _SHORT_CLOSENESS))
            if row in _SHORT_FORMS:
                found.setdefault(word, []).append(Kin(short, _SHORT_CLOSENESS))
    return {term: tuple(kin) for term, kin in found.items()}


@lru_cache(maxsize=1)
def _table() -> bytes:
    return b"\n" + Path(__file__).with_name(_TABLE).read_bytes()
