"""Lines of JSON that git has merged: every value that can be read, and why the others cannot.

A line is a value, or several that a merge has glued, or none: a conflict marker, a torn end, no
JSON. Each fault is named by its file and line and harms no other line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from agentx.host.files import json_text
from agentx.host.files.disk import unreadable
from agentx.host.files.plain import open_to_read
from agentx.kernel.text import MERGE_MARKS
from agentx.kernel.values import frozen

TORN = "a torn end: its writer died before it was acknowledged"
_MARKERS = tuple(marker.encode() for marker in MERGE_MARKS)


@frozen
class LineFault:
    """A line that is no event, and why."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: line {self.line}: {self.reason}"


def read_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that hold something, with their numbers.

    Raises: UnavailableError.
    """
    try:
        with open_to_read(file) as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise unreadable(file, error) from error


def has_merge_marks(text: bytes) -> bool:
    """Tell whether git left the marks of a conflict in a file."""
    if b"<<<<<<<" not in text or b">>>>>>>" not in text:
        return False
    lines = text.splitlines()
    return all(any(line.startswith(mark) for line in lines) for mark in (b"<<<<<<<", b">>>>>>>"))


def join_lines(here: bytes, there: bytes) -> bytes:
    """Return a file of lines with all that two states of it hold, in a stable order.

    Where both hold the same in another order they come to one, whoever joins them.
    """
    if not there or here.startswith(there):
        return here
    lines, others = here.splitlines(), there.splitlines()
    known = set(lines)
    more = [line for line in others if line not in known]
    if more:
        return b"".join(line + b"\n" for line in (*lines, *more))
    is_same = known == set(others)
    return max(here, there, key=lambda text: (len(text), text)) if is_same else here


def parse_line(line: bytes, bytes_max: int) -> list[tuple[object, str]]:
    """Return what a line holds: one value, or several that a merge has glued; or why nothing."""
    if line.startswith(_MARKERS):
        return [(None, "a conflict marker of git")]
    if len(line) > bytes_max:
        return [(None, f"longer than {bytes_max:,} bytes")]
    try:
        return [(json_text.parse_json(line), "")]
    except ValueError as error:
        glued = _split_glued(line)
        if glued:
            return [(value, "") for value in glued]
        return [(None, f"not JSON: {error}" if line.endswith(b"\n") else TORN)]


def _split_glued(line: bytes) -> list[object]:
    try:
        text = line.decode("utf-8").strip()
    except UnicodeDecodeError:
        return []
    found: list[object] = []
    reader = json.JSONDecoder()
    at = 0
    while at < len(text):
        try:
            value, at = reader.raw_decode(text, at)
        except (ValueError, RecursionError):
            return []
        found.append(value)
    return found
