"""What a session said of code and then took out: "`list(rows)` at `tasks.py:88` loads all of them".

Law: only what is quoted and named by its line, stood in lines of that file which a later edit took
out, and stands in none that were put in, is gone; an edit that was taken back took nothing out.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.exchanges.exchange import Exchange
from agentx.exchanges.tools import file_edits
from agentx.exchanges.undone import Undone
from agentx.kernel.clock import Millis
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_QUOTED = compile_late(r"`([^`\n]{5,120})`")
_PLACE = compile_late(r"([\w@+-]+\.\w{1,6})(?::| line )\d")
_CHARS_MAX = 200_000


@frozen
class TakenOut:
    """Lines that were taken out of a file, and what came in their place."""

    at_ms: Millis
    path: str
    removed: str
    added: str


def list_taken_out(found: Iterable[Exchange], undone: Undone) -> tuple[TakenOut, ...]:
    """Return what the edits of a session took out, in order."""
    edits: list[TakenOut] = []
    left = _CHARS_MAX
    for exchange in found:
        for step in exchange.steps:
            if undone.took_back(step):
                continue
            for edit in file_edits(step):
                removed, added = "\n".join(edit.removed), "\n".join(edit.added)
                left -= len(removed) + len(added)
                if left > 0 and removed:
                    edits.append(
                        TakenOut(
                            at_ms=step.call.at_ms, path=edit.path, removed=removed, added=added
                        )
                    )
    return tuple(edits)


def find_taken_out(text: str, at_ms: Millis, edits: Iterable[TakenOut]) -> str:
    """Return the file out of which a later edit took what a text quotes; empty where none did."""
    named = _PLACE.findall(text) if "`" in text else []
    if not named:
        return ""
    quoted = _QUOTED.findall(text)
    later = [edit for edit in edits if edit.at_ms > at_ms and edit.path.rsplit("/", 1)[-1] in named]
    if any(each in edit.added for each in quoted for edit in later):
        return ""
    return next((edit.path for edit in later if any(each in edit.removed for each in quoted)), "")
