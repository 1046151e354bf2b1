r"""The patterns behind `redact`: compiled when their words were found, never before.

A pass replaces every secret that it sees by `[REDACTED:kind]`. What a pass leaves
may look different to the next one, so passes are repeated until nothing changes:
redacting twice gives the same text as redacting once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from agentx.redaction.assigned import compile_ascii, replace_named
from agentx.redaction.cards import without_cards
from agentx.redaction.columns import without_columns, without_manifests
from agentx.redaction.encoded import without_encoded
from agentx.redaction.names import NAMED, VENDORS
from agentx.redaction.passages.keys import without_keys
from agentx.redaction.passages.phrases import without_phrases
from agentx.redaction.passages.private import MARK as _MARK
from agentx.redaction.passages.private import without_private
from agentx.redaction.rules import (
    ANNOUNCEMENTS,
    CARD,
    ENCODED,
    MANIFESTS,
    NEEDED,
    PRIVATE_KEY,
    RUNS,
    SHAPES,
    TABLES,
    TOKENS,
)
from agentx.redaction.vendors import replace_vendors

# Text changes in two passes at most in practice; the bound is for texts made to be difficult.
_PASSES_MAX = 6
_NESTED_CHARS_MAX = 65_536

Found = frozenset[str]  # heads, words and outlines that are in the text


def scrub(text: str, found: Found, look: Callable[[str], Found]) -> str:
    """Replace every secret in a text in which these heads and words were found.

    A token that was glued to another begins at an edge once the other is gone: so `look` tells
    what is there to be found after each pass.
    """
    for _ in range(_PASSES_MAX):
        before = text
        text = _once(without_private(text), found, look)
        if text == before:
            break
        found |= look(text)
    return text


def _once(text: str, found: Found, look: Callable[[str], Found]) -> str:
    if PRIVATE_KEY in found:
        text = without_keys(text)
    if ENCODED in found:
        text = without_encoded(text, lambda inside: _scrub_inside(inside, look))
    if not found.isdisjoint(TABLES):
        text = without_columns(text)
    if not found.isdisjoint(MANIFESTS):
        text = without_manifests(text)
    if not found.isdisjoint(ANNOUNCEMENTS):
        text = without_phrases(text)
    text = _replace_known(text, found)
    if any(not found.isdisjoint(words) for _, words, _, _ in NAMED):
        text = replace_named(text)
    if not found.isdisjoint(VENDORS):
        text = replace_vendors(text, found)
    return without_cards(text) if CARD in found else text


def _scrub_inside(text: str, look: Callable[[str], Found]) -> str:
    """Scrub what was encoded; a long text is not looked through for another inside of it."""
    found = look(text)
    return scrub(text, found - {ENCODED} if len(text) > _NESTED_CHARS_MAX else found, look)


def _replace_known(text: str, found: Found) -> str:
    for kind, words, pattern in SHAPES:
        if not found.isdisjoint(words) and _may_hold(pattern, text):
            text = _replace(compile_ascii(pattern), kind, text)
    for kind, heads, body in TOKENS:
        for head in heads:
            if head in found:
                text = _replace(_compile_head(head, body), kind, text)
    for kind, run, pattern in RUNS:
        if run in found:
            text = _replace(compile_ascii(pattern), kind, text)
    return text


def _may_hold(pattern: str, text: str) -> bool:
    """Tell whether a text has the sign without which a pattern finds nothing; most have none."""
    sign = NEEDED.get(pattern)
    return sign is None or compile_ascii(sign).search(text) is not None


@cache
def _compile_head(head: str, body: str) -> re.Pattern[str]:
    """Compile a token: the head first, because plain text is found fast; its left edge after it."""
    plain = re.escape(head)
    edge = (
        rf"(?:(?<![A-Za-z0-9]{plain})|(?<=\\[nrtbf]{plain})|(?<=%[0-9A-Fa-f]{{2}}{plain})"
        rf"|(?<=\[\dm{plain})|(?<=[\[;]\d\dm{plain})|(?<=\\u00[0-9A-Fa-f]{{2}}{plain}))"
    )
    return re.compile(plain + edge + body, re.ASCII)


def _replace(pattern: re.Pattern[str], kind: str, text: str) -> str:
    group: str | int = "s" if "s" in pattern.groupindex else 0

    def mark(match: re.Match[str]) -> str:
        whole = match[0]
        if match[group].startswith(_MARK):
            return whole
        start, end = (at - match.start() for at in match.span(group))
        return f"{whole[:start]}{_MARK}{kind}]{whole[end:]}"

    return pattern.sub(mark, text)
