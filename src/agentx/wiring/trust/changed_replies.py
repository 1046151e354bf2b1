"""Replies on GitHub that were changed after they were taken, kept for the person's inbox.

Only a view: the next look at the page makes it anew. No words lie in it: what is told is worded
from the question as it is now, by the name that it has now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from agentx.clarification.model import Clarification
from agentx.clarification.replies.changed import ReplyChanged
from agentx.clarification.watch.gathered import GatheredQuestions, gather
from agentx.clarification.watch.later import was_said_since
from agentx.clarification.watch.matters import list_standing
from agentx.host.files import json_text
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.kernel.clock import DAY_MS
from agentx.kernel.errors import CorruptRecord, UnavailableError
from agentx.project.project import Project
from agentx.work.settings import WorkSettings

# So long the inbox says it.
_TOLD_MS = 7 * DAY_MS
# So long it is looked whether a reply that was taken was changed.
REPLIES_LOOKED_AT_MS = 30 * DAY_MS
_UNKNOWN = "cannot be read here: agentx issue sync"


def note_changes(project: Project, issue: int, changes: Iterable[ReplyChanged]) -> None:
    """Keep which replies on an issue were changed, and since when that is known."""
    try:
        before = _read(project)
        rows = [*(row for row in before if row["issue"] != issue)]
        since = {row["mark"]: row["at"] for row in before}
        for each in changes:
            at_ms = since.get(each.mark, project.clock.now_ms())
            about = {"question": each.state.uid, "comment": each.entry.comment}
            rows.append(
                {"mark": each.mark, "issue": issue, "at": at_ms, **about, "what": each.what}
            )
        _write(project, before, rows)
    except (OSError, UnavailableError) as error:
        project.log.record("warning", "github-replies", message=str(error))


def forget_changes(project: Project, uids: Iterable[str]) -> None:
    """Keep nothing of the replies to some questions.

    Raises: UnavailableError, OSError.
    """
    gone, before = set(uids), _read(project)
    _write(project, before, [row for row in before if row.get("question") not in gone])


def tell_changes(
    project: Project, states: Iterable[Clarification], among: Iterable[Clarification]
) -> tuple[Clarification, ...]:
    """Return questions, each with what became since of the replies on GitHub that it goes by.

    It is over once a person was asked the same anew, of all that were asked.

    Raises: OSError where nobody can tell what was changed.
    """
    found = {(row.get("question"), row.get("comment")): row for row in _read(project)}
    if not found:
        is_known = not _is_made_anew(project) or is_note_whole(project)
        return tuple(states) if is_known else tuple(_tell_unknown(project, each) for each in states)
    asked = gather(among)
    return tuple(_tell_change(state, found, asked) for state in states)


def _is_made_anew(project: Project) -> bool:
    """Tell whether the next look at GitHub notes anew what was changed."""
    return project.config.section(WorkSettings).mode == "github"


def _tell_unknown(project: Project, state: Clarification) -> Clarification:
    """Return a question of which nobody can tell whether its replies were changed of late."""
    since_ms = project.clock.now_ms() - REPLIES_LOOKED_AT_MS
    words = (each.persons_word for each in list_standing(state))
    told = tuple(
        (word, f"whether {word.account}'s reply on GitHub was changed since {_UNKNOWN}")
        for word in words
        if word is not None and word.comment and word.at_ms >= since_ms
    )
    return replace(state, changed=told) if told else state


def _tell_change(
    state: Clarification,
    found: Mapping[tuple[Any, Any], dict[str, Any]],
    among: GatheredQuestions,
) -> Clarification:
    changes = (_find_change(each, found, among) for each in list_standing(state))
    told = tuple((each.entry, each.happened) for each in changes if each is not None)
    return replace(state, changed=told) if told else state


def _find_change(
    state: Clarification,
    found: Mapping[tuple[Any, Any], dict[str, Any]],
    among: GatheredQuestions,
) -> ReplyChanged | None:
    word = state.persons_word
    row = found.get((state.uid, word.comment)) if word is not None and word.comment else None
    if word is None or row is None or was_said_since(state, among, row["at"]):
        return None
    return ReplyChanged(state=state, entry=word, what=row["mark"].split(":")[1])


def list_changes(
    project: Project, find: Callable[[int], Iterable[Clarification]]
) -> tuple[str, ...]:
    """Return what the person is told of replies that were changed of late, of issues' questions.

    Raises: OSError where nobody can tell what was changed.
    """
    since_ms = project.clock.now_ms() - _TOLD_MS
    rows = [row for row in _read(project) if row["at"] >= since_ms]
    told: list[str] = []
    for issue in dict.fromkeys(row["issue"] for row in rows):
        with suppress(CorruptRecord):  # it is named by every look
            told += _list_changes(rows, gather(find(issue)))
    return tuple(told)


def _list_changes(rows: Iterable[dict[str, Any]], asked: GatheredQuestions) -> Iterator[str]:
    found = {(row.get("question"), row.get("comment")): row for row in rows}
    for state in (each for one in asked for each in list_standing(one)):
        changed = _find_change(state, found, asked)
        if changed is not None:
            yield f"{state.id}: {changed.story}; {changed.mend}"


def say_unknown(project: Project) -> str:
    """Return that nobody can tell which replies were changed; nothing where anybody can.

    Raises: OSError.
    """
    if is_note_whole(project) or not _is_made_anew(project):
        return ""
    return f"{project.store.github_changed} is damaged: which replies were changed {_UNKNOWN}"


def is_note_whole(project: Project) -> bool:
    """Tell whether what is noted says something, or nothing is; the next look notes it anew.

    Raises: OSError where it cannot be read.
    """
    try:
        rows = json_text.parse_json(project.store.github_changed.read_bytes())["changes"]
    except FileNotFoundError:
        return True
    except (ValueError, KeyError, TypeError):
        return False
    return isinstance(rows, list)


def _write(project: Project, before: list[dict[str, Any]], rows: list[dict[str, Any]]) -> None:
    if rows != before or not is_note_whole(project):
        make_private_directory(project.store.github_changed.parent)
        replace_file(project.store.github_changed, json_text.line_of({"changes": rows}))


def _read(project: Project) -> list[dict[str, Any]]:
    """Return what is noted; what cannot be read for a moment is not nothing.

    Raises: OSError.
    """
    try:
        rows = json_text.parse_json(project.store.github_changed.read_bytes())["changes"]
        return [
            row
            for row in rows
            if isinstance(row["mark"], str)
            and row["mark"].count(":") > 1
            and isinstance(row["issue"], int)
            and isinstance(row["at"], int)
        ]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return []
