"""What a plan says: its sentences, the items of its lists and the rows of its tables, in order.

A row is what it is about and what is to hold: the column that says so, where a table compares
what was with what is to be, else all of them. What a plan leaves out is told last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentx.kernel.text import compile_late
from agentx.prose.passages import says_nothing
from agentx.prose.sentences import Block, sentences, show_excerpt

_PIECES_MAX = 12
_ROWS_MAX = 40
_TABLE = compile_late(r"(?:^[ \t]*\|.*(?:\n|\Z))+", re.MULTILINE)
_RULE = compile_late(r"[ \t|:-]+\Z")
# The column of a table that holds what was chosen, not what was before, and not why.
_CHOSEN = compile_late(
    r"after(?:wards)?|new|now|then|to|will be|decision|decided|choice|chosen|proposed|proposal"
    r"|target|neu|nachher|danach|k\u00fcnftig|apr\u00e8s|nouveau|despu\u00e9s|nuevo",
    re.IGNORECASE,
)
_LEAVES_OUT = compile_late(
    r"(?:not|nothing) (?:in|part of|now|yet|done|changed|included)\b|out of scope\b|non-?goals?\b"
    r"|(?:later|not)[:,] ",
    re.IGNORECASE,
)


def list_content(plan: str, title: str) -> list[str]:
    """Return what a plan says beside its title, as many pieces as may be told of it."""
    found = [
        (one.start, one.text)
        for one in sentences(plan)
        if one.block is not Block.HEADING and one.text != title and not says_nothing(one.text)
    ]
    found += _list_rows(plan)
    found.sort(key=lambda piece: (_LEAVES_OUT.match(piece[1]) is not None, piece[0]))
    return [text for _, text in found[:_PIECES_MAX]]


def _list_rows(plan: str) -> Iterator[tuple[int, str]]:
    """Yield the rows of the tables of a plan, with where their table begins."""
    for table in _TABLE.finditer(plan):
        lines = [line for line in table[0].splitlines() if line.strip()][:_ROWS_MAX]
        has_head = len(lines) > 1 and _RULE.match(lines[1]) is not None
        chosen = _find_chosen(_split(lines[0])) if has_head else None
        for line in lines[2 if has_head else 0 :]:
            name, *cells = _split(line)
            said = cells[chosen - 1 : chosen] if chosen is not None else cells
            row = ": ".join(filter(None, (name, ", ".join(filter(None, said)))))
            if row:
                yield table.start(), row


def _find_chosen(head: list[str]) -> int | None:
    at = (at for at, cell in enumerate(head) if at and _CHOSEN.fullmatch(cell))
    return next(at, None)


def _split(line: str) -> list[str]:
    return [show_excerpt(cell) for cell in line.strip().strip("|").split("|")]
