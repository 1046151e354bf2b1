"""The parts of a person's comment, each with the questions that it is for.

    CLR-1-004: yes              a line that begins with a question begins a part,
    - **clr-1-5**: no           in any case, as an item, a heading, or in bold
    > ... (CLR-1-006, round 1)
    later                       what follows a quoted question is for that
    yes                         anything else names none

What stands in a block of code is nobody's name, and what is hidden on the page is not said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_DASH = "[-\u2010\u2011\u2012\u2013\u2212]"
_ONE = rf"CLR{_DASH}\d{{1,9}}{_DASH}\d{{1,9}}(?:@[A-Za-z0-9][A-Za-z0-9_-]{{0,63}})?(?![A-Za-z0-9])"
_NAME = compile_late(_ONE, re.IGNORECASE)
_SHAPE = compile_late(rf"CLR{_DASH}(\d+){_DASH}(\d+)(@.*)?", re.IGNORECASE)
_OPEN, _CLOSE = r"[*_`~\"'(\[]{0,4}", r"[*_`~\"')\]]{0,4}"
_WRAPPED = rf"{_OPEN}{_ONE}{_CLOSE}"
_LEAD = compile_late(
    r"^\s*(?:(?:[-*+\u2022]|\d{1,3}[.)]|#{1,6})\s+)?"
    rf"(?P<names>{_WRAPPED}(?:\s*(?:,|;|&|\+|/|\band\b|\bund\b|\bet\b|\by\b)\s*{_WRAPPED}){{0,20}})"
    r"\s*(?:[:=,.;\uff1a\uff0c\u2192]|[-=]>|[-\u2013\u2014]+)?[*_`~]{0,3}\s*",
    re.IGNORECASE,
)
_HEADER = compile_late(rf"\(({_ONE}), round ", re.IGNORECASE)
_HIDDEN = compile_late(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_MENTIONS = compile_late(r"^\s*(?:@[A-Za-z0-9][A-Za-z0-9/_-]*[\s,:]*)+")
# Marks of direction and of no width, which a keyboard or a copy leaves before words.
_UNSEEN = compile_late("^[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
_FENCE = compile_late(r"^\s*(?:```|~~~)")
_WROTE = compile_late(
    "^(?:On|Am|Le|El)\\b.{5,200}\\b(?:wrote|schrieb|\u00e9crit|escribi\u00f3)\\b.{0,80}:\\s*$"
)


@frozen
class ReplyPart:
    """Some words of a comment, and the questions that they are for."""

    names: tuple[str, ...]
    text: str
    is_led: bool  # they begin with the names; else the names were quoted, or there are none


def split_reply(body: str) -> tuple[ReplyPart, ...]:
    """Return the parts of a comment in order; what says nothing and names nothing is none."""
    parts: list[ReplyPart] = []
    quoted: tuple[str, ...] = ()
    names_after: list[str] = []
    for is_quote, lines in _list_blocks(_HIDDEN.sub("", body)):
        if is_quote:
            quoted = _read_quote("\n".join(lines))
            names_after.extend(quoted)
            continue
        for part in _split_lines(lines, quoted):
            if parts and parts[-1].is_led and not part.names:  # it quoted something within
                before = parts.pop()
                text = f"{before.text}\n{part.text}".strip()
                parts.append(ReplyPart(names=before.names, text=text, is_led=True))
            else:
                parts.append(part)
        quoted = ()
    if not parts and body.strip():  # it only quotes
        return (ReplyPart(names=tuple(dict.fromkeys(names_after)), text="", is_led=False),)
    if len(parts) == 1 and not parts[0].names and names_after:  # the mail it answers comes below
        return (
            ReplyPart(names=tuple(dict.fromkeys(names_after)), text=parts[0].text, is_led=False),
        )
    return tuple(_join(parts))


def list_names(text: str) -> tuple[str, ...]:
    """Return the questions that a text names anywhere, as they are written in ledgers."""
    return tuple(dict.fromkeys(map(_normalize, _NAME.findall(text))))


def strip_mentions(text: str) -> str:
    """Return a text without the accounts that it calls first."""
    return _MENTIONS.sub("", text).strip()


def _join(parts: list[ReplyPart]) -> Iterator[ReplyPart]:
    """Yield the parts; those that begin with the same question are one."""
    for part in parts:
        same = [each for each in parts if part.is_led and each.is_led and each.names == part.names]
        if not same:
            yield part
        elif same[0] is part:
            text = "\n".join(each.text for each in same).strip()
            yield ReplyPart(names=part.names, text=text, is_led=True)


def _list_blocks(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Yield the lines that are quoted and those that are not, in turn."""
    block: list[str] = []
    was_quote = in_fence = False
    for line in text.splitlines():
        seen = _UNSEEN.sub("", line)
        is_quote = not in_fence and seen.lstrip().startswith(">")
        if not is_quote and _FENCE.match(seen):
            in_fence = not in_fence
        if block and is_quote != was_quote:
            yield was_quote, block
            block = []
        block.append(seen)
        was_quote = is_quote
    if block:
        yield was_quote, block


def _split_lines(lines: list[str], quoted: tuple[str, ...]) -> Iterator[ReplyPart]:
    names, is_led, said = quoted, False, list[str]()
    in_fence = False
    for line in lines:
        lead = None if in_fence else _LEAD.match(_MENTIONS.sub("", line))
        if _FENCE.match(line):
            in_fence = not in_fence
        if lead is not None:
            yield from _make(names, said, is_led=is_led)
            names, is_led = list_names(lead["names"]), True
            said = [_MENTIONS.sub("", line)[lead.end() :]]
        elif not _WROTE.match(line):
            said.append(line)
    yield from _make(names, said, is_led=is_led)


def _make(names: tuple[str, ...], said: list[str], *, is_led: bool) -> Iterator[ReplyPart]:
    text = strip_mentions("\n".join(said))
    if text or is_led or names:
        yield ReplyPart(names=names, text=text, is_led=is_led)


def _read_quote(text: str) -> tuple[str, ...]:
    """Return which questions are quoted: a comment of ours is one, whatever it speaks of."""
    headed = tuple(dict.fromkeys(map(_normalize, _HEADER.findall(text))))
    return headed or list_names(text)


def _normalize(name: str) -> str:
    shape = _SHAPE.fullmatch(name)
    if shape is None:
        return name
    return f"CLR-{int(shape[1])}-{int(shape[2]):03d}{shape[3] or ''}"
