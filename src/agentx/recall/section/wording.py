"""What is told of a memory: a line of whole sentences, in the words in which it was kept.

Law: never longer than `LINE_CHARS_MAX`. What does not fit is left out by the sentence; only a
first sentence that is too long by itself is cut, and the cut is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from agentx.kernel.text import compile_late, fold_text
from agentx.prose.sentences import shorten

LINE_CHARS_MAX = 240

# What only says where a change comes from: its text has said what it is.
_BESIDE = compile_late(r"(?:Asked|Files|Commit|Why asked): ")
_BESIDE_AFTER = compile_late(r"; (?:Asked|Files|Commit|Why asked): .*")
_MARK = compile_late(r"(?:#{1,6}|[-*\u2022]|\d{1,2}[.)]) +")
_STOP = compile_late(r"(?<=[.!?\u3002\uff01\uff1f])[\"')\]`*]*(?:\s+|(?<=[\u3002\uff01\uff1f]))")
_CHARS_READ_MAX = 2_000
_ENOUGH = 0.5  # of a line: what says that much needs no more


@lru_cache(maxsize=2_000)  # who serves many asks of the same memories again and again
def word_line(content: str) -> str:
    """Return the line that is told of a text."""
    said = ""
    for sentence in _sentences(content[:_CHARS_READ_MAX]):
        longer = f"{said} {sentence}" if said else sentence
        if len(longer) > LINE_CHARS_MAX:
            break
        said = longer
        if len(said) > LINE_CHARS_MAX * _ENOUGH:
            break
    return said or shorten(next(_sentences(content[:_CHARS_READ_MAX]), ""), LINE_CHARS_MAX)


def _sentences(content: str) -> Iterator[str]:
    previous = ""
    for raw in content.split("\n"):
        line = _BESIDE_AFTER.sub("", fold_text(raw))
        if previous and _BESIDE.match(line):
            continue
        line = _MARK.sub("", line, count=1) if _MARK.match(line) else line
        if not line or line == previous:
            continue
        previous = line
        for piece in _STOP.split(line):
            if piece:
                yield piece
