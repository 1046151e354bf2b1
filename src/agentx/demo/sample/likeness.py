"""What the three renderings share: ids in each CLI's manner, places, and lines of JSON.

Every id is a hash of its place in the script, so hooks and transcripts name the
same thing by the same id, today and tomorrow.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from agentx.demo.sample.script import PROJECT
from agentx.kernel.ids import digest
from agentx.kernel.values import frozen

Payload = dict[str, Any]  # JSON of an agent CLI: its shape is the CLI's own

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@frozen
class Place:
    """Where the sample is played: the project's folder and the user's home."""

    project: str
    home: str

    def transcript(self, relative: str) -> str:
        """Return the absolute path of a transcript."""
        return f"{self.home}/{relative}"

    def fill(self, value: Any) -> Any:
        """Return JSON with the project's folder put in wherever a script left room for it."""
        if isinstance(value, str):
            return value.replace(PROJECT, self.project)
        if isinstance(value, dict):
            return {key: self.fill(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.fill(inner) for inner in value]
        return value

    def lines(self, payloads: Iterable[Payload]) -> str:
        """Return the text of a JSONL file."""
        return "".join(
            json.dumps(self.fill(payload), ensure_ascii=False, separators=(",", ":")) + "\n"
            for payload in payloads
        )


def in_project(path: str) -> str:
    """Return the absolute path of a file of the project."""
    return f"{PROJECT}/{path}"


def hexes(count: int, *parts: str) -> str:
    """Return `count` hexadecimal digits."""
    return digest("sample", *parts, size=32).hex()[:count]


def letters(count: int, *parts: str) -> str:
    """Return `count` letters and digits."""
    number = int.from_bytes(digest("sample", *parts, size=32))
    drawn = []
    for _ in range(count):
        number, index = divmod(number, 62)
        drawn.append(_BASE62[index])
    return "".join(drawn)


def random_uuid(*parts: str) -> str:
    """Return a UUID as if it had been drawn at random (version 4)."""
    return _uuid(hexes(32, *parts), "4")


def make_dated_uuid(at_ms: int, *parts: str) -> str:
    """Return a UUID that begins with a time (version 7)."""
    return _uuid(f"{at_ms:012x}" + hexes(20, *parts), "7")


def _uuid(digits: str, version: str) -> str:
    variant = "89ab"[int(digits[16], 16) % 4]
    marked = digits[:12] + version + digits[13:16] + variant + digits[17:]
    return "-".join((marked[:8], marked[8:12], marked[12:16], marked[16:20], marked[20:]))
