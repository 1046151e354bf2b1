"""Which issue a question was asked about, and what became of it.

Two clones may give one number to two issues. Whichever git keeps, a question is of the issue that
it was asked of, and of no other that has its number since. Who merges may give one of the two
another number: its questions go with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from agentx.clarification.model import Clarification
from agentx.kernel.clock import to_iso
from agentx.kernel.errors import AgentXError, CorruptRecord, NotFound
from agentx.kernel.ids import UNMARKED, IssueMark
from agentx.kernel.text import preview
from agentx.project.project import Project
from agentx.wiring.work import is_github
from agentx.work.model import Issue
from agentx.work.store.local import LocalIssues

_TITLE_CHARS = 120


def mark_issue(project: Project, number: int) -> IssueMark:
    """Return by what an issue is known for good; nothing where issues are not kept here."""
    if is_github(project):
        return UNMARKED  # GitHub gives a number once
    try:
        issue = LocalIssues(project.paths, project.clock).get(number)
    except AgentXError:
        return UNMARKED
    return IssueMark(title=_name(issue), created=to_iso(issue.created_ms))


def tell_issues(project: Project, states: Iterable[Clarification]) -> tuple[Clarification, ...]:
    """Return questions, each with what is to be known of its issue: another has its number now,
    or git could not merge it.
    """
    asked = AskedIssues(project)
    return tuple(
        replace(state, issue_now=now) if (now := asked.tell(state)) else state for state in states
    )


class AskedIssues:
    """The issues that questions were asked of, as they are at one moment; each is read once."""

    def __init__(self, project: Project) -> None:
        self._store = None if is_github(project) else LocalIssues(project.paths, project.clock)
        self._seen: dict[int, Issue | AgentXError] = {}

    @property
    def may_move(self) -> bool:
        """Whether an issue may get another number: GitHub gives one once."""
        return self._store is not None

    def find_number(self, state: Clarification) -> int | None:
        """Return which number the issue has of which a question was asked.

        None where its issue is not here, and another has its number. An issue that cannot be read,
        or that another branch has, keeps its own.
        """
        found, mark = self._look(state), state.issue_mark
        if found is None or isinstance(found, CorruptRecord) or _is_of(found, mark):
            return state.issue
        moved = self._find_moved(mark)
        if moved is not None:
            return moved
        return None if isinstance(found, Issue) else state.issue

    def list_numbers(self, state: Clarification) -> set[int]:
        """Return under which numbers more may be asked of the issue of a question."""
        return {state.issue, self.find_number(state) or state.issue}

    def mark(self, state: Clarification) -> str:
        """Return what is said of a question that was asked of another issue than has its number."""
        number = self.find_number(state)
        if number == state.issue:
            return ""
        asked = f'asked of "{state.issue_mark.title}"'
        return f"{asked}, another issue" if number is None else f"{asked}, which is #{number} now"

    def tell(self, state: Clarification) -> str:
        """Return what is to be known of the issue of a question; nothing where all is as it was."""
        found, mark, number = self._look(state), state.issue_mark, state.issue
        asked = f'it was asked of "{mark.title}"' if mark.title else ""
        if isinstance(found, CorruptRecord):
            says = f"#{number} cannot be read: {found.message}"
            return "; ".join(filter(None, (asked, says)))
        if found is None or not asked or _is_of(found, mark):
            return ""
        moved = self._find_moved(mark)
        if moved is not None:
            return f"{asked}, which is #{moved} now"
        if not isinstance(found, Issue):
            return f"{asked}, which is not here"
        return f'{asked}; #{number} is another issue now: "{_name(found)}"'

    def _look(self, state: Clarification) -> Issue | AgentXError | None:
        """Return the issue that has the number, or why there is none; None where nobody knows."""
        if self._store is None:
            return None
        if state.issue not in self._seen:
            try:
                self._seen[state.issue] = self._store.get(state.issue)
            except (CorruptRecord, NotFound) as error:
                self._seen[state.issue] = error
        found = self._seen[state.issue]
        is_known = isinstance(found, CorruptRecord) or bool(state.issue_mark.created)
        return found if is_known else None

    def _find_moved(self, mark: IssueMark) -> int | None:
        """Return which other number an issue has; the title tells of two of one moment."""
        found = self._born.get(mark.created, ())
        named = [issue for issue in found if _name(issue) == mark.title] or found
        return named[0].number if len(named) == 1 else None

    @cached_property
    def _born(self) -> dict[str, list[Issue]]:
        """The issues by when they were made; looked at where a number is another's."""
        found: dict[str, list[Issue]] = {}
        for issue in self._store.all() if self._store is not None else ():
            found.setdefault(to_iso(issue.created_ms), []).append(issue)
        return found


def _is_of(found: Issue | AgentXError, mark: IssueMark) -> bool:
    return isinstance(found, Issue) and mark.created == to_iso(found.created_ms)


def _name(issue: Issue) -> str:
    return preview(issue.title, _TITLE_CHARS)
