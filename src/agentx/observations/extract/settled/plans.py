"""What a plan says: the rows of its tables, the items of its lists, and its sentences.

A plan is told by what is to be, not by its context: how things were, what the problem is and how it
will be checked are left out, as is what a heading says is no part of it, but for the sentence that
says what is wanted.

A row is what it is about and what is to hold: the column that says so, where a table compares
what was with what is to be, else all of them. What a plan leaves out is told last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentx.kernel.text import compile_late
from agentx.prose.passages import Stretch, cut_passages
from agentx.prose.sentences import Block, sentences, shorten, show_excerpt, words

_PIECES_MAX = 6
_PIECE_CHARS_MAX = 150
_PIECE_WORDS_MIN = 2
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
# What leads to a plan, and what comes after it.
_HEADING = compile_late(
    r"^[ \t]*(?:(#{1,6})[ \t]+(.+?)|\*\*([^*\n]{2,60}?):?\*\*:?)[ \t]*$", re.MULTILINE
)
_LABELLED = compile_late(r"^[ \t]*(?:[-*][ \t]+)?\*\*([^*\n]{2,40})\*\*:?[ \t]+\S.*$", re.MULTILINE)
_NUMBERED = compile_late(r"\A\W*(?:\d+[.)]?\s*)?|\W+\Z")
_BESIDE = compile_late(
    r"(?:(?:the |our )?(?:context|background|problems?(?: statement| description)?|motivation|why"
    r"|issues?|symptoms?|(?:root )?causes?|analysis|findings|situation|rationale|history|verify"
    r"|verification|what(?:'s| is)? already\b.*|no changes? (?:needed|required)\b.*|unchanged"
    r"|testing|tests? plan|tests?|how to (?:test|verify|check)|validation|references|before"
    r"|(?:current|existing|present) \w+(?: \w+)?)"
    r"|what (?:is|was) (?:wrong|broken|there)|what (?:we have|happens) (?:now|today)|as[- ]is"
    r"|(?:out of|not in) scope|non-?goals?|not (?:now|included|part of (?:this|it))|later"
    r"|nicht (?:teil|ziel)\b.*|hors p\u00e9rim\u00e8tre|fuera de alcance|fuori ambito"
    r"|kontext|hintergrund|ausgangslage|ist-zustand|probleme?|ursachen?|pr\u00fcfung|anlass"
    r"|contexte|probl\u00e8me|v\u00e9rification|contexto|problemas?|verificaci\u00f3n|situaci\u00f3n"
    r"|contesto|verifica)(?: (?:and|&|und|et|y|e) \w+)?",
    re.IGNORECASE,
)
_IS_SO = compile_late(
    r"(?i:\balready \w+(?:s|ed)\b|\bonly files? to (?:modify|change|edit)\b|= `[^`]*`\Z)"
)
_WANTED = compile_late(
    r"(?i:\b(?:we|the user|users|i) (?:wants?|would like|need)\b|\bthe (?:goal|aim|idea) is\b"
    r"|\bgoal:"
    r"|\bwir (?:wollen|brauchen)\b|\bdas ziel\b|\bqueremos\b|\bon veut\b|\bvogliamo\b)"
)


def word_plan(plan: str, title: str, chars_max: int) -> tuple[str, list[str]]:
    """Return a plan's title with what its tables say, and what else it says, piece by piece."""
    plan, wanted = _leave_beside(plan)
    rows, head = [], title
    for row in _list_rows(plan):
        rows.append(row)
        longer = "; ".join((title, *rows))
        head = longer if len(longer) <= chars_max else head
    heads = {title, *_list_heads(plan)}
    said = [one for one in cut_passages(plan) if one.text not in heads]
    pieces = [piece for one in said[:_PIECES_MAX] for piece in _split_long(plan, one, chars_max)]
    # What is wanted is rather told in part than not at all.
    pieces = [*(shorten(each, _PIECE_CHARS_MAX) for each in wanted), *filter(_tells, pieces)]
    return head, sorted(pieces, key=lambda piece: _LEAVES_OUT.match(piece) is not None)


def _leave_beside(plan: str) -> tuple[str, list[str]]:
    """Return a plan without what is said beside what is to be, and what is said there to be wanted.

    A plan that says nothing else is left as it is.
    """
    kept, beside, at, leaves = "", "", 0, 0
    for match in _HEADING.finditer(plan):
        level = len(match[1]) if match[1] else 7  # bold words head what is below any heading
        text = plan[at : match.start()]
        beside, kept = (beside + text, kept) if leaves else (beside, kept + text)
        at = match.start()
        if leaves and level > leaves:
            continue
        name = _NUMBERED.sub("", match[2] or match[3])
        leaves = level if _BESIDE.fullmatch(name) else 0
    beside, kept = (beside + plan[at:], kept) if leaves else (beside, kept + plan[at:])
    if not any(one.block is not Block.HEADING for one in sentences(kept)) and "|" not in kept:
        return plan, []
    return _leave_labelled(kept), _list_wanted(beside)


def _leave_labelled(text: str) -> str:
    """Return a text without the lines that a label says are beside the plan."""
    return _LABELLED.sub(lambda row: "" if _BESIDE.fullmatch(row[1].strip(" :")) else row[0], text)


def _list_wanted(beside: str) -> list[str]:
    """Return the first sentence that says what is wanted, or the first items under it."""
    said = sentences(beside)
    for at, one in enumerate(said):
        if _WANTED.search(one.text):
            if not one.text.endswith(":"):
                return [one.text]
            return [each.text for each in said[at + 1 :] if each.block is Block.ITEM][:2]
    return []


def _tells(piece: str) -> bool:
    """Tell whether a piece says what is to be, and is more than a few words."""
    return words(piece) >= _PIECE_WORDS_MIN and _IS_SO.search(piece) is None


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
