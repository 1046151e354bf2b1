"""Issues and what is next, for agents: the same verbs as `agentx issue`, `ready`, `workflow`.

What people and other agents wrote into issues is fenced as data.
"""

from __future__ import annotations

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import preview
from agentx.operations.issues.edit import comment_issue, create_issue, update_issue
from agentx.operations.issues.read import show_issue
from agentx.operations.issues.ready_queue import list_steps
from agentx.operations.issues.ready_queue import ready as ready_queue
from agentx.operations.issues.workflows import next_steps
from agentx.project.roles.played import decide_role
from agentx.surfaces.mcp.answer import ROWS_TOKENS_MAX, answer
from agentx.surfaces.mcp.desk import Desk
from agentx.work.model import Edit, IssueView, NewIssue, parse_status


def ready(desk: Desk) -> str:
    """Show the issues that can be begun now, most urgent first, and those that wait."""
    project = desk.project()
    found = ready_queue(project)
    rows = [f"- {_line(each)}" for each in found.ready]
    rows += [f"- {_line(each.issue)} {each.marker}" for each in found.blocked]
    rows += [f"- {step}" for step in list_steps(project)] if not found.ready else []
    head = "" if found.ready or found.blocked else "Nothing is ready."
    return answer(rows, head=head, more="Begin with these.")


def issue(desk: Desk, *, number: int) -> str:
    """Show an issue: its text, its comments, where it stands in its workflow, what is next."""
    project = desk.project()
    found = show_issue(project, number)
    where = next_steps(project, number)
    steps = ", ".join(f"{each.step.id} ({each.step.agent})" for each in where.next)
    said = "".join(
        f"\n\n{each['author'] or 'comment'}, {each['created']}:\n{each['body']}"
        for each in found.comments
    )
    text = (
        f"{_line(found)}\nworkflow {where.workflow.name}, next: {steps or 'nothing'}"
        f"\n\n{found.body}{said}"
    )
    return answer([text], budget=ROWS_TOKENS_MAX * 4)


def issue_create(
    desk: Desk,
    *,
    title: str,
    body: str = "",
    labels: tuple[str, ...] = (),
    status: str = "Backlog",
) -> str:
    """Make an issue for work that was found and is not done now."""
    new = NewIssue(title=title, body=body, labels=labels, status=parse_status(status))
    return answer([_line(create_issue(desk.project(), new))])


def issue_update(
    desk: Desk,
    *,
    number: int,
    status: str = "",
    comment: str = "",
    add_labels: tuple[str, ...] = (),
    remove_labels: tuple[str, ...] = (),
) -> str:
    """Move an issue one status on (or back), change its labels, or say something on it."""
    project = desk.project()
    edit = Edit(
        status=parse_status(status) if status else None,
        add_labels=add_labels,
        remove_labels=remove_labels,
    )
    if edit == Edit() and not comment:
        raise InvalidValue("nothing to change", hint="give status, comment or labels")
    found = None if edit == Edit() else update_issue(project, number, edit)
    if comment:
        found = comment_issue(project, number, comment, author=decide_role(project).role)
    assert found is not None, "there was something to change"
    return answer([_line(found)])


def _line(found: IssueView) -> str:
    labels = f" [{', '.join(found.labels)}]" if found.labels else ""
    state = "" if found.state == "open" else ", closed"
    return f"#{found.number} {preview(found.title, 200)} ({found.status}{state}){labels}"
