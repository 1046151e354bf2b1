"""What a call asked to be written, as people read it: line by line, old beside new.

`tools` says what an edit did to a file, for rules; this keeps the order of lines and what
stands around them. Nothing is assumed of what a call was given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from agentx.exchanges.tools import AFTER, BEFORE, ToolStep, Use, find_patch, read_path
from agentx.kernel.values import frozen

_PARTS_MAX = 50
_CHARS_MAX = 120_000
_HEADS = {"*** Add File: ": "created", "*** Delete File: ": "deleted", "*** Update File: ": ""}
_MOVE = "*** Move to: "


class LineMark(Enum):
    """What became of a line."""

    SAME = " "
    ADDED = "+"
    REMOVED = "-"
    PLACE = "@"  # says where the lines after it stand


MarkedLine = tuple[LineMark, str]


@frozen
class Rewrite:
    """What was asked of one file: two texts, or lines that are marked already."""

    path: str
    before: str = ""
    after: str = ""
    lines: tuple[MarkedLine, ...] = ()
    does: str = ""  # "created", "deleted" or nothing


def list_rewrites(step: ToolStep) -> tuple[Rewrite, ...]:
    """Return what a step was to write, also where it failed."""
    if step.use is not Use.EDIT:
        return ()
    patch = find_patch(step.call.arguments)
    if patch:
        return tuple(_read_patch(patch[:_CHARS_MAX]))[:_PARTS_MAX]
    path = read_path(step.call)
    hunks = step.result.response.get("structuredPatch") if step.result else None
    if isinstance(hunks, list) and hunks:
        return (Rewrite(path=path, lines=tuple(_read_hunks(hunks[:_PARTS_MAX]))),)
    given = step.call.arguments
    listed = given.get("edits") if isinstance(given, Mapping) else None
    edits = listed[:_PARTS_MAX] if isinstance(listed, list) else [given]
    found = tuple(_read_edit(path, each) for each in edits if isinstance(each, Mapping))
    return tuple(each for each in found if each.before or each.after)


def _read_edit(path: str, edit: Mapping[str, object]) -> Rewrite:
    before, after = _text(edit, BEFORE), _text(edit, AFTER)
    return Rewrite(path=path, before=before, after=after)


def _text(edit: Mapping[str, object], names: tuple[str, ...]) -> str:
    found = (edit.get(name) for name in names)
    return next((each for each in found if isinstance(each, str) and each), "")[:_CHARS_MAX]


def _read_hunks(hunks: list[object]) -> Iterator[MarkedLine]:
    for hunk in hunks:
        if not isinstance(hunk, Mapping):
            continue
        start, told = hunk.get("newStart"), hunk.get("lines")
        if isinstance(start, int):
            yield LineMark.PLACE, f"line {start}"
        if isinstance(told, list):
            yield from (_read_line(line) for line in told if isinstance(line, str))


def _read_patch(patch: str) -> Iterator[Rewrite]:
    path, does = "", ""
    lines: list[MarkedLine] = []
    for line in patch.split("\n"):
        head = next((each for each in _HEADS if line.startswith(each)), "")
        if head:
            if path:
                yield Rewrite(path=path, lines=tuple(lines), does=does)
            path, does, lines = line.removeprefix(head).strip(), _HEADS[head], []
        elif line.startswith(_MOVE):
            does = f"moved to {line.removeprefix(_MOVE).strip()}"
        elif path and not line.startswith("***"):
            lines.append(_read_line(line))
    if path:
        yield Rewrite(path=path, lines=tuple(lines), does=does)


def _read_line(line: str) -> MarkedLine:
    if line.startswith("@@"):
        return LineMark.PLACE, line.strip("@ ")
    marks = {"+": LineMark.ADDED, "-": LineMark.REMOVED}
    mark = marks.get(line[:1], LineMark.SAME)
    return mark, line[1:] if line[:1] in "+- " else line
