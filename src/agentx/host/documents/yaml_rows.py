"""YAML of long lists: the same bytes as `YAML.dump`, sooner where most of it is plain words.

A list of rows is written row by row: what is plain as it is, any other row by the library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from agentx.host.documents.yaml_file import YAML

_ROWS_MIN = 50  # what is shorter is dumped at once
_CHARS_MAX = 70  # longer text may be folded
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_/-]*(?: [A-Za-z0-9_/-]+)*")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


def dump_rows(document: dict[str, Any]) -> bytes:
    """Return a document as YAML; no part of it may stand there twice."""
    if not any(_count(value) >= _ROWS_MIN for value in document.values()):
        return YAML.dump(document)
    return b"".join(_write(name, value) for name, value in document.items())


def _count(value: object) -> int:
    if not isinstance(value, list):
        return 0
    return max(len(value), *(len(each) for each in value if isinstance(each, list)), 0)


def _write(name: str, value: object) -> bytes:
    if not isinstance(value, list) or not value or not _is_plain(name):
        return YAML.dump({name: value})
    return b"".join((f"{name}:\n".encode("ascii"), *map(_write_row, value)))


def _write_row(row: object) -> bytes:
    lines = list(_list_lines(row))
    if not lines or "" in lines:
        return YAML.dump({"x": [row]}).removeprefix(b"x:\n")
    return f"- {'  '.join(lines)}".encode("ascii")


def _list_lines(row: object) -> Iterator[str]:
    """Yield the lines of a row that is plain; an empty one where it is not."""
    match row:
        case str():
            yield f"{row}\n" if _is_plain(row) else ""
        case list():
            yield from (f"- {each}\n" if _is_plain(each) else "" for each in row)
        case dict():
            for name, value in row.items():
                if not _is_plain(name):
                    yield ""
                elif isinstance(value, list):
                    yield f"{name}:\n" if value else f"{name}: []\n"
                    yield from (f"- {each}\n" if _is_plain(each) else "" for each in value)
                else:
                    yield f"{name}: {value}\n" if _is_plain(value) else ""
        case _:
            yield ""


def _is_plain(text: object) -> bool:
    """Tell whether YAML writes a text as it is, whatever stands around it."""
    return (
        isinstance(text, str)
        and len(text) <= _CHARS_MAX
        and _PLAIN.fullmatch(text) is not None
        and text.lower() not in _WORDS
    )
