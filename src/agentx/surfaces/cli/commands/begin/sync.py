"""`agentx sync`: take what hooks captured and bring every view up to date."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from agentx.memory.port import Drained
from agentx.operations.capture.sync import sync
from agentx.operations.capture.waiting import (
    WaitingRecords,
    adopt_waiting,
    list_waiting,
    sum_up,
)
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.progress import behind_progress

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.memory.port import Memory
    from agentx.operations.capture.retention import Aged
    from agentx.project.project import Project


@click.command(cls=Verb)
@click.option(
    "--adopt",
    default="",
    metavar="PATH",
    help="Take what waits for a folder that is gone: a directory, or the data folder of a home.",
)
@click.pass_obj
def command(invocation: Invocation, adopt: str) -> None:
    """Take what hooks captured into the log and bring every view up to date.

    The daemon does this by itself; without one, do it when you like.
    """
    if adopt:
        adopt_waiting(invocation.project, adopt)
    with invocation.memory() as memory:
        reply = behind_progress(
            invocation, lambda told: sync(invocation.project, memory, told), "catching up"
        )
        aged = _forget_aged(invocation.project, memory)
    stuck = sum_up(one for one in list_waiting(invocation.project) if one.is_stuck)
    told = {**asdict(reply), "aged": aged} if aged else reply
    invocation.show(told, lambda screen: _draw(screen, reply, stuck, aged))


def _forget_aged(project: Project, memory: Memory) -> Aged | None:
    """Forget what is too old, where the user wants that; most keep everything."""
    from agentx.operations.capture.retention import forget_aged, keeps_forever

    return None if keeps_forever(project) else forget_aged(project, memory)


def _draw(
    screen: Console, reply: Drained, stuck: tuple[WaitingRecords, ...], aged: Aged | None
) -> None:
    screen.print(
        f"took {render.count(reply.files, 'captured record')}: "
        f"{render.count(reply.stored, 'new event')}, {reply.duplicates:,} seen before"
    )
    if aged is not None:
        screen.print(f"{aged} (`retention.days`)")
    if reply.damaged:
        screen.print(
            f"{render.count(reply.damaged, 'record')} damaged, kept as notes", style="yellow"
        )
    for one in stuck:
        screen.print(
            f"{render.count(one.records, 'record')} {one.says}", style="red", soft_wrap=True
        )
        screen.print(f"  -> {one.mend}", style="dim", soft_wrap=True)
