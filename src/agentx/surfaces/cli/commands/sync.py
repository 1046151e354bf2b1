"""`agentx sync`: take what hooks captured and bring every view up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.app.memory import Drained
from agentx.app.operations.sync import sync
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb

if TYPE_CHECKING:
    from rich.console import Console


@click.command(cls=Verb)
@click.pass_obj
def command(invocation: Invocation) -> None:
    """Take what hooks captured into the log and bring every view up to date.

    The daemon does this by itself; without one, do it when you like.
    """
    with invocation.memory() as memory:
        reply = sync(invocation.project, memory)
    invocation.show(reply, lambda screen: _draw(screen, reply))


def _draw(screen: Console, reply: Drained) -> None:
    screen.print(
        f"took {render.counted(reply.files, 'captured record')}: "
        f"{render.counted(reply.stored, 'new event')}, {reply.duplicates:,} seen before"
    )
    if reply.damaged:
        screen.print(
            f"{render.counted(reply.damaged, 'record')} damaged, kept as notes", style="yellow"
        )
    if reply.refused:
        screen.print(
            f"{render.counted(reply.refused, 'record')} could not be taken: see `agentx doctor`",
            style="red",
        )
