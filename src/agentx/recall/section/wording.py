"""What is told of a memory: a line of whole sentences, in the words in which it was kept.

    what a session taught     as it was kept, without where a change comes from
    what somebody wrote       as it was written
    what was merged           the newest first, each with its day
    what was seen again       with how often and when, however long the rest is

Laws: a line holds no word that the memory does not, in the order of the memory. What is longer
than a line is left out by the sentence; only a first sentence that is too long by itself is cut.
Where something was left out of what somebody wrote, or a sentence was cut, the line shows it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from agentx.kernel.text import compile_late, fold_text
from agentx.observations.model import Category
from agentx.prose.sentences import ELLIPSIS, sentences, shorten

if TYPE_CHECKING:
    from agentx.observations.model import Observation

LINE_CHARS_MAX = 240
# An error holds its cause and its fix, a decision what was chosen: more than a sentence.
_CHARS_MAX_OF = {Category.ERROR: 320, Category.DECISION: 320}
# Whoever writes something down wants it told: more of it than of what was found.
WRITTEN_CHARS_MAX = 600

# What only says where something comes from: its text has said what it is.
_BESIDE = {
    Category.CODE_CHANGE: compile_late(r"(?:; |\n)(?:Asked|Files|Commit|Why asked): "),
    Category.DECISION: compile_late(r"(?:; |\n)(?:Asked|Why asked): "),
}
_MARK = compile_late(r"\A\s*(?:#{1,6}|[-*\u2022]) +")
_AGAIN = compile_late(r"(?:\A|\n)(Again on [^\n]+)\Z")
_MERGED = compile_late(r"- (\d{4}-\d\d-\d\d)(, superseded since)?: ")
_ENDS = tuple(".!?:;,\u2026\u3002\uff01\uff1f\u061f\uff1a\uff1b\u3001\uff0c")
_CHARS_READ_MAX = 4_000


def word_memory(observed: Observation) -> str:
    """Return the line that is told of a memory."""
    return word_kept(
        observed.category,
        observed.content,
        is_written=observed.is_written,
        is_merged=bool(observed.sources),
    )


@lru_cache(maxsize=2_000)  # who serves many asks of the same memories again and again
def word_kept(
    category: Category, content: str, *, is_written: bool = False, is_merged: bool = False
) -> str:
    """Return the line that is told of a text that was kept under a category."""
    if is_written:
        return _fit(_join(content.split("\n")), WRITTEN_CHARS_MAX, left_out=f" {ELLIPSIS}")
    if is_merged:
        return word_line(_put_newest_first(content))
    again = _AGAIN.search(content)
    beside = _BESIDE.get(category)
    said = content[: again.start()] if again else content
    if beside is not None:
        said = beside.split(said, maxsplit=1)[0] or said
    line = _word(said, _CHARS_MAX_OF.get(category, LINE_CHARS_MAX))
    return _join([line, again[1] if again else ""])


@lru_cache(maxsize=2_000)  # as above
def word_line(text: str) -> str:
    """Return the line that is told of a text."""
    return _word(text, LINE_CHARS_MAX)


def _word(text: str, chars_max: int) -> str:
    lines = [_MARK.sub("", line) for line in text[:_CHARS_READ_MAX].split("\n")]
    return _fit(_join(dict.fromkeys(lines)), chars_max)


def _join(lines: Iterable[str]) -> str:
    """Return lines as one; what does not end with a stop is parted from what follows."""
    said = ""
    for line in map(fold_text, lines):
        if line:
            between = " " if said.endswith(_ENDS) else "; "
            said = f"{said}{between}{line}" if said else line
    return said


def _fit(line: str, chars_max: int, left_out: str = "") -> str:
    """Return as many whole sentences of a line as fit."""
    if len(line) <= chars_max:
        return line
    ends = (one.end for one in sentences(line))
    end = max((at for at in ends if at + len(left_out) <= chars_max), default=0)
    return line[:end] + left_out if end else shorten(line, chars_max)


def _put_newest_first(content: str) -> str:
    """Return the lines of what was merged, newest first, each with its day; only what stands."""
    dated: list[tuple[str, bool, str]] = []
    day, is_gone = "", False
    for line in content.split("\n"):
        found = _MERGED.match(line)
        if found:
            day, is_gone = found[1], bool(found[2])
        rest = line[found.end() :] if found else line.removeprefix("- ")
        dated.append((day, is_gone, rest))
    standing = [one for one in dated if not one[1]] or dated
    told, lines = "", []
    for day, _, rest in sorted(standing, key=lambda one: one[0], reverse=True):
        lines.append(f"{day}: {rest}" if day != told else rest)  # a day is named once
        told = day
    return "\n".join(lines)
