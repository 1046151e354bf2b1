"""What a person typed, read so that nothing is ever an error.

    plain words           any of them; rarer ones count more
    "two words"           the phrase
    conf*                 a beginning
    retrty~               a misspelling
    -word                 without it

Every other sign is punctuation. A quote that never closes, an operator alone, a query of
nothing but signs: each is read as the words that are left, and no words find nothing.
A natural question is read with `operators=False`: there a dash is a dash.
"""

from __future__ import annotations

import re
from itertools import pairwise

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.search.analysis import function_terms, terms
from agentx.search.limits import QUERY_CHARS_MAX

_PIECE = compile_late(
    r'(?P<without>(?:(?<=\s)|^)-(?=\w))?"(?P<phrase>[^"\n]{2,400})"'
    r"|(?P<minus>(?:(?<=\s)|^)-)(?P<dropped>\w{3,})(?!\S)"
    r"|(?P<prefix>\w{2,})\*"
    r"|(?P<fuzzy>\w{3,})~\d?"
)

_DOER = compile_late(r"\b[a-z]{5,}ers?\b", re.IGNORECASE)


@frozen
class Query:
    """What is asked for. `terms` are distinct and in order; `pairs` stood beside each other."""

    terms: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    prefixes: tuple[str, ...] = ()
    fuzzy: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


def parse(text: str, *, operators: bool = True) -> Query:
    """Read a query. Whatever was typed gives one."""
    text = text[:QUERY_CHARS_MAX]
    prefixes: list[str] = []
    fuzzy: list[str] = []
    phrases: list[tuple[str, ...]] = []
    without: list[str] = []
    if operators:
        for piece in _PIECE.finditer(text):
            if piece["phrase"] is not None:
                words = tuple(terms(piece["phrase"]))
                if len(words) > 1:
                    phrases.append(words)
            elif piece["dropped"]:
                without += terms(piece["dropped"])
            elif piece["prefix"]:
                prefixes.append(piece["prefix"].lower())
            elif piece["fuzzy"]:
                fuzzy += terms(piece["fuzzy"])
        text = _PIECE.sub(_plain, text)
    content = _content(text)
    return Query(
        terms=tuple(dict.fromkeys(content)),
        pairs=tuple(dict.fromkeys(pairwise(content))),
        phrases=tuple(phrases),
        prefixes=tuple(dict.fromkeys(prefixes)),
        fuzzy=tuple(dict.fromkeys(fuzzy)),
        # Nothing but exclusions asks for nothing; the words are then meant as words.
        without=tuple(dict.fromkeys(without)),
    )


def _plain(piece: re.Match[str]) -> str:
    """Leave the words of a phrase among the plain words; take the other operators away."""
    return f" {piece['phrase']} " if piece["phrase"] is not None else " "


def _content(text: str) -> list[str]:
    """Return the terms that carry the subject; all of them when there is no other."""
    every = terms(text)
    grammar = function_terms()
    # What does something has the stem of doing it: a reminder is not "remind".
    things = " ".join(_DOER.findall(text))
    meant = grammar.intersection(terms(things)) if things else frozenset[str]()
    return [term for term in every if term not in grammar or term in meant] or every
