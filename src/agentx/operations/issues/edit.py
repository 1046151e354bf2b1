"""To make issues and to change them; the next session is told of what can be begun."""

from __future__ import annotations

from dataclasses import replace

from agentx.kernel.text import call_nobody
from agentx.project.claims import claim_data
from agentx.project.project import Project
from agentx.project.roles.caller import find_caller
from agentx.wiring.hub import open_issues
from agentx.wiring.work import is_github, view
from agentx.work.model import Edit, IssueView, NewIssue


def create_issue(project: Project, new: NewIssue) -> IssueView:
    """Keep a new issue; its number is nobody else's.

    Raises: InvalidValue.
    """
    claim_data(project, "issue create")
    said = replace(new, title=_say(project, new.title), body=_say(project, new.body))
    return view(open_issues(project).create(said))


def update_issue(project: Project, number: int, edit: Edit) -> IssueView:
    """Change an issue.

    Raises: NotFound, InvalidValue, IllegalTransition.
    """
    said = replace(
        edit,
        title=None if edit.title is None else _say(project, edit.title),
        body=None if edit.body is None else _say(project, edit.body),
    )
    return view(open_issues(project).edit(number, said))


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
    return view(open_issues(project).comment(number, _say(project, body), author=author))


def _say(project: Project, text: str) -> str:
    """Return a text as it is posted: an agent's words call nobody to a page of GitHub."""
    is_agents = is_github(project) and find_caller(project).is_agent
    return call_nobody(text) if is_agents else text
