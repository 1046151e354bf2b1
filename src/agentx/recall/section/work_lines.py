"""What a session is told of the work at its start: its own issue, and what can be begun.

Cheap, and never asks the network: in GitHub mode it says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentx.kernel.errors import DataError, UnavailableError
from agentx.kernel.text import preview
from agentx.project.project import Project
from agentx.wiring.work import is_github, issue_store, open_agents
from agentx.work.labels import priority_of
from agentx.work.model import AgentState, Issue
from agentx.work.port import OpenQuestion
from agentx.work.ready import queue

NOTHING_ASKED: Mapping[int, tuple[OpenQuestion, ...]] = {}

_READY_SHOWN = 5
_TITLE_CHARS_MAX = 100


class WorkLines:
    """The lines for sessions of any role; issues are read once."""

    def __init__(
        self, project: Project, questions: Mapping[int, tuple[OpenQuestion, ...]] = NOTHING_ASKED
    ) -> None:
        self._questions = questions  # an issue that waits for an answer cannot be begun
        self._issues: tuple[Issue, ...] = ()
        self._issue_of: dict[str, int] = {}
        if is_github(project) or not project.paths.issues.is_dir():
            return
        try:
            issues = issue_store(project).all(with_closed=False)
            agents = open_agents(project).all()
        except (DataError, UnavailableError):
            return  # `doctor` and the commands say what is wrong; a session must begin
        self._issues = issues
        self._issue_of = {
            each.agent: each.issue
            for each in agents
            if each.issue is not None and AgentState.DONE not in (each.state, each.returns_to)
        }

    def roles(self) -> tuple[str, ...]:
        """Return the roles that have an issue of their own, and are not done with it."""
        return tuple(self._issue_of)

    def of(self, role: str = "") -> tuple[str, ...]:
        """Return the lines for a session of a role; nothing where there are no issues."""
        mine = self._issue_of.get(role)
        lines = [f"Your issue: {_said(issue)}" for issue in self._issues if issue.number == mine]
        ready = queue(self._issues, self._questions).ready
        lines.extend(f"Ready to begin: {_said(issue)}" for issue in ready[:_READY_SHOWN])
        if len(ready) > _READY_SHOWN:
            lines.append(f"{len(ready) - _READY_SHOWN} more: agentx ready")
        return tuple(lines)


def _said(issue: Issue) -> str:
    priority = priority_of(issue.labels)
    rank = f", {priority}" if priority else ""
    return f"#{issue.number} {preview(issue.title, _TITLE_CHARS_MAX)} ({issue.status}{rank})"
