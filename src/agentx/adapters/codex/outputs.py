"""What a tool's output in a Codex rollout says, whichever of its forms it has.

A shell's output begins with a few lines for the model (exit code, wall time) and then
`Output:`; older versions wrote a JSON text with `output` and `metadata` instead. The
display log tells the same once more, structured, as an event of its own.
"""

from __future__ import annotations

import math
import re
from typing import Any

from agentx.adapters.shapes import child, entry, parse, word
from agentx.adapters.tools import result_text
from agentx.kernel.capture import Metadata
from agentx.kernel.text import compile_late

_HEADER = compile_late(
    r"\A(?:(?:Chunk ID|Exit code|Wall time|Process exited|Process running|Original token count"
    r"|Total output lines)[^\n]*\n)+(?:Output:(?:\n|\Z))?"
)
_EXIT = compile_late(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})$", re.MULTILINE)
_WALL = compile_late(r"^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds$", re.MULTILINE)
_FAILED = frozenset({"failed", "declined", "error"})


def output_of(output: object) -> tuple[str, Metadata]:
    """Return the words of an output, and what it says of how the tool ended."""
    value = parse(output) if isinstance(output, str) else output
    if isinstance(value, dict) and ("metadata" in value or "success" in value):
        return result_text(entry(value, "output", "content")), _facts(
            {**child(value, "metadata"), "success": value.get("success")}
        )
    text = output if isinstance(output, str) else result_text(output)
    header = _HEADER.match(text)
    if header is None:
        return text, {}
    code, wall = _EXIT.search(header.group()), _WALL.search(header.group())
    facts: dict[str, Any] = {}
    if code is not None:
        facts["exit_code"] = int(code.group(1))
    if wall is not None:
        facts["duration_seconds"] = float(wall.group(1))
    return text[header.end() :], _facts(facts)


def ending(event: dict[str, Any]) -> tuple[str, Metadata] | None:
    """Return a call's id and how it ended, if an event of the display log tells that."""
    item = child(event, "item")
    if word(event, "type") == "item_completed":
        call_id, facts = word(item, "id"), _facts(item)
    elif word(event, "type").endswith("_end"):
        call_id, facts = word(event, "call_id"), _facts(event)
    else:
        return None
    return (call_id, facts) if call_id and facts else None


def _facts(told: dict[str, Any]) -> Metadata:
    """Return exit code, failure, duration and changed files, as far as they are told."""
    facts: Metadata = {}
    code = told.get("exit_code")
    if isinstance(code, int):
        facts["exit_code"] = code
        facts["is_error"] = code != 0
    if told.get("success") is False or word(told, "status") in _FAILED:
        facts["is_error"] = True
    duration_ms = _duration_ms(told)
    if duration_ms is not None:
        facts["duration_ms"] = duration_ms
    changes = told.get("changes")
    if isinstance(changes, dict):
        facts["files"] = sorted(str(path) for path in changes)
    return facts


def _duration_ms(told: dict[str, Any]) -> int | None:
    spent = child(told, "duration")
    seconds, nanos = spent.get("secs"), spent.get("nanos")
    if isinstance(seconds, int) and isinstance(nanos, int):
        return seconds * 1000 + nanos // 1_000_000
    seconds = told.get("duration_seconds")
    if isinstance(seconds, int | float) and math.isfinite(seconds):
        return round(seconds * 1000)
    return None
