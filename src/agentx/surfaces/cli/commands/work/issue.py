"""`agentx issue`: make issues, look at them, move them along."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from agentx.kernel.clock import age, from_iso
from agentx.kernel.errors import AgentXError, UnavailableError
from agentx.kernel.text import printable
from agentx.operations.issues.edit import (
    close_issue,
    comment_issue,
    create_issue,
    reopen_issue,
    update_issue,
)
from agentx.operations.issues.read import IssueList, IssueQuery, list_issues, show_issue
from agentx.project.roles.played import decide_role
from agentx.surfaces.cli import render
from agentx.surfaces.cli.failure import EXIT_CODES
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.surfaces.cli.screen import read_words
from agentx.work.model import Edit, IssueView, NewIssue, Status, issue_number, parse_status

if TYPE_CHECKING:
    from rich.console import Console

STATUS_COLOURS = {
    "Backlog": "dim",
    "Ready": "cyan",
    "In Progress": "yellow",
    "In Review": "magenta",
    "Validating": "blue",
    "Done": "green",
}


@click.group(cls=VerbGroup)
def command() -> None:
    """Make issues, look at them, move them along.

    Status: Backlog, Ready, In Progress, In Review, Validating, Done. Labels that AgentX knows are
    type:, priority: and needs:; others are yours. A body may say, under `## Dependencies`,
    `Blocks: #3` and `Blocked-by: #2`.
    """


@command.command("create")
@click.argument("words", metavar="[TITLE]", required=False, default="")
@click.option("--title", default="", metavar="TEXT", help="The same, by name.")
@click.option("--body", default="", metavar="TEXT", help="Markdown; - reads it from stdin.")
@click.option("--label", "labels", multiple=True, metavar="LABEL", help="Such as type:story.")
@click.option("--status", default="Backlog", show_default=True, metavar="STATUS")
@click.pass_obj
def create(
    invocation: Invocation,
    words: str,
    title: str,
    body: str,
    labels: tuple[str, ...],
    status: str,
) -> None:
    """Make an issue; TITLE is one line."""
    if bool(words) is bool(title):
        what = "two titles are given" if title else "an issue needs a title"
        raise click.UsageError(f'{what}: agentx issue create "Add e-mail checks"')
    new = NewIssue(
        title=title or words, body=read_words(body), labels=labels, status=parse_status(status)
    )
    made = create_issue(invocation.project, new)
    invocation.show(made, lambda screen: _say(screen, "created", made))


@command.command("list")
@click.option("--all", "with_closed", is_flag=True, help="Closed ones too.")
@click.option("--status", default="", metavar="STATUS", help="Only of this status.")
@click.option("--label", "labels", multiple=True, metavar="LABEL", help="Only with this label.")
@click.pass_obj
def list_(invocation: Invocation, with_closed: bool, status: str, labels: tuple[str, ...]) -> None:
    """Show the issues."""
    query = IssueQuery(
        with_closed=with_closed,
        status=parse_status(status) if status else None,
        labels=labels,
    )
    found = list_issues(invocation.project, query)
    for said in found.damaged:
        invocation.talk.print(f"agentx: {said}", style="yellow")
    now_ms = invocation.project.clock.now_ms()
    invocation.show(found, lambda screen: _draw(screen, found, now_ms))


@command.command("show")
@click.argument("number", metavar="N")
@click.pass_obj
def show(invocation: Invocation, number: str) -> None:
    """Show one issue with its comments."""
    found = show_issue(invocation.project, issue_number(number))
    now_ms = invocation.project.clock.now_ms()
    invocation.show(found, lambda screen: _draw_one(screen, found, now_ms))


@command.command("update")
@click.argument("number", metavar="N")
@click.option("--title", default=None, metavar="TEXT")
@click.option("--body", default=None, metavar="TEXT", help="- reads it from stdin.")
@click.option("--status", default="", metavar="STATUS", help="One step on, or back.")
@click.option("--label", "add_labels", multiple=True, metavar="LABEL", help="Add a label.")
@click.option("--remove-label", "remove_labels", multiple=True, metavar="LABEL")
@click.option("--comment", default="", metavar="TEXT", help="Say something; - reads stdin.")
@click.pass_obj
def update(
    invocation: Invocation,
    number: str,
    title: str | None,
    body: str | None,
    status: str,
    add_labels: tuple[str, ...],
    remove_labels: tuple[str, ...],
    comment: str,
) -> None:
    """Change an issue: its words, its labels, its status."""
    project, wanted = invocation.project, issue_number(number)
    edit = Edit(
        title=title,
        body=None if body is None else read_words(body),
        status=parse_status(status) if status else None,
        add_labels=add_labels,
        remove_labels=remove_labels,
    )
    if edit == Edit() and not comment:
        raise click.UsageError("nothing to change", ctx=click.get_current_context())
    changed = None if edit == Edit() else update_issue(project, wanted, edit)
    if comment:
        author = decide_role(invocation.project).role
        changed = comment_issue(project, wanted, read_words(comment), author=author)
    assert changed is not None, "there was something to change"
    invocation.show(changed, lambda screen: _say(screen, "updated", changed))


@command.command("comment")
@click.argument("number", metavar="N")
@click.argument("text")
@click.pass_obj
def comment(invocation: Invocation, number: str, text: str) -> None:
    """Say something on an issue; - reads it from stdin."""
    author = decide_role(invocation.project).role
    changed = comment_issue(
        invocation.project, issue_number(number), read_words(text), author=author
    )
    invocation.show(changed, lambda screen: _say(screen, "commented on", changed))


@command.command("close")
@click.argument("number", metavar="N")
@click.pass_obj
def close(invocation: Invocation, number: str) -> None:
    """Close an issue; one that is being validated is done."""
    from agentx.operations.questions.read import list_waiting

    closed = close_issue(invocation.project, issue_number(number))
    invocation.show(closed, lambda screen: _say(screen, "closed", closed))
    with suppress(AgentXError):  # whoever looks at a damaged ledger is told
        for waiting in list_waiting(invocation.project, closed.number):
            said = f"{waiting} waits for a person still: agentx clarify inbox"
            invocation.talk.print(said, style="yellow", soft_wrap=True)


@command.command("reopen")
@click.argument("number", metavar="N")
@click.pass_obj
def reopen(invocation: Invocation, number: str) -> None:
    """Open a closed issue again."""
    opened = reopen_issue(invocation.project, issue_number(number))
    invocation.show(opened, lambda screen: _say(screen, "reopened", opened))


@command.command("sync")
@click.argument("numbers", nargs=-1, metavar="[N...]")
@click.pass_obj
@click.pass_context
def sync(ctx: click.Context, invocation: Invocation, numbers: tuple[str, ...]) -> None:
    """Bring GitHub up to date, and take what people replied there to questions."""
    from agentx.operations.issues.sync import sync_issues

    wanted = tuple(issue_number(number) for number in numbers)
    reply = sync_issues(invocation.project, wanted)
    invocation.show(
        reply,
        lambda screen: screen.print(
            f"posted {render.count(reply.posted, 'comment')}, sent {reply.sent} that waited, "
            f"{reply.waiting} still waiting"
            + (f"; people's replies taken: {', '.join(reply.replies)}" if reply.replies else "")
        ),
    )
    for said in (*reply.refused, *reply.unclear):
        invocation.talk.print(f"agentx: {said}", style="yellow")
    if reply.offline:
        said = f"agentx: {reply.outage}; what could not be sent waits"
        invocation.talk.print(said, style="yellow")
        ctx.exit(EXIT_CODES[UnavailableError])


def _say(screen: Console, what: str, issue: IssueView) -> None:
    screen.print(f"{what} #{issue.number} ({issue.status})", render.line(issue.title, 10_000))
    if issue.state == "closed" and issue.status != Status.DONE:
        screen.print(f"\nhint: closed at {issue.status}: it counts as given up, not as done")


def _draw(screen: Console, found: IssueList, now_ms: int) -> None:
    if not found.issues:
        screen.print("No issues.")
        screen.print("\nhint: agentx issue create TITLE --label type:story", style="dim")
        return
    table = render.table(">#", "STATUS", "TYPE", "PRIO", "UPDATED", "TITLE")
    for issue in found.issues:
        status = issue.status if issue.state == "open" else f"{issue.status} (closed)"
        table.add_row(
            f"#{issue.number}",
            render.text(status, style=STATUS_COLOURS.get(issue.status, "")),
            issue.type or "-",
            issue.priority or "-",
            age(from_iso(issue.updated), now_ms=now_ms),
            issue.title,
        )
    screen.print(table)


def _draw_one(screen: Console, issue: IssueView, now_ms: int) -> None:
    screen.print(render.text(f"#{issue.number} {issue.title}", style="bold"))
    state = "" if issue.state == "open" else ", closed"
    labels = ", ".join(issue.labels) or "no labels"
    screen.print(
        render.text(
            f"{issue.status}{state} - {labels} - created "
            f"{age(from_iso(issue.created), now_ms=now_ms)}",
            style="dim",
        )
    )
    if issue.body.strip():
        screen.print()
        screen.print(render.text(printable(issue.body.rstrip())))
    for said in issue.comments:
        who = said["author"] or "comment"
        when = age(from_iso(said["created"]), now_ms=now_ms)
        screen.print(render.text(f"\n{who}, {when}", style="dim"))
        screen.print(render.text(printable(said["body"].rstrip())))
