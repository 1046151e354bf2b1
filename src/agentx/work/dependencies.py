"""What must be done first.

An issue says it in its body, and both ends may say it:

    ## Dependencies
    Blocks: #12, #15
    Blocked-by: #3

`Blocks: #12` in issue 7 and `Blocked-by: #7` in issue 12 mean the same. Issues that
block each other in a circle can never be ready; the circle is found and named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.work.model import Issue

_HEADING = compile_late(r"^[ ]{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = compile_late(r"^[ ]{0,3}(```|~~~)")
_LINE = compile_late(
    r"^\s*(?:[-*+]\s+)?(?:\[[ xX]\]\s+)?[*_]*(blocks|blocked[- ]by)[*_]*\s*:[*_]*(.*)$",
    re.IGNORECASE,
)
_NUMBER = compile_late(r"(?<![\w/])#(\d{1,9})\b")


@frozen
class Links:
    """What one issue says of others."""

    blocks: tuple[int, ...] = ()
    blocked_by: tuple[int, ...] = ()


def links(body: str) -> Links:
    """Read the `## Dependencies` section of a body."""
    found: dict[str, list[int]] = {"blocks": [], "blocked-by": []}
    for line in _section(body):
        said = _LINE.match(line)
        if said is not None:
            numbers = [int(number) for number in _NUMBER.findall(said[2])]
            found[said[1].lower().replace(" ", "-")].extend(numbers)
    return Links(
        blocks=tuple(dict.fromkeys(found["blocks"])),
        blocked_by=tuple(dict.fromkeys(found["blocked-by"])),
    )


def blockers(issues: Iterable[Issue]) -> dict[int, tuple[int, ...]]:
    """Return, for each issue that has some, the numbers of those that block it."""
    found: dict[int, set[int]] = {}
    for issue in issues:
        said = links(issue.body)
        found.setdefault(issue.number, set()).update(said.blocked_by)
        for other in said.blocks:
            found.setdefault(other, set()).add(issue.number)
    return {number: tuple(sorted(others)) for number, others in found.items() if others}


def cycles(edges: Mapping[int, Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    """Return the circles among blockers, each from its lowest number on, each once.

    One circle is given for each knot of issues that cannot move; mending it shows the next.
    """
    found: set[tuple[int, ...]] = set()
    done: set[int] = set()
    for start in sorted(edges):
        # Walked without recursion: a chain may be as long as there are issues.
        path: list[int] = []
        on_path: dict[int, int] = {}
        stack: list[tuple[int, bool]] = [(start, True)]
        while stack:
            node, entering = stack.pop()
            if not entering:
                path.pop()
                del on_path[node]
                done.add(node)
            elif node in on_path:
                found.add(_turn(path[on_path[node] :]))
            elif node not in done:
                on_path[node] = len(path)
                path.append(node)
                stack.append((node, False))
                stack.extend((other, True) for other in sorted(edges.get(node, ()), reverse=True))
    return tuple(sorted(found))


@frozen
class IssueStanding:
    """Whether an issue can be worked on, and what stands in its way."""

    number: int
    open_blockers: tuple[int, ...]
    done_blockers: tuple[int, ...]
    unknown_blockers: tuple[int, ...]  # named, but nobody has that number: they block nothing
    blocks: tuple[int, ...]
    cycle: tuple[int, ...] = ()

    @property
    def is_blocked(self) -> bool:
        """Whether something stands in its way."""
        return bool(self.open_blockers)


def standing(number: int, issues: Iterable[Issue]) -> IssueStanding:
    """Say what an issue waits for and what waits for it."""
    known = {issue.number: issue for issue in issues}
    edges = blockers(known.values())
    mine = edges.get(number, ())
    unfinished = {
        other: still_open(edges[other], known) for other in edges if is_open(other, known)
    }
    return IssueStanding(
        number=number,
        open_blockers=still_open(mine, known),
        done_blockers=tuple(
            other for other in mine if other in known and not is_open(other, known)
        ),
        unknown_blockers=tuple(other for other in mine if other not in known),
        blocks=tuple(sorted(other for other, by in edges.items() if number in by)),
        cycle=next((circle for circle in cycles(unfinished) if number in circle), ()),
    )


def still_open(numbers: Iterable[int], known: Mapping[int, Issue]) -> tuple[int, ...]:
    """Return those of some issues that are not done."""
    return tuple(number for number in numbers if is_open(number, known))


def is_open(number: int, known: Mapping[int, Issue]) -> bool:
    """Tell whether there is such an issue, and it is open."""
    return number in known and known[number].is_open


def _section(body: str) -> Iterable[str]:
    """Yield the lines under a heading `Dependencies`, up to the next heading of its rank."""
    rank = 0
    fenced = False
    for line in body.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        heading = None if fenced else _HEADING.match(line)
        if heading is None:
            if rank and not fenced:
                yield line
        elif heading[2].strip().rstrip(":").lower() == "dependencies":
            rank = len(heading[1])
        elif len(heading[1]) <= rank:
            rank = 0


def _turn(circle: list[int]) -> tuple[int, ...]:
    """Return a circle from its lowest number on, so that each is found once."""
    lowest = circle.index(min(circle))
    return (*circle[lowest:], *circle[:lowest])
