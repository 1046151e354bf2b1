"""`agentx hook`: the boundaries of an agent's session on an issue.

Not to be taken for `agentx-hook`, which agent CLIs call by themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.clarification.data import monitor_data
from agentx.kernel.text import printable
from agentx.operations.agents.boundary import Boundary, finish, start
from agentx.surfaces.cli import render
from agentx.surfaces.cli.commands.work.overviews import warn_of_damage
from agentx.surfaces.cli.frame import Invocation, VerbGroup

if TYPE_CHECKING:
    from rich.console import Console


@click.group(cls=VerbGroup)
def command() -> None:
    """Say that an agent begins or ends work on an issue: status, monitor, recall, capture."""


@command.command("start")
@click.option("--agent", default="", metavar="ROLE", help="Who begins (default: the role here).")
@click.option("--issue", required=True, type=click.IntRange(0), metavar="N")
@click.pass_obj
def start_(invocation: Invocation, agent: str, issue: int) -> None:
    """Begin: the agent is at work, and is shown what waits for it."""
    begun = start(invocation.project, agent=agent, issue=issue, open_memory=invocation.memory)
    _show(invocation, begun)


@command.command("finish")
@click.option("--agent", default="", metavar="ROLE", help="Who ends (default: the role here).")
@click.option("--issue", required=True, type=click.IntRange(0), metavar="N")
@click.pass_obj
def finish_(invocation: Invocation, agent: str, issue: int) -> None:
    """End: the agent is done, and what it learnt is kept."""

    def tell(entry: str) -> None:
        render.print_hanging(invocation.talk, printable(entry))

    crossed = finish(
        invocation.project, agent=agent, issue=issue, told=tell, open_memory=invocation.memory
    )
    _show(invocation, crossed)


def _show(invocation: Invocation, crossed: Boundary) -> None:
    warn_of_damage(invocation, crossed.monitor.damaged)
    status = crossed.status
    data = {
        "agent": crossed.agent,
        "issue": crossed.issue,
        "status": status.state,
        "clarificationId": status.clarification_id,
        "waitingOn": status.waiting_on,
        "respondingTo": status.responding_to,
        "inbox": list(crossed.inbox),
        "recall": crossed.recall,
        "captured": crossed.captured,
        "monitor": monitor_data(crossed.monitor),
    }
    invocation.show(data, lambda screen: _draw(screen, crossed))


def _draw(screen: Console, crossed: Boundary) -> None:
    status = crossed.status
    named = f" ({status.clarification_id})" if status.clarification_id else ""
    waits = f", waits for {status.waiting_on}" if status.waiting_on else ""
    screen.print(f"{crossed.agent}: {status.state}{named}{waits}, issue {crossed.issue}")
    for line in crossed.inbox:
        screen.print(f"- {printable(line)}", soft_wrap=True)
    if crossed.recall:
        screen.print(printable(crossed.recall), soft_wrap=True)
    if crossed.captured:
        screen.print(f"kept {render.count(crossed.captured, 'event')} of this session")
