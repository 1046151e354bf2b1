r"""Private keys: blocks of many lines, whole, cut at either end, or handed over line by line.

A line of a key may stand behind what shows it: a sign of a patch, a number, quotes and commas
of a list, an escaped newline. Every block is walked line by line, each line once.
"""

from __future__ import annotations

import re

MARK = "[REDACTED:private-key]"
_KEY_CHARS_MAX = 65_536
_BEGIN_CHARS_MIN = len("----BEGINPRIVATE KEY----")
_NAME = r"[A-Z0-9 _-]{0,60}?PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_BEGIN = re.compile(r"-{4,5} ?BEGIN" + _NAME, re.IGNORECASE)
_END = re.compile(r"-{4,5} ?END" + _NAME, re.IGNORECASE)
# What shows a line: newlines and their escapes, quotes, signs of a patch, numbers of lines.
_SHOWN = (
    r"(?:\\{1,4}[nrt]|[\s>|\"'`+,#*\u2192\u2502-]){0,48}"
    r"(?:\d{1,6}[ \t:|\u2192\u2502]{1,4}[+-]?[ \t]{0,8})?"
)
_LINE = re.compile(
    _SHOWN
    + r"(?:[A-Za-z][A-Za-z-]{3,19}: [^\n\\\"]{1,200}"
    + r"|[A-Za-z0-9+/]{8,}={0,2}|[A-Za-z0-9+/]{2,7}={1,2})"
)
_TORN_END = re.compile(_SHOWN + r"[A-Za-z0-9+/= ]{0,40}KEY(?: BLOCK)? ?-{4,5}")
_LINE_BEFORE = re.compile(
    _SHOWN + r"(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]{2,15}={0,2})[\"',]{0,3}"
)
_ONLY_SHOWN = re.compile(_SHOWN)
_BREAK = re.compile(r"\r?\n|\\{1,4}r(?=\\)|\\{1,4}n")


def without_keys(text: str) -> str:
    """Return the text without private keys, and without the halves of them."""
    kept: list[str] = []
    done = 0
    begins = list(_BEGIN.finditer(text))
    for number, begin in enumerate(begins):
        if begin.start() < done:
            continue
        limit = begin.end() + _KEY_CHARS_MAX
        if number + 1 < len(begins):
            limit = min(limit, begins[number + 1].start())
        end = _END.search(text, begin.end(), limit)
        kept += (_without_ends(text[done : begin.start()]), MARK)
        done = end.end() if end is not None else _end_of_lines(text, begin.end())
    kept.append(_without_ends(text[done:]))
    return "".join(kept)


def _end_of_lines(text: str, at: int) -> int:
    """Return where the lines of a key that was cut off come to an end."""
    line = _LINE.match(text, at)
    while line is not None:
        at = line.end()
        line = _LINE.match(text, at)
    torn = _TORN_END.match(text, at)
    return torn.end() if torn is not None else at


def _without_ends(text: str) -> str:
    """Drop the end of a private key whose beginning was cut off."""
    kept: list[str] = []
    done = 0
    for end in _END.finditer(text):
        before = text[max(done, end.start() - _KEY_CHARS_MAX) : end.start()]
        kept += (text[done : end.start() - _chars_of_lines(before)], MARK)
        done = end.end()
    return "".join((*kept, text[done:])) if kept else text


def _chars_of_lines(before: str) -> int:
    """Return how many characters at the end of a text are lines of a key."""
    at = len(before)
    breaks = [0, *(match.end() for match in _BREAK.finditer(before))]
    for start in reversed(breaks):
        line = before[start:at].rstrip("\r\n")
        line = re.sub(r"(?:\\{1,4}[nr])+$", "", line)
        if not (_LINE_BEFORE.fullmatch(line) or _ONLY_SHOWN.fullmatch(line)):
            break
        at = start
    return len(before) - at


class KeyLines:
    """Remembers, from text to text of one document, whether a private key has begun."""

    _PATIENCE_MAX = 8  # words that stand between two parts of a key: `text`, `type`

    def __init__(self) -> None:
        self._patience = 0

    def take(self, text: str) -> tuple[str, str]:
        """Return what replaces the part of a text that goes on with a key, and the rest of it."""
        taken, rest = self._go_on(text) if self._patience else ("", text)
        if len(rest) >= _BEGIN_CHARS_MIN and "PRIVATE KEY" in rest.upper():
            begun = [begin.end() for begin in _BEGIN.finditer(rest)]
            if begun and not _END.search(rest, begun[-1]):
                self._patience = self._PATIENCE_MAX
        return taken, rest

    def _go_on(self, text: str) -> tuple[str, str]:
        end = _END.search(text)
        if end is not None and _chars_of_lines(text[: end.start()]) == end.start():
            self._patience = 0
            return MARK, text[end.end() :]
        stop = _end_of_lines(text, 0)
        rest = text[stop:].strip(" \t\r\n+-\"',")
        if stop and not rest and not (len(text) < 16 and text.isalpha() and text.islower()):
            self._patience = self._PATIENCE_MAX
            return MARK, ""
        blank = len(text) < 16
        self._patience = self._patience - 1 if blank else 0
        return "", text
