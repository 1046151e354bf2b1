"""What a plan says: the rows of its tables, the items of its lists, and its sentences.

A row is what it is about and what is to hold: the column that says so, where a table compares
what was with what is to be, else all of them. What a plan leaves out is told last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentx.kernel.text import compile_late
from agentx.prose.passages import Stretch, cut_passages
from agentx.prose.sentences import Block, sentences, show_excerpt, words

_PIECES_MAX = 6
_ROWS_MAX = 40
_HEAD_WORDS_MAX = 6
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


def word_plan(plan: str, title: str, chars_max: int) -> tuple[str, list[str]]:
    """Return a plan's title with what its tables say, and what else it says, piece by piece."""
    rows, head = [], title
    for row in _list_rows(plan):
        rows.append(row)
        longer = "; ".join((title, *rows))
        head = longer if len(longer) <= chars_max else head
    heads = {title, *_list_heads(plan)}
    said = [one for one in cut_passages(plan) if one.text not in heads]
    pieces = [piece for one in said[:_PIECES_MAX] for piece in _split_long(plan, one, chars_max)]
    return head, sorted(pieces, key=lambda piece: _LEAVES_OUT.match(piece) is not None)


def _list_heads(plan: str) -> Iterator[str]:
    """Yield what only stands over something: headings, and a few words over a list."""
    said = sentences(plan)
    for one, after in zip(said, (*said[1:], None), strict=True):
        is_over = after is not None and after.block is Block.ITEM and one.block is Block.PROSE
        is_brief = not one.text.endswith((".", "!", "?")) and words(one.text) <= _HEAD_WORDS_MAX
        if one.block is Block.HEADING or (is_over and is_brief):
            yield one.text


def _split_long(plan: str, passage: Stretch, chars_max: int) -> list[str]:
    """Return a passage; the items of a list that would not fit, one by one."""
    if passage.items == 1 or len(passage.text) <= chars_max // 2:
        return [passage.text]
    return [one.text for one in sentences(plan[passage.start : passage.end])]


def _list_rows(plan: str) -> Iterator[str]:
    """Yield the rows of the tables of a plan."""
    for table in _TABLE.finditer(plan):
        lines = [line for line in table[0].splitlines() if line.strip()][:_ROWS_MAX]
        has_head = len(lines) > 1 and _RULE.match(lines[1]) is not None
        chosen = _find_chosen(_split(lines[0])) if has_head else None
        for line in lines[2 if has_head else 0 :]:
            name, *cells = _split(line)
            said = cells[chosen - 1 : chosen] if chosen is not None else cells
            row = ": ".join(filter(None, (name, ", ".join(filter(None, said)))))
            if row:
                yield row


def _find_chosen(head: list[str]) -> int | None:
    at = (at for at, cell in enumerate(head) if at and _CHOSEN.fullmatch(cell))
    return next(at, None)


def _split(line: str) -> list[str]:
    return [show_excerpt(cell) for cell in line.strip().strip("|").split("|")]
