"""Which issue a question was asked about, and what became of it.

Two clones may give one number to two issues. Whichever git keeps, a question says of which it was
asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentx.clarification.model import Clarification
from agentx.kernel.clock import to_iso
from agentx.kernel.errors import AgentXError, CorruptRecord, NotFound
from agentx.kernel.ids import UNMARKED, IssueMark
from agentx.kernel.text import preview
from agentx.project.project import Project
from agentx.wiring.work import issue_store
from agentx.work.store.local import LocalIssues

_TITLE_CHARS = 120


def mark_issue(project: Project, number: int) -> IssueMark:
    """Return by what an issue is known for good; nothing where issues are not kept here."""
    store = issue_store(project)
    if not isinstance(store, LocalIssues):
        return UNMARKED  # GitHub gives a number once
    try:
        issue = store.get(number)
    except AgentXError:
        return UNMARKED
    return IssueMark(title=preview(issue.title, _TITLE_CHARS), created=to_iso(issue.created_ms))


def tell_issues(project: Project, states: Iterable[Clarification]) -> tuple[Clarification, ...]:
    """Return questions, each with what is to be known of its issue: another has its number now,
    or git could not merge it.
    """
    found = tuple(states)
    store = issue_store(project)
    if not isinstance(store, LocalIssues):
        return found
    said: dict[tuple[int, IssueMark], str] = {}
    for state in found:
        about = state.issue, state.issue_mark
        if about not in said:
            said[about] = _tell(store, *about)
    return tuple(
        replace(state, issue_now=now) if (now := said[state.issue, state.issue_mark]) else state
        for state in found
    )


def _tell(store: LocalIssues, number: int, mark: IssueMark) -> str:
    asked = f'it was asked of "{mark.title}"' if mark.title else ""
    try:
        issue = store.get(number)
    except CorruptRecord as error:
        return "; ".join(filter(None, (asked, f"#{number} cannot be read: {error.message}")))
    except NotFound:
        return f"{asked}, which is not here" if asked else ""
    if not mark.created or mark.created == to_iso(issue.created_ms):
        return ""
    return f'{asked}; #{number} is another issue now: "{preview(issue.title, _TITLE_CHARS)}"'
