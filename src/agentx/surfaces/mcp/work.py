"""Issues and what is next, for agents: the same verbs as `agentx issue`, `ready`, `workflow`.

What people and other agents wrote into issues is fenced as data. The room is imported
when somebody asks, because every session pays for the server's start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from agentx.kernel.errors import InvalidValue
from agentx.kernel.limits import ISSUE_BODY_CHARS_MAX, ISSUE_NUMBER_MAX, ISSUE_TITLE_CHARS_MAX
from agentx.kernel.text import preview
from agentx.surfaces.mcp.answer import Row, answer
from agentx.surfaces.mcp.desk import OpenProject
from agentx.surfaces.mcp.offering import offer
from agentx.work.model import Edit, NewIssue, parse_status

if TYPE_CHECKING:
    from agentx.work.model import IssueView

_TOKENS_MAX = 6_000

Number = Annotated[int, Field(description="The issue's number", ge=1, le=ISSUE_NUMBER_MAX)]
Labels = Annotated[list[str] | None, Field(description="Such as type:story, priority:p1")]


def register(server: MCPServer, opened: OpenProject) -> None:
    """Offer `ready`, `issue`, `issue_create` and `issue_update`."""
    _offer_ready(server, opened)
    _offer_issue(server, opened)
    _offer_create(server, opened)
    _offer_update(server, opened)


def _offer_ready(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, opened=opened, title="What can be begun")
    def ready() -> CallToolResult:
        """Show the issues that can be begun now, most urgent first, and those that wait for an
        answer.
        """
        from agentx.operations.issues.ready_queue import ready as ready_queue  # noqa: PLC0415  see above

        found = ready_queue(opened())
        rows = [Row(f"- {_line(issue)}", _brief(issue)) for issue in found.ready]
        rows += [
            Row(
                f"- {_line(each.issue)} {each.marker}",
                {**_brief(each.issue), "blocked": each.marker},
            )
            for each in found.blocked
        ]
        head = "" if rows else "Nothing is ready."
        return answer(rows, budget=_TOKENS_MAX, head=head, more="`agentx ready` shows them all.")


def _offer_issue(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, opened=opened, title="One issue")
    def issue(number: Number) -> CallToolResult:
        """Show an issue: its text, its comments, where it stands in its workflow, what is next."""
        from agentx.operations.issues.read import show_issue  # noqa: PLC0415  see above
        from agentx.operations.issues.workflows import next_steps  # noqa: PLC0415  see above

        project = opened()
        found = show_issue(project, number)
        where = next_steps(project, number)
        steps = [f"{each.step.id} ({each.step.agent})" for each in where.next]
        said = "".join(
            f"\n\n{each['author'] or 'comment'}, {each['created']}:\n{each['body']}"
            for each in found.comments
        )
        text = (
            f"{_line(found)}\nworkflow {where.workflow.name}, next: {', '.join(steps) or 'nothing'}"
            f"\n\n{found.body}{said}"
        )
        return answer(
            [Row(text, {**_brief(found), "body": found.body, "comments": list(found.comments)})],
            budget=_TOKENS_MAX * 4,
            workflow=where.workflow.name,
            next=steps,
        )


def _offer_create(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, opened=opened, title="Make an issue", reads_only=False)
    def issue_create(
        *,
        title: Annotated[str, Field(max_length=ISSUE_TITLE_CHARS_MAX)],
        body: Annotated[str, Field(max_length=ISSUE_BODY_CHARS_MAX)] = "",
        labels: Labels = None,
        status: Annotated[str, Field(description="Backlog or Ready")] = "Backlog",
    ) -> CallToolResult:
        """Make an issue for work that you found and do not do now.

        Under `## Dependencies` its body may say `Blocks: #3` and `Blocked-by: #2`.
        """
        from agentx.operations.issues.edit import create_issue  # noqa: PLC0415  see above

        new = NewIssue(
            title=title, body=body, labels=tuple(labels or ()), status=parse_status(status)
        )
        return _say(create_issue(opened(), new))


def _offer_update(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, opened=opened, title="Move an issue along", reads_only=False)
    def issue_update(
        *,
        number: Number,
        status: Annotated[
            str, Field(description="Ready, In Progress, In Review, Validating, Done")
        ] = "",
        comment: Annotated[str, Field(max_length=ISSUE_BODY_CHARS_MAX)] = "",
        add_labels: Labels = None,
        remove_labels: Labels = None,
    ) -> CallToolResult:
        """Move an issue one status on (or back), change its labels, or say something on it."""
        from agentx.operations.issues.edit import (  # noqa: PLC0415  see above
            comment_issue,
            update_issue,
        )

        project = opened()
        edit = Edit(
            status=parse_status(status) if status else None,
            add_labels=tuple(add_labels or ()),
            remove_labels=tuple(remove_labels or ()),
        )
        if edit == Edit() and not comment:
            raise InvalidValue("nothing to change", hint="give status, comment or labels")
        found = None if edit == Edit() else update_issue(project, number, edit)
        if comment:
            found = comment_issue(project, number, comment, author=project.environment.agent)
        assert found is not None, "there was something to change"
        return _say(found)


def _say(issue: IssueView) -> CallToolResult:
    return answer([Row(_line(issue), _brief(issue))], budget=_TOKENS_MAX)


def _line(issue: IssueView) -> str:
    labels = f" [{', '.join(issue.labels)}]" if issue.labels else ""
    state = "" if issue.state == "open" else ", closed"
    return f"#{issue.number} {preview(issue.title, 200)} ({issue.status}{state}){labels}"


def _brief(issue: IssueView) -> dict[str, object]:
    return {
        "number": issue.number,
        "title": issue.title,
        "status": issue.status,
        "state": issue.state,
        "labels": issue.labels,
        "updated": issue.updated,
    }
