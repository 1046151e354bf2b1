"""`agentx show`: the whole text of an event."""

from __future__ import annotations

import click
from rich.console import Console
from rich.text import Text

from agentx.app.memory import Event
from agentx.kernel.text import printable
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb


@click.command(cls=Verb)
@click.argument("event_id")
@click.pass_obj
def command(invocation: Invocation, event_id: str) -> None:
    """Show the whole text of an event, by its id."""
    with invocation.memory() as memory:
        event = memory.event(event_id)
    invocation.show(event, lambda screen: _draw(screen, event))


def _draw(screen: Console, event: Event) -> None:
    head = Text(f"{render.moment(event.timestamp_ms)}  ", style="dim")
    head.append_text(render.harness(event.harness)).append(f"  {event.event_type}  ")
    screen.print(head.append(event.session_id, style="dim"))
    screen.print(Text(printable(event.text)))
