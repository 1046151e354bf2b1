"""What a session is told of the work at its start: its own issue, and what can be begun.

Cheap, and never asks the network: in GitHub mode it says nothing.
"""

from __future__ import annotations

from agentx.app.project import Project
from agentx.app.work import is_github, issue_store, open_agents
from agentx.kernel.errors import DataError, UnavailableError
from agentx.kernel.text import preview
from agentx.work.labels import priority_of
from agentx.work.model import Issue
from agentx.work.ready import queue

_READY_SHOWN = 5
_TITLE_CHARS_MAX = 100


def work_lines(project: Project, role: str = "") -> tuple[str, ...]:
    """Return the lines for a session of a role; nothing where there are no issues."""
    if is_github(project) or not project.paths.issues.is_dir():
        return ()
    try:
        issues = issue_store(project).all(with_closed=False)
        mine = open_agents(project).get(role).issue if role else None
    except (DataError, UnavailableError):
        return ()  # `doctor` and the commands say what is wrong; a session must begin
    lines = [f"Your issue: {_said(issue)}" for issue in issues if issue.number == mine]
    ready = queue(issues, {}).ready
    lines.extend(f"Ready to begin: {_said(issue)}" for issue in ready[:_READY_SHOWN])
    if len(ready) > _READY_SHOWN:
        lines.append(f"{len(ready) - _READY_SHOWN} more: agentx ready")
    return tuple(lines)


def _said(issue: Issue) -> str:
    priority = priority_of(issue.labels)
    rank = f", {priority}" if priority else ""
    return f"#{issue.number} {preview(issue.title, _TITLE_CHARS_MAX)} ({issue.status}{rank})"
