"""JSON as bytes, the same everywhere: Unicode stays readable, and any text survives.

A lone surrogate, which some agent CLIs let through, is written as its escape: the
bytes are valid UTF-8 and reading them gives the same text back.
"""

from __future__ import annotations

import json
import sys
from typing import Any

# Below this the standard library, which needs no import, is done while the other is imported.
_SMALL_BYTES = 2 * 1024 * 1024


def line_of(value: object) -> bytes:
    """Return a value as one line, without the newline."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def page_of(value: object) -> bytes:
    """Return a value as a person would want to read it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def parse_json(raw: bytes) -> Any:
    """Return the value of JSON bytes.

    Raises: ValueError that names the line, as JSONDecodeError or UnicodeDecodeError.
    """
    if len(raw) > _SMALL_BYTES or "msgspec" in sys.modules:
        import msgspec  # noqa: PLC0415  10 ms, which one small document is not worth

        try:
            return msgspec.json.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass  # the slower reader knows lines, and takes lone surrogates, as this one does not
    try:
        return json.loads(raw)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def line_number(raw: bytes, error: ValueError) -> int:
    """Return the line at which `parsed` gave up."""
    if isinstance(error, json.JSONDecodeError):
        return error.lineno
    if isinstance(error, UnicodeDecodeError):
        return raw[: error.start].count(b"\n") + 1
    return 1
