"""What is told of a memory: a line of whole sentences, in the words in which it was kept.

    what a session taught     as it was kept, without where a change comes from
    what somebody wrote       as it was written
    what was seen again       with how often and when, however long the rest is

Laws: a line holds no word that the memory does not, in the order of the memory. What is longer
than a line is left out by the sentence; only a first sentence that is too long by itself is cut.
Where something was left out of what somebody wrote, or a sentence was cut, the line shows it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from agentx.kernel.text import compile_late
from agentx.observations.labels import LABELS, split_decision
from agentx.observations.model import Category
from agentx.prose.sentences import ELLIPSIS, fit_ends, fit_line, join_lines

if TYPE_CHECKING:
    from agentx.observations.model import Observation

LINE_CHARS_MAX = 240
# An error holds its cause and its fix, a decision what was chosen: more than a sentence.
_CHARS_MAX_OF = {Category.ERROR: 320, Category.DECISION: 320}
# What was put off is told with the words by which it was.
_OPEN_CHARS_MAX = 320
# Whoever writes something down wants it told: more of it than of what was found.
WRITTEN_CHARS_MAX = 600
_SAID_CHARS_MIN = 240

# What only says where something comes from: its text has said what it is.
_BESIDE = {
    Category.CODE_CHANGE: compile_late(r"(?:; |\n)(?:Asked|Files|Commit|Why asked): "),
    Category.DECISION: compile_late(r"(?:; |\n)(?:Asked|Why asked): "),
}
_MARK = compile_late(r"\A\s*(?:#{1,6}|[-*\u2022]) +")
_AGAIN = compile_late(r"(?:\A|\n)(Again on [^\n]+)\Z")
_CHARS_READ_MAX = 4_000


def word_memory(observed: Observation) -> str:
    """Return the line that is told of a memory."""
    return word_kept(
        observed.category,
        observed.content,
        is_written=observed.is_written,
    )


@lru_cache(maxsize=2_000)  # who serves many asks of the same memories again and again
def word_kept(category: Category, content: str, *, is_written: bool = False) -> str:
    """Return the line that is told of a text that was kept under a category."""
    if is_written:
        # Who decided something, how surely and what they were asked is told however long it is.
        said, rest = split_decision(content)
        chars = max(WRITTEN_CHARS_MAX - len(rest), _SAID_CHARS_MIN)
        line = join_lines(said.split("\n"))
        # What a person answered may end in what they reserve.
        return (fit_ends(line, chars) if rest else fit_line(line, chars, f" {ELLIPSIS}")) + rest
    again = _AGAIN.search(content)
    beside = _BESIDE.get(category)
    said = content[: again.start()] if again else content
    if beside is not None:
        said = beside.split(said, maxsplit=1)[0] or said
    chars = _OPEN_CHARS_MAX if said.startswith(LABELS) else LINE_CHARS_MAX
    line = _word(said, _CHARS_MAX_OF.get(category, chars))
    return join_lines([line, again[1] if again else ""])


@lru_cache(maxsize=2_000)  # as above
def word_line(text: str) -> str:
    """Return the line that is told of a text."""
    return _word(text, LINE_CHARS_MAX)


def _word(text: str, chars_max: int) -> str:
    lines = [_MARK.sub("", line) for line in text[:_CHARS_READ_MAX].split("\n")]
    return fit_line(join_lines(dict.fromkeys(lines)), chars_max)
