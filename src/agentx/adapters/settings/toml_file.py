"""Edit a TOML settings file in place: sections added at the end, values changed where they stand.

A header in TOML names its table in full, so a new section can always go to the end of
the file, where it touches nothing, and can be cut out again without a trace. Values are
changed with tomlkit, which keeps comments and order.

The law: every change is checked against what it should mean. Text that a splice would
spoil (inline tables, dotted keys) is refused, with what to write by hand.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from agentx.kernel.errors import CorruptRecord, InvalidValue
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

Toml = dict[str, Any]

_LINE = compile_late(r"[^\n]*\n|[^\n]+")


@frozen(kw_only=False)
class TomlTable:
    """A table with its header, as it stands in the text."""

    keys: tuple[str, ...]
    repeated: bool  # `[[...]]`: one more element of an array
    start: int
    end: int  # behind its last line that says something


def read_toml(text: str, path: Path) -> Toml:
    """Return what a TOML file says.

    Raises: CorruptRecord naming the file and the line.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise CorruptRecord(
            f"{path}: {error}",
            hint="mend the file, then run the same command again; nothing was changed",
        ) from None


def section(keys: Iterable[str], values: Mapping[str, Any], *, repeated: bool = False) -> str:
    """Write a section, without a line end behind it."""
    name = ".".join(tomlkit.key(key).as_string() for key in keys)
    header = f"[[{name}]]" if repeated else f"[{name}]"
    lines = [f"{key} = {tomlkit.item(value).as_string()}" for key, value in values.items()]
    return "\n".join((header, *lines))


def with_section(text: str, written: str) -> str:
    """Add a section at the end; a file without a last line end stays without one."""
    line_end = _line_end(text)
    written = written.replace("\n", line_end)
    if not text.strip(" \t\r\n\ufeff"):
        return written + line_end
    if text.endswith("\n"):
        return text + line_end + written + line_end
    return text + line_end + line_end + written


def without_section(text: str, found: TomlTable) -> str:
    """Cut a section out, with the empty line in front of it."""
    line_end = _line_end(text)
    before, behind = text[: found.start], text[found.end :]
    at_end_of_file = not text[: found.end].endswith("\n")
    if before.endswith(line_end + line_end) or before == line_end:
        before = before.removesuffix(line_end)
    if at_end_of_file:
        before = before.removesuffix(line_end)
    return before + behind


def sections(text: str) -> list[TomlTable]:
    """Return the sections of a text from first to last."""
    found: list[TomlTable] = []
    position = content_end = 0
    header: tuple[tuple[str, ...], bool, int] | None = None
    for line in _LINE.findall(text):
        named = _name_of_header(line)
        if named is not None:
            if header is not None:
                found.append(TomlTable(*header, content_end))
            header = (*named, position)
        position += len(line)
        if line.strip() and not line.lstrip().startswith("#"):
            content_end = position
    if header is not None:
        found.append(TomlTable(*header, content_end))
    return found


def with_values(text: str, path: Path, change: Callable[[Any], None]) -> str:
    """Change values where they stand; comments and order are kept."""
    document = tomlkit.parse(text)
    try:
        change(document)
    except (TOMLKitError, KeyError, TypeError, ValueError) as error:
        raise InvalidValue(f"{path}: cannot be changed in place: {error}") from error
    return tomlkit.dumps(document)


def check_meaning(text: str, path: Path, expected: Toml, by_hand: str) -> str:
    """Return the text if it means what is expected.

    Raises: InvalidValue with what to do by hand.
    """
    refusal = InvalidValue(
        f"{path}: is written in a way that cannot be edited safely; nothing was changed",
        hint=f"by hand:\n{by_hand}",
    )
    try:
        found = read_toml(text, path)
    except CorruptRecord:
        raise refusal from None
    if _drop_empty(found) != _drop_empty(expected):
        raise refusal
    return text


def _drop_empty(value: Any) -> Any:
    """Return a value without its empty tables and arrays: they say nothing."""
    if isinstance(value, dict):
        kept = {key: _drop_empty(inner) for key, inner in value.items()}
        return {key: inner for key, inner in kept.items() if inner not in ({}, [])}
    if isinstance(value, list):
        return [_drop_empty(inner) for inner in value]
    return value


def _name_of_header(line: str) -> tuple[tuple[str, ...], bool] | None:
    """Return the name in a header line; None when it is another line."""
    header = line.strip()
    if not header.startswith("["):
        return None
    try:
        table: Any = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return None
    keys = []
    while table:
        table = table[0] if isinstance(table, list) else table
        for key, inner in table.items():
            keys.append(key)
            table = inner
    return tuple(keys), header.startswith("[[")


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
