"""`agentx digest`: what a week brought."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.operations.issues.state import describe_agent
from agentx.operations.issues.week import DigestReply, digest
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb, plain
from agentx.surfaces.cli.layout import lay
from agentx.work.model import IssueView

if TYPE_CHECKING:
    from rich.console import Console


@click.command(cls=Verb)
@click.option("--week", default="", metavar="WEEK", help="Such as 2026-W46 (default: this week).")
@click.pass_obj
def command(invocation: Invocation, week: str) -> None:
    """Tell what an ISO week brought: issues, agents, and how well agents settled questions."""
    found = digest(invocation.project, week)
    reply = {**plain(found), "agents": [describe_agent(each) for each in found.agents]}
    reply["clarifications"]["topics"] = [
        {"topic": topic, "count": count} for topic, count in found.clarifications.topics
    ]
    del reply["clarification_lines"]
    invocation.show(reply, lambda screen: _draw(screen, found))


def _draw(screen: Console, found: DigestReply) -> None:
    screen.print(f"Week {found.week}  ({found.first_day} to {found.last_day})", style="bold")
    for title, issues in (
        ("Done", found.done),
        ("In progress", found.going_on),
        ("Opened", found.opened),
        ("Given up", found.given_up),
    ):
        _draw_issues(screen, title, issues)
    if found.agents:
        said = ", ".join(f"{each.agent} ({each.state})" for each in found.agents)
        screen.print(f"\nAgents: {said}")
    screen.print()
    for line in found.clarification_lines:
        screen.print(line)


def _draw_issues(screen: Console, title: str, issues: tuple[IssueView, ...]) -> None:
    if not issues:
        return
    screen.print(f"\n{title}: {render.count(len(issues), 'issue')}")
    for issue in issues:
        for line in lay(render.text(f"  #{issue.number} "), render.text(issue.title), screen.width):
            screen.print(line)
