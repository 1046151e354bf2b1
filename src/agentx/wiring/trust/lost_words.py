"""What the user said to questions that somebody else forgot: it went with them, and they are told.

Who forgets a question takes every word to it, also what a colleague says who has not heard of that
yet. Noted are numbers and moments, none of the words; it is over once the user saw it in the inbox
at a terminal, or after a week.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from agentx.clarification.store.vouching.forgetting import LostWord
from agentx.host.files import json_text
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import read_bytes
from agentx.kernel.clock import DAY_MS
from agentx.kernel.errors import UnavailableError
from agentx.kernel.ids import clarification_id
from agentx.project.project import Project
from agentx.wiring.trust.keys import open_keyring, show_owner

_TOLD_MS = 7 * DAY_MS


def note_lost(project: Project, issue: int, lost: Iterable[LostWord]) -> None:
    """Keep which words of the user's went; what is noted of one already stays as it is."""
    before = _read(project)
    known = {row["event"] for row in before}
    new = [
        {
            "event": each.event,
            "names": [str(clarification_id(issue, number)) for number in each.numbers],
            "by": each.by,
            "at": project.clock.now_ms(),
        }
        for each in lost
        if each.event not in known
    ]
    if new:
        _write(project, [*before, *new])


def list_lost_words(project: Project) -> tuple[str, ...]:
    """Return what the user is told of what they said that is gone."""
    since_ms = project.clock.now_ms() - _TOLD_MS
    rows = (row for row in _read(project) if row["at"] >= since_ms)
    return tuple(dict.fromkeys(_tell(project, row) for row in rows))


def drop_told(project: Project, told: Container[str]) -> None:
    """Note that the user was shown some of it: it is not told again."""
    rows = _read(project)
    left = [{**row, "at": 0} if _tell(project, row) in told else row for row in rows]
    if left != rows:
        _write(project, left)


def _tell(project: Project, row: dict[str, Any]) -> str:
    who = show_owner(open_keyring(project), row["by"]) or "another person"
    what = "this question" if len(row["names"]) == 1 else "these questions"
    went = "what you said to it went with it, in every clone"
    return f"{', '.join(row['names'])}: {who} forgot {what} for good, and {went}"


def _write(project: Project, rows: list[dict[str, Any]]) -> None:
    try:
        make_private_directory(project.store.lost_words.parent)
        replace_file(project.store.lost_words, json_text.line_of({"lost": rows}))
    except (OSError, UnavailableError) as error:
        project.log.record("warning", "lost-words", message=str(error))


def _read(project: Project) -> list[dict[str, Any]]:
    try:
        rows = json_text.parse_json(read_bytes(project.store.lost_words))["lost"]
        return [
            row
            for row in rows
            if isinstance(row["event"], str)
            and isinstance(row["by"], str)
            and isinstance(row["at"], int)
            and row["names"]
            and all(isinstance(name, str) for name in row["names"])
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []
