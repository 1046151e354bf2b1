"""What changed between two texts, line by line, and how it is shown.

The shortest edit is looked for (Myers) as long as the two are alike; what is mostly another text
is shown as one that left and one that came. Long ones fold: nobody reads ten thousand lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agentx.exchanges.rewrites import LineMark, MarkedLine, Rewrite
from agentx.kernel.text import whole_head
from agentx.surfaces.page.markup import Html, join, tag

_EDITS_MAX = 80  # apart by more they are two texts; the work grows with its square
_CONTEXT = 3
_LINES_SHOWN = 60
_LINES_MAX = 400
_LINE_CHARS_MAX = 1_000
_CLASSES = {
    LineMark.ADDED: "add",
    LineMark.REMOVED: "cut",
    LineMark.PLACE: "place",
    LineMark.SAME: "same",
}


def list_changes(before: str, after: str) -> tuple[MarkedLine, ...]:
    """Return the lines of two texts, each marked with what became of it."""
    old, new = _split(before), _split(after)
    head = _count_same(old, new)
    tail = _count_same(old[head:][::-1], new[head:][::-1])
    middle = _compare(old[head : len(old) - tail], new[head : len(new) - tail])
    return (
        *((LineMark.SAME, line) for line in old[:head]),
        *middle,
        *((LineMark.SAME, line) for line in old[len(old) - tail :]),
    )


def list_lines(rewrite: Rewrite) -> tuple[MarkedLine, ...]:
    """Return what one file was to become, without what is far from every change."""
    if rewrite.lines:
        return rewrite.lines
    return tuple(_fold(list_changes(rewrite.before, rewrite.after)))


def count_changes(lines: Iterable[MarkedLine]) -> tuple[int, int]:
    """Return how many lines came, and how many left."""
    marks = [mark for mark, _ in lines]
    return marks.count(LineMark.ADDED), marks.count(LineMark.REMOVED)


def draw_diff(lines: Sequence[MarkedLine]) -> Html:
    """Return changed lines; many of them fold, and of very many the rest is only counted."""
    shown, folded = lines[:_LINES_SHOWN], lines[_LINES_SHOWN:_LINES_MAX]
    left = len(lines) - _LINES_MAX
    return join(
        _draw_lines(shown) if shown else None,
        tag(
            "details",
            tag("summary", f"{len(lines) - _LINES_SHOWN:,} more lines"),
            _draw_lines(folded),
            tag("p", f"and {left:,} more", class_="quiet") if left > 0 else None,
        )
        if folded
        else None,
    )


def _draw_lines(lines: Iterable[MarkedLine]) -> Html:
    rows = (
        tag("span", f"{mark.value} {_clip(line)}\n", class_=_CLASSES[mark]) for mark, line in lines
    )
    return tag("pre", *rows, class_="diff", tabindex="0")


def _clip(line: str) -> str:
    shown = whole_head(line, _LINE_CHARS_MAX)
    left = len(line) - len(shown)
    return f"{shown} [{left:,} more characters]" if left else shown


def _split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _count_same(old: Sequence[str], new: Sequence[str]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _compare(old: Sequence[str], new: Sequence[str]) -> Iterator[MarkedLine]:
    trace = _find_edits(old, new) if old and new else None
    if trace is None:
        yield from ((LineMark.REMOVED, line) for line in old)
        yield from ((LineMark.ADDED, line) for line in new)
        return
    yield from reversed(list(_walk_back(old, new, trace)))


def _find_edits(old: Sequence[str], new: Sequence[str]) -> list[dict[int, int]] | None:
    """Return how far each diagonal was reached with each number of edits; None for too many."""
    reached = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), _EDITS_MAX) + 1):
        trace.append(dict(reached))
        for diagonal in range(-edits, edits + 1, 2):
            is_added, begin = _enter(reached, diagonal, edits)
            at = begin if is_added else begin + 1
            while at < len(old) and at - diagonal < len(new) and old[at] == new[at - diagonal]:
                at += 1
            reached[diagonal] = at
            if at >= len(old) and at - diagonal >= len(new):
                return trace
    return None


def _enter(reached: dict[int, int], diagonal: int, edits: int) -> tuple[bool, int]:
    """Return whether a diagonal is entered by adding a line, and how far the one before was."""
    above, below = reached.get(diagonal - 1, -1), reached.get(diagonal + 1, -1)
    is_added = diagonal == -edits or (diagonal != edits and above < below)
    return is_added, below if is_added else above


def _walk_back(
    old: Sequence[str], new: Sequence[str], trace: list[dict[int, int]]
) -> Iterator[MarkedLine]:
    """Yield the lines of both, the last one first, by the way on which the ends were reached."""
    at, to = len(old), len(new)
    for edits in range(len(trace) - 1, -1, -1):
        is_added, begin = _enter(trace[edits], at - to, edits)
        stop = begin + (0 if is_added else 1) if edits else 0
        while at > stop:
            at, to = at - 1, to - 1
            yield LineMark.SAME, old[at]
        if edits and is_added:
            to -= 1
            yield LineMark.ADDED, new[to]
        elif edits:
            at -= 1
            yield LineMark.REMOVED, old[at]


def _fold(lines: Sequence[MarkedLine]) -> Iterator[MarkedLine]:
    """Leave out what is the same and far from every change."""
    changed = [at for at, (mark, _) in enumerate(lines) if mark is not LineMark.SAME]
    near = {
        at
        for place in changed
        for at in range(max(place - _CONTEXT, 0), min(place + _CONTEXT + 1, len(lines)))
    }
    skipped = 0
    for at, line in enumerate(lines):
        if at not in near:
            skipped += 1
            continue
        if skipped:
            yield LineMark.PLACE, f"{skipped:,} lines as before"
        skipped = 0
        yield line
    if skipped and changed:
        yield LineMark.PLACE, f"{skipped:,} lines as before"
