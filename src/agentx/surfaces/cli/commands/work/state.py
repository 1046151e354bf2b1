"""`agentx state`: what agents are doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.kernel.clock import age
from agentx.kernel.text import printable
from agentx.operations.issues.state import describe_agent, list_unread_questions, state
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.work.model import AgentStatus

if TYPE_CHECKING:
    from rich.console import Console

COLOURS = {
    "idle": "dim",
    "working": "green",
    "clarifying": "cyan",
    "blocked-clarification": "red",
    "done": "blue",
    "stuck": "yellow",
}


@click.command(cls=Verb)
@click.pass_obj
def command(invocation: Invocation) -> None:
    """Show what each agent is doing, on which issue, and whom it waits for or answers."""
    found = state(invocation.project)
    now_ms = invocation.project.clock.now_ms()
    shapes = [describe_agent(status) for status in found]
    unread = list_unread_questions(invocation.project)
    for line in unread:
        invocation.talk.print(printable(line), style="yellow", soft_wrap=True)
    data = {"agents": shapes, **({"unread": unread} if unread else {})}
    invocation.show(data, lambda screen: _draw(screen, found, now_ms))


def _draw(screen: Console, found: tuple[AgentStatus, ...], now_ms: int) -> None:
    if not found:
        screen.print("No agent was at work yet.")
        screen.print("\nhint: agentx agent run ROLE --issue N, or agentx hook start", style="dim")
        return
    table = render.table("AGENT", "STATUS", ">ISSUE", "LAST", "CLARIFICATION")
    for status in found:
        at = status.last_activity_ms
        table.add_row(
            status.agent,
            render.text(status.state, style=COLOURS.get(status.state, "")),
            "-" if status.issue is None else f"#{status.issue}",
            "-" if at is None else age(at, now_ms=now_ms),
            _clarification(status),
        )
    screen.print(table)


def _clarification(status: AgentStatus) -> str:
    if status.clarification_id is None:
        return "-"
    if status.waiting_on:
        return f"{status.clarification_id}, waits on {status.waiting_on}"
    return f"{status.clarification_id}, answers {status.responding_to}"
