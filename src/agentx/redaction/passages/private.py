r"""What people say is private: everything between `<private>` and `</private>` is dropped.

A tag that is not closed goes to the end of its message, and the mark says so.
"""

from __future__ import annotations

import re

MARK = "[REDACTED:"
UNCLOSED = f"{MARK}private-unclosed]"
_TAG = re.compile(r"(?:<|\\u003c)(/?)private\s{0,8}(?:>|\\u003e)", re.ASCII | re.IGNORECASE)


def without_private(text: str) -> str:
    """Drop what stands between private tags; one that is not closed says so."""
    if "private" not in text.lower():
        return text
    kept: list[str] = []
    depth = 0
    at = 0
    for tag in _TAG.finditer(text):
        if tag[1]:
            depth -= depth > 0
            if depth == 0 and at < 0:
                at = tag.end()
        else:
            if depth == 0:
                kept.append(text[at : tag.start()] + f"{MARK}private]")
                at = -1
            depth += 1
    if not kept:
        return text
    if at >= 0:
        return "".join(kept) + text[at:]
    kept[-1] = kept[-1].removesuffix(f"{MARK}private]") + UNCLOSED
    return "".join(kept)


def close_private(text: str) -> tuple[str, str, bool]:
    """Return what a text is that an earlier one left private: the mark, the rest, still open."""
    depth = 1
    for tag in _TAG.finditer(text):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return f"{MARK}private]", text[tag.end() :], False
    return UNCLOSED, "", True
