"""Documents gone wrong: by a torn write, a merge, another tool's idea, or malice."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

# Values that somebody did not think of.
ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 10**400, 1e308, "", " ", "\x00", "\ud800", "../../etc/passwd", "[" * 2000),
    *(
        [],
        {},
        [[]],
        {"": None},
        "\x1b]0;x\x07",
        "x" * 100_000,
        -(2**63) - 1,
        2**64,
        "2026-99-99T99",
    ),
    *("9" * 5000, ["\u202e"] * 50, {"a": {"b": {"c": [1, {"d": None}]}}}, "NaN", 0.1, "~", "!!"),
)
TOKENS = (
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b":",
        b",",
        b"\n",
        b"\r",
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
    ),
    *(
        b"<<<<<<< ours\n",
        b"=======\n",
        b">>>>>>> theirs\n",
        b"&a [*a, *a]",
        b"!!python/object:os.system",
    ),
    *(
        b"1e999999",
        b"- " * 500,
        b"\xf0\x9f\x9a",
        b"\t",
        b"---\n",
        b"...",
        b"null",
        b"[[",
        b"\\ud800",
    ),
)


def change_each(document: Any) -> Iterator[Any]:
    """Yield the document with each of its values in turn missing, and each of the odd ones."""
    yield from ODD
    if isinstance(document, dict):
        for name, value in document.items():
            rest = {key: inner for key, inner in document.items() if key != name}
            yield rest
            yield from ({**rest, name: changed} for changed in change_each(value))
    elif isinstance(document, list):
        for at, value in enumerate(document):
            before, after = document[:at], document[at + 1 :]
            yield from ([*before, changed, *after] for changed in change_each(value))


def mutate(raw: bytes, chance: random.Random) -> bytes:
    """Return a document with one thing wrong."""
    ways: tuple[Callable[[bytes, random.Random], bytes], ...] = (
        *(_change_value, _change_value, _change_value),
        *(_cut, _insert, _flip, _double, _empty, _nest),
    )
    return chance.choice(ways)(raw, chance)


def _change_value(raw: bytes, chance: random.Random) -> bytes:
    """Put an odd value into a JSON document, or into one line of it; else insert something."""
    lines = raw.split(b"\n")
    whole = len(lines) == 1 or raw.lstrip().startswith((b"{\n", b"[\n"))
    at = 0 if whole else chance.randrange(len(lines))
    try:
        value = json.loads(raw if whole else lines[at])
    except (ValueError, RecursionError):
        return _insert(raw, chance)
    changed = json.dumps(_replace(value, chance)).encode()
    if whole:
        return changed
    lines[at] = changed
    return b"\n".join(lines)


def _replace(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(sorted(value))
        if chance.random() < 0.15:
            return {name: inner for name, inner in value.items() if name != key}
        return {**value, key: _replace(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        at = chance.randrange(len(value))
        return [*value[:at], _replace(value[at], chance), *value[at + 1 :]]
    return chance.choice(ODD)


def _cut(raw: bytes, chance: random.Random) -> bytes:
    return raw[: chance.randrange(len(raw) + 1)]


def _insert(raw: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(raw) + 1)
    return raw[:at] + chance.choice(TOKENS) + raw[at:]


def _flip(raw: bytes, chance: random.Random) -> bytes:
    if not raw:
        return b"\x80"
    at = chance.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ (1 << chance.randrange(8))]) + raw[at + 1 :]


def _double(raw: bytes, _chance: random.Random) -> bytes:
    return raw + raw


def _empty(_raw: bytes, chance: random.Random) -> bytes:
    return chance.choice((b"", b" ", b"null", b"[]", b"{}", b"0", b'""', b"\xff", b"\x00" * 4096))


def _nest(_raw: bytes, chance: random.Random) -> bytes:
    return chance.choice((b"[" * 100_000, b'{"a":' * 50_000, b"a: " * 5_000, b"- " * 20_000))
