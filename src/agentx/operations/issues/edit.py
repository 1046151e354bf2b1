"""To make issues and to change them; the next session is told of what can be begun."""

from __future__ import annotations

from agentx.project.claims import claim_data
from agentx.project.project import Project
from agentx.wiring.hub import open_issues
from agentx.wiring.work import view
from agentx.work.model import Edit, IssueView, NewIssue


def create_issue(project: Project, new: NewIssue) -> IssueView:
    """Keep a new issue; its number is nobody else's.

    Raises: InvalidValue.
    """
    claim_data(project, "issue create")
    return view(open_issues(project).create(new))


def update_issue(project: Project, number: int, edit: Edit) -> IssueView:
    """Change an issue.

    Raises: NotFound, InvalidValue, IllegalTransition.
    """
    return view(open_issues(project).edit(number, edit))


def close_issue(project: Project, number: int) -> IssueView:
    """Close an issue; one that was being validated is done.

    Raises: NotFound.
    """
    return view(open_issues(project).close(number))


def reopen_issue(project: Project, number: int) -> IssueView:
    """Open an issue again; one that was done begins anew.

    Raises: NotFound.
    """
    return view(open_issues(project).reopen(number))


def comment_issue(project: Project, number: int, body: str, *, author: str = "") -> IssueView:
    """Say something on an issue.

    Raises: NotFound, InvalidValue.
    """
    return view(open_issues(project).comment(number, body, author=author))
