"""YAML of pages: the same bytes as `YAML.dump`, sooner where most of it is plain words.

Each part at the top, and of a list each row, is written as it is where all in it is plain, and by
the library where not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from agentx.host.documents.yaml_file import YAML

_CHARS_MAX = 90  # longer lines may be folded
_SPELLINGS_KEPT = 2_048
# Words that mean nothing else to YAML: a letter first, no colon that ends one and no number sign
# that begins one; ids and commits.
_PLAIN = re.compile(
    r"[A-Za-z](?:[!-9;-~]|:(?=[!-~]))*(?: (?!#)(?:[!-9;-~]|:(?=[!-~]))+)*"
    r"|\d{8}-\d{4}-[a-z0-9-]+|(?=\d*[A-Z])[0-9A-Z]{26}|(?!0b)(?=\d*[a-f])[0-9a-f]{40}"
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z")
_WORDS = frozenset({"yes", "no", "on", "off", "true", "false", "null"})


def dump_rows(document: dict[str, Any]) -> bytes:
    """Return a document as YAML; no part of it may stand there twice."""
    if not document:
        return YAML.dump(document)
    return b"".join(_write(name, value) for name, value in document.items())


def _write(name: str, value: object) -> bytes:
    if isinstance(value, list) and value and _is_name(name):
        return b"".join((f"{name}:\n".encode("ascii"), *map(_write_row, value)))
    return _join(_list_lines({name: value}, "")) or YAML.dump({name: value})


def _write_row(row: object) -> bytes:
    return _join(_list_lines([row], "")) or YAML.dump({"x": [row]}).removeprefix(b"x:\n")


def _join(lines: Iterator[str]) -> bytes:
    """Return lines as text; nothing where one is not plain, or too long."""
    found = list(lines)
    if not all(line and len(line) <= _CHARS_MAX for line in found):
        return b""
    return "".join(f"{line}\n" for line in found).encode("ascii")


def _list_lines(value: dict[str, Any] | list[Any], indent: str) -> Iterator[str]:
    """Yield the lines of a mapping or a list; an empty one where something is not plain."""
    if isinstance(value, list):
        for each in value:
            if isinstance(each, dict | list) and each:
                first, *more = _list_lines(each, f"{indent}  ")
                yield first and f"{indent}- {first[len(indent) + 2 :]}"
                yield from more
            else:
                spelled = _spell(each)
                yield spelled and f"{indent}- {spelled}"
        return
    for name, each in value.items():
        if not _is_name(name):
            yield ""
        elif isinstance(each, dict | list) and each:
            yield f"{indent}{name}:"
            yield from _list_lines(each, indent if isinstance(each, list) else f"{indent}  ")
        else:
            spelled = _spell(each)
            yield spelled and f"{indent}{name}: {spelled}"


def _is_name(name: object) -> bool:
    return isinstance(name, str) and len(name) <= _CHARS_MAX and _spell_text(name) == name


def _spell(value: object) -> str:
    """Return how YAML writes a value, whatever stands around it; nothing where it is not plain."""
    if isinstance(value, str):
        return _spell_text(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    return {"[]": "[]", "{}": "{}"}.get(repr(value), "")


@lru_cache(_SPELLINGS_KEPT)
def _spell_text(text: str) -> str:
    if not text or _TIME.fullmatch(text):
        return f"'{text}'"
    if text.lower() in _WORDS and text in (text.lower(), text.upper(), text.title()):
        return f"'{text}'"
    return text if _PLAIN.fullmatch(text) else ""
