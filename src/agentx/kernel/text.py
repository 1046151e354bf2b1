"""Text as people read it: cut by characters, never by bytes, and never inside a character.

Also patterns, which take longer to compile than the module that holds them to import, while a
command uses few of hundreds. And the fence around what AgentX itself injected, so that memory
never feeds on itself: square brackets, because some agent CLIs escape angle brackets in what
hooks return.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any, AnyStr, cast

# Lines by which git says that two branches say two things.
MERGE_MARKS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
RECALL_OPEN = "[agentx:recall]"
RECALL_CLOSE = "[/agentx:recall]"

_JOINER = "\u200d"
_PATTERN_PARTS = (
    *("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn"),
    *("flags", "groups", "groupindex"),
)
_CUT_MARK = "\n[... {count} characters cut by agentx ...]\n"


def compile_late(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what serves as the compiled pattern, and compiles it when it has to."""
    return cast("re.Pattern[AnyStr]", _Late(source, flags))


class _Late:
    def __init__(self, source: str | bytes, flags: int) -> None:
        self.pattern = source
        self._given = flags

    def __getattr__(self, part: str) -> Any:
        made = re.compile(self.pattern, self._given)
        # Called once: from here on the parts are found without asking.
        vars(self).update({name: getattr(made, name) for name in _PATTERN_PARTS})
        return getattr(made, part)


_SPACE = compile_late(r"\s+")


def cut(text: str, chars_max: int) -> str:
    """Keep the head and the tail of a text that is too long, and say how much is missing.

    The end of a tool's output is where the error is, so both ends are kept.
    """
    if len(text) <= chars_max:
        return text
    mark = _CUT_MARK.format(count=len(text) - chars_max)
    kept = max(chars_max - len(mark), 0)
    head = kept * 3 // 4
    tail = kept - head
    return whole_head(text, head) + mark + whole_tail(text, tail)


def whole_head(text: str, count: int) -> str:
    """Return at most `count` first characters without splitting a visible character."""
    if count <= 0:
        return ""
    end = min(count, len(text))
    while 0 < end < len(text) and _joins(text[end - 1], text[end]):
        end -= 1
    return text[:end]


def whole_tail(text: str, count: int) -> str:
    """Return at most `count` last characters without splitting a visible character."""
    if count <= 0:
        return ""
    start = max(len(text) - count, 0)
    while 0 < start < len(text) and _joins(text[start - 1], text[start]):
        start += 1
    return text[start:]


def preview(text: str, chars_max: int) -> str:
    """Return one line for a table: white space folded, cut with an ellipsis."""
    line = _SPACE.sub(" ", text).strip()
    if len(line) <= chars_max:
        return line
    return whole_head(line, max(chars_max - 1, 0)).rstrip() + "\u2026"


def fold_text(text: str) -> str:
    """Return the text as it is compared for sameness: NFC, white space folded."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()


def encodable(text: str) -> str:
    """Replace lone surrogates, which no file and no index can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


def printable(text: str) -> str:
    """Replace control characters that would disturb a terminal; keep tabs and newlines."""
    if text.isprintable():
        return text
    return "".join(
        char if char in "\t\n" or unicodedata.category(char) != "Cc" else "\ufffd" for char in text
    )


def without_recall(text: str) -> str:
    """Drop every fenced block that AgentX injected; an unclosed one goes to the end."""
    if RECALL_OPEN not in text:
        return text
    kept: list[str] = []
    rest = text
    while RECALL_OPEN in rest:
        before, _, after = rest.partition(RECALL_OPEN)
        kept.append(before)
        _, closed, rest = after.partition(RECALL_CLOSE)
        if not closed:
            rest = ""
    kept.append(rest)
    return "".join(kept).strip()


def _joins(before: str, after: str) -> bool:
    """Tell whether two neighbouring characters are seen as one."""
    return (
        _JOINER in (before, after)
        or unicodedata.combining(after) != 0
        or "\ufe00" <= after <= "\ufe0f"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
    )
