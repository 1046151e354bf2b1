"""To look at issues."""

from __future__ import annotations

from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.wiring.work import issue_store, unreadable_issues, view
from agentx.work.model import IssueView, Status


@frozen
class IssueQuery:
    """Which issues; empty means all."""

    with_closed: bool = False
    status: Status | None = None
    labels: tuple[str, ...] = ()  # every one of them


@frozen
class IssueList:
    """The issues that were asked for, and the files that could not be read."""

    issues: tuple[IssueView, ...]
    damaged: tuple[str, ...] = ()


def list_issues(project: Project, query: IssueQuery) -> IssueList:
    """Return issues by number."""
    store = issue_store(project)
    with_closed = query.with_closed or query.status is Status.DONE
    found = tuple(
        view(issue)
        for issue in store.all(with_closed=with_closed)
        if (query.status is None or issue.status is query.status)
        and set(query.labels) <= set(issue.labels)
    )
    return IssueList(issues=found, damaged=unreadable_issues(store))


def show_issue(project: Project, number: int) -> IssueView:
    """Return one issue with its comments.

    Raises: NotFound.
    """
    return view(issue_store(project).get(number))
