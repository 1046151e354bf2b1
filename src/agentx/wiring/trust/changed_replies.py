"""Replies on GitHub that were changed after they were taken, kept for the person's inbox.

Only a view: the next look at the page makes it anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from agentx.clarification.model import Clarification
from agentx.clarification.replies.changed import ReplyChanged
from agentx.clarification.watch.gathered import GatheredQuestions, gather
from agentx.clarification.watch.later import was_said_since
from agentx.host.files import json_text
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.kernel.clock import DAY_MS
from agentx.kernel.errors import UnavailableError
from agentx.project.project import Project

# So long the inbox says it.
_TOLD_MS = 7 * DAY_MS


def note_changes(project: Project, issue: int, changes: Iterable[ReplyChanged]) -> None:
    """Keep which replies on an issue were changed; what is kept of it already stays as it is."""
    before = _read(project)
    known = {row["mark"]: row for row in before}
    now_ms = project.clock.now_ms()
    found = [
        known.get(each.mark)
        or {
            "mark": each.mark,
            "issue": issue,
            "at": now_ms,
            "said": f"{each.state.id}: {each.story}; {each.mend}",
            "question": each.state.uid,
            "comment": each.entry.comment,
            "what": f"{each.entry.account}'s reply on GitHub was {each.what} after it was taken",
        }
        for each in changes
    ]
    rows = [*(row for row in before if row["issue"] != issue), *found]
    if rows == before:
        return
    try:
        make_private_directory(project.store.github_changed.parent)
        replace_file(project.store.github_changed, json_text.line_of({"changes": rows}))
    except (OSError, UnavailableError) as error:
        project.log.record("warning", "github-replies", message=str(error))


def tell_changes(
    project: Project, states: Iterable[Clarification], among: Iterable[Clarification]
) -> tuple[Clarification, ...]:
    """Return questions, each with what became since of the reply on GitHub that it goes by.

    It is over once a person was asked the same anew, of all that were asked.
    """
    found = {(row.get("question"), row.get("comment")): row for row in _read(project)}
    if not found:
        return tuple(states)
    asked = gather(among)
    return tuple(_tell_change(state, found, asked) for state in states)


def _tell_change(
    state: Clarification,
    found: Mapping[tuple[Any, Any], dict[str, Any]],
    among: GatheredQuestions,
) -> Clarification:
    word = state.persons_word
    row = found.get((state.uid, word.comment)) if word is not None and word.comment else None
    if row is None or was_said_since(state, among, row["at"]):
        return state
    said = str(row.get("what") or "")
    return replace(state, contested_by=said) if said else state


def list_changes(project: Project) -> tuple[str, ...]:
    """Return what the person is told of replies that were changed of late."""
    since_ms = project.clock.now_ms() - _TOLD_MS
    return tuple(row["said"] for row in _read(project) if row["at"] >= since_ms)


def _read(project: Project) -> list[dict[str, Any]]:
    try:
        rows = json_text.parse_json(project.store.github_changed.read_bytes())["changes"]
        return [
            row
            for row in rows
            if isinstance(row["mark"], str)
            and isinstance(row["issue"], int)
            and isinstance(row["at"], int)
            and isinstance(row["said"], str)
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []
