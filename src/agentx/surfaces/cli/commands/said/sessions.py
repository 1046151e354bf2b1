"""`agentx sessions`: who worked on what, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.conversation.model import Session, SessionQuery
from agentx.kernel.clock import point
from agentx.surfaces.cli import render
from agentx.surfaces.cli.commands.said.contents import draw_sessions
from agentx.surfaces.cli.frame import Invocation, Verb

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.surfaces.dates import Dates


@click.command(cls=Verb)
@click.option("--harness", default="", metavar="NAME", help="Only this agent CLI.")
@click.option("--agent", default="", metavar="ROLE", help="Only this role.")
@click.option("--since", default="", metavar="T", help="Active after this time: 2026-03-02, 7d.")
@click.option("--until", default="", metavar="T", help="Begun before this time.")
@click.option("--limit", default=50, show_default=True, metavar="N")
@click.pass_obj
def command(
    invocation: Invocation, harness: str, agent: str, since: str, until: str, limit: int
) -> None:
    """Show the sessions, newest first."""
    now_ms = invocation.project.clock.now_ms()
    zone = render.local_zone()
    query = SessionQuery(
        harness=harness,
        agent=agent,
        since_ms=point(since, now_ms=now_ms, zone=zone) if since else None,
        until_ms=point(until, now_ms=now_ms, zone=zone) if until else None,
        limit=limit,
        short_ids=True,
    )
    with invocation.reading() as memory:
        invocation.freshen(memory, views=False)
        found = memory.sessions(query)
    invocation.show({"sessions": found}, lambda screen: _draw(screen, found, invocation.dates))


def _draw(screen: Console, found: tuple[Session, ...], dates: Dates) -> None:
    if not found:
        screen.print("No sessions yet.")
        screen.print("\nhint: `agentx init` installs hooks and imports your history", style="dim")
        return
    draw_sessions(screen, found, dates)
