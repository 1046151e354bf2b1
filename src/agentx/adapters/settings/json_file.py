"""Edit a JSON settings file as its owner would: in place, leaving every other character alone.

The files belong to people. They hold comments, trailing commas, tabs, one-line lists
and keys in an order that means something to somebody. So an edit is a splice of text:
we read where each value starts and ends, and cut or insert there.

The law: what was inserted can be removed again without a trace. Two habits make it
possible to tell, from the text alone, what is ours to remove:

* a container that we create is written over several lines;
* a container that we found empty is filled on its own line: `{}` becomes `{"a": 1}`.

So when our last item goes, a container that closes right behind it was there before
and stays, and one that closes on a line of its own goes with the item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agentx.adapters import limits
from agentx.kernel.errors import CorruptRecord, InvalidValue
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

Json = Any
Place = tuple[str | int, ...]  # the way from the root to a value: keys and positions

_TRIVIA = compile_late(r"[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = compile_late(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_WORD = compile_late(r"[-+.\w]+")
_BYTE_ORDER_MARK = "\ufeff"
_SPACE = " \t\r\n"
_INDENT_DEFAULT = "  "
_BY_HAND_CHARS_MAX = 400  # more is no line that anybody writes


@frozen(kw_only=False)
class Item:
    """A member of an object or an element of an array."""

    key: str | None
    start: int  # where the key starts, or the element
    node: Node
    comma: int | None  # where the comma behind it is


@frozen(kw_only=False)
class Node:
    """A value and where it stands."""

    start: int
    end: int
    value: Json
    items: tuple[Item, ...] = ()


@frozen(kw_only=False)
class JsonText:
    """A settings file: its text, and what the text says."""

    path: Path
    text: str
    root: Node
    comments: tuple[tuple[int, int], ...]

    @property
    def value(self) -> Json:
        """What the whole file says."""
        return self.root.value

    def find(self, place: Place) -> Node | None:
        """Return the value at a place; None when there is none."""
        node = self.root
        for step in place:
            item = _item(node, step)
            if item is None:
                return None
            node = item.node
        return node

    def line(self, place: Place) -> int:
        """Return the line number of a value."""
        node = self.find(place)
        return self.text.count("\n", 0, node.start if node else 0) + 1


def read_json(text: str, path: Path) -> JsonText:
    """Read JSON that may hold comments and trailing commas.

    Raises: CorruptRecord naming the file and the line.
    """
    reader = _Reader(text, path)
    root = reader.document()
    return JsonText(path, text, root, tuple(reader.comments))


def pretty(value: Json) -> str:
    """Return the text of a file that we write ourselves."""
    return json.dumps(value, indent=_INDENT_DEFAULT, ensure_ascii=False) + "\n"


def append_item(
    document: JsonText, place: Place, value: Json, *, key: str | None = None
) -> JsonText:
    """Add an item at the end of the container at a place: a member if it has a key."""
    container = document.find(place)
    assert container is not None, place
    assert isinstance(container.value, list if key is None else dict), place
    text = document.text
    if not container.items:
        return _fill(document, container, key, value)
    last = container.items[-1]
    after_last = last.node.end if last.comma is None else last.comma + 1
    # A comment behind the last item, on its line, speaks of that item: it stays there.
    at = _line_comment_end(document, after_last)
    indent = _line_indent(text, last.start)
    inside = text[container.start : container.end]
    spread = _starts_line(text, last.start) or (key is not None and "\n" in inside)
    if spread and not _starts_line(text, last.start):
        indent += _unit(document)
    gap = _newline(text) + indent if spread or _ends_line_comment(document, at) else " "
    inserted = gap + _write_item(document, key, value, indent)
    if last.comma is None:
        splices = [(last.node.end, last.node.end, ","), (at, at, inserted)]
    else:
        splices = [(at, at, inserted + ",")]
    return _splice(document, splices)


def replace_value(document: JsonText, place: Place, value: Json) -> JsonText:
    """Put another value at a place."""
    node = document.find(place)
    assert node is not None, place
    written = _write_item(document, None, value, _line_indent(document.text, node.start))
    return _splice(document, [(node.start, node.end, written)])


def remove_item(document: JsonText, place: Place) -> JsonText | None:
    """Take an item out, and the containers that were made for it; None when nothing is left."""
    if not place:
        return _without_root(document)
    container = document.find(place[:-1])
    item = _item(container, place[-1]) if container else None
    assert container is not None, place
    assert item is not None, place
    if len(container.items) > 1:
        return _splice(document, _cut(document, container, item))
    inside = range(container.start, container.end)
    ours = range(item.start, item.node.end)
    if any(start in inside and start not in ours for start, _ in document.comments):
        return _splice(document, _cut(document, container, item))
    if item.node.end == container.end - 1:  # it was there, empty, before we filled it
        return _splice(document, [(item.start, item.node.end, "")])
    return remove_item(document, place[:-1])


def refuse(document: JsonText, place: Place, expected: str, by_hand: Json) -> InvalidValue:
    """Return the error for a value of the wrong kind, with what to write by hand if it is short."""
    where = ".".join(str(step) for step in place) or "the file"
    added = json.dumps(by_hand, ensure_ascii=False)
    empty = "[]" if expected == "a list" else "{}"
    hint = f"mend it, or add by hand: {added}"
    if len(added) > _BY_HAND_CHARS_MAX:
        hint = f"write {empty} in its place, then run the same command again"
    return InvalidValue(
        f"{document.path}: line {document.line(place)}: {where} is not {expected}", hint=hint
    )


# --- cutting and inserting ---------------------------------------------------------------------


def _fill(document: JsonText, container: Node, key: str | None, value: Json) -> JsonText:
    """Put the first item into an empty container, closing bracket right behind it."""
    inside = [span for span in document.comments if container.start < span[0] < container.end]
    at = inside[-1][1] if inside else container.end - 1
    text = document.text
    indent = _line_indent(text, at)
    gap = " " if inside else ""
    if _ends_line_comment(document, at):
        gap = _newline(text) + indent
    return _splice(document, [(at, at, gap + _write_item(document, key, value, indent))])


def _cut(document: JsonText, container: Node, item: Item) -> list[tuple[int, int, str]]:
    """Return the splices that take one item out and leave every comment."""
    text = document.text
    position = container.items.index(item)
    if position == 0 and len(container.items) > 1:
        assert item.comma is not None
        behind = item.comma + 1
        behind += len(text[behind:]) - len(text[behind:].lstrip(_SPACE))
        return [(item.start, item.node.end, ""), (item.comma, behind, "")]

    start = len(text[: item.start].rstrip(_SPACE))
    end = item.node.end
    splices = []
    if item.comma is not None:
        only_space = not text[end : item.comma].strip(_SPACE)
        splices.append((end if only_space else item.comma, item.comma + 1, ""))
        rest = text[item.comma + 1 if only_space else end :]
    else:
        before = container.items[position - 1].comma
        splices += [(before, before + 1, "")] if before is not None else []
        rest = text[end:]
    # A line comment in front must not swallow what follows.
    swallows = _ends_line_comment(document, start)
    keep = swallows and not rest.lstrip(" \t").startswith(("\n", "\r"))
    return [*splices, (start, end, _newline(text) if keep else "")]


def _without_root(document: JsonText) -> JsonText | None:
    root = document.root
    around = document.text[: root.start] + document.text[root.end :]
    if around.strip(_SPACE + _BYTE_ORDER_MARK):
        return _splice(document, [(root.start, root.end, "{}")])
    return None


def _splice(document: JsonText, splices: Iterable[tuple[int, int, str]]) -> JsonText:
    pieces: list[str] = []
    done = 0
    for start, end, new in sorted(splices, key=lambda splice: splice[0]):
        pieces += (document.text[done:start], new)
        done = end
    return read_json("".join((*pieces, document.text[done:])), document.path)


# --- how the file is written -------------------------------------------------------------------


def _write_item(document: JsonText, key: str | None, value: Json, indent: str) -> str:
    text = json.dumps(value, indent=_unit(document), ensure_ascii=False)
    text = text.replace("\n", _newline(document.text) + indent)
    return text if key is None else f"{json.dumps(key, ensure_ascii=False)}: {text}"


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(document: JsonText) -> str:
    """Return one step of indentation as this file has it."""
    for item in document.root.items:
        if _starts_line(document.text, item.start):
            return _line_indent(document.text, item.start) or _INDENT_DEFAULT
    return _INDENT_DEFAULT


def _line_indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position].removeprefix(_BYTE_ORDER_MARK)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _starts_line(text: str, position: int) -> bool:
    line_start = text.rfind("\n", 0, position) + 1
    return line_start > 0 and not text[line_start:position].strip(" \t")


def _line_comment_end(document: JsonText, position: int) -> int:
    """Return the end of the comments that follow a position on its line."""
    for start, end in document.comments:
        if start >= position and not document.text[position:start].strip(" \t"):
            position = end
    return position


def _ends_line_comment(document: JsonText, position: int) -> bool:
    return any(
        end == position and document.text.startswith("//", start)
        for start, end in document.comments
    )


# --- reading -----------------------------------------------------------------------------------


def _item(node: Node | None, step: str | int) -> Item | None:
    if node is None:
        return None
    if isinstance(step, int):
        is_list = isinstance(node.value, list)
        return node.items[step] if is_list and step < len(node.items) else None
    # Of two members with one name, the last is the one that programs see.
    return next((item for item in reversed(node.items) if item.key == step), None)


class _Reader:
    """Reads once, from the front, and remembers where everything stood."""

    def __init__(self, text: str, path: Path) -> None:
        self._text = text
        self._path = path
        self._at = len(_BYTE_ORDER_MARK) if text.startswith(_BYTE_ORDER_MARK) else 0
        self.comments: list[tuple[int, int]] = []

    def document(self) -> Node:
        self._skip()
        root = self._value(0)
        self._skip()
        if self._at < len(self._text):
            raise self._complain("text behind the end of the value")
        return root

    def _value(self, depth: int) -> Node:
        if depth > limits.SETTINGS_DEPTH_MAX:
            raise self._complain(f"more than {limits.SETTINGS_DEPTH_MAX} levels deep")
        match self._text[self._at : self._at + 1]:
            case "{":
                return self._container("}", depth)
            case "[":
                return self._container("]", depth)
            case '"':
                return self._scalar(_STRING, "a string that does not end")
            case "":
                raise self._complain("the file ends too early")
            case _:
                return self._scalar(_WORD, "a value was expected")

    def _container(self, close: str, depth: int) -> Node:
        start = self._at
        self._at += 1
        items: list[Item] = []
        self._skip()
        while not self._takes(close):
            if items and items[-1].comma is None:
                raise self._complain(f"a comma or {close} was expected")
            item_start = self._at
            key = self._key() if close == "}" else None
            node = self._value(depth + 1)
            self._skip()
            comma = self._at - 1 if self._takes(",") else None
            items.append(Item(key, item_start, node, comma))
            self._skip()
        value: Json = [item.node.value for item in items]
        if close == "}":
            value = {item.key: item.node.value for item in items}
        return Node(start, self._at, value, tuple(items))

    def _key(self) -> str:
        if self._text[self._at : self._at + 1] != '"':
            raise self._complain("a key in double quotes was expected")
        key = self._scalar(_STRING, "a key that does not end").value
        self._skip()
        if not self._takes(":"):
            raise self._complain("a colon was expected")
        self._skip()
        assert isinstance(key, str)
        return key

    def _scalar(self, pattern: re.Pattern[str], what: str) -> Node:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise self._complain(what)
        try:
            value = json.loads(match.group())
        except ValueError:
            raise self._complain(what) from None
        self._at = match.end()
        return Node(match.start(), match.end(), value)

    def _takes(self, mark: str) -> bool:
        found = self._text.startswith(mark, self._at)
        if found:
            self._at += len(mark)
        return found

    def _skip(self) -> None:
        while match := _TRIVIA.match(self._text, self._at):
            if match.group().startswith("/"):
                self.comments.append(match.span())
            self._at = match.end()

    def _complain(self, what: str) -> CorruptRecord:
        line = self._text.count("\n", 0, self._at) + 1
        return CorruptRecord(
            f"{self._path}: line {line}: {what}",
            hint="mend the file, then run the same command again; nothing was changed",
        )
