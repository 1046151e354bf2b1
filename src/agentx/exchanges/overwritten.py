"""What a session said of code and then took out: "`list(rows)` at `tasks.py:88` loads all of them".

A value that a name was given, "`SLEEP_S` is 600 now", and that a later edit gave another one, is
gone with it.

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
_GIVEN = compile_late(
    r"`(?P<name>[A-Za-z_][\w.-]{2,60})` (?:is|are|=|->|now|set to)(?: now| set to)* "
    r"`?(?P<value>\d[\d.]*)\b"
)
_NUMBER = compile_late(r"\d[\d.]*")
_CHARS_MAX = 200_000


@frozen
class TakenOut:
    """Lines that were taken out of a file, and what came in their place."""

    at_ms: Millis
    path: str
    removed: str
    added: str

    @property
    def sides(self) -> tuple[str, str]:
        """What was there, and what is."""
        return self.removed, self.added


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
    later = [edit for edit in edits if edit.at_ms > at_ms]
    if reset := _find_reset(text, later):
        return reset
    named = _PLACE.findall(text) if "`" in text else []
    if not named:
        return ""
    quoted = _QUOTED.findall(text)
    later = [edit for edit in later if edit.path.rsplit("/", 1)[-1] in named]
    if any(each in edit.added for each in quoted for edit in later):
        return ""
    return next((edit.path for edit in later if any(each in edit.removed for each in quoted)), "")


def _find_reset(text: str, later: Iterable[TakenOut]) -> str:
    """Return the file in which a name that a text begins with got another value than it says."""
    given = _GIVEN.match(text)
    if given is None:
        return ""
    name, value = given["name"], given["value"]
    for edit in later:
        rows = [[row for row in side.split("\n") if name in row] for side in edit.sides]
        was, now = ([value in _NUMBER.findall(row) for row in side] for side in rows)
        if any(was) and now and not any(now):
            return edit.path
    return ""
