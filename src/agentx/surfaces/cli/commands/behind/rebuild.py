"""`agentx rebuild`: make a view from nothing, out of the facts."""

from __future__ import annotations

import click

from agentx.daemon.control import stop
from agentx.operations.upkeep.rebuild import VIEWS, rebuild
from agentx.project.zone import project_zone
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.progress import behind_progress


@click.command(cls=Verb)
@click.argument("view", type=click.Choice(tuple(VIEWS)))
@click.pass_obj
def command(invocation: Invocation, view: str) -> None:
    """Make a view from nothing: what was said and written down stays as it is.

    \b
    toc           the table of contents
    search        the index of words; the old one answers meanwhile
    recalls       how often things were recalled
    digests       what sessions are told at their start
    observations  the words that observations are found by

    Damaged views are made anew without being told to; this is for when you want to be sure.
    """
    if view == "toc":
        end_elsewhere(invocation)
    with invocation.memory() as memory:
        made = behind_progress(
            invocation, lambda told: rebuild(invocation.project, memory, view, told)
        )
    said = f"{made.view}: made anew, {render.count(made.count, made.what)}"
    invocation.show(made, lambda screen: screen.print(said))


def end_elsewhere(invocation: Invocation) -> None:
    """End a daemon whose days begin in another time zone: they are cut for who asks, by us."""
    project = invocation.project
    with invocation.memory() as memory:
        zone = memory.freshen(0).zone
        is_elsewhere = memory.status().served_by == "daemon" and zone != str(project_zone(project))
    if zone and is_elsewhere:
        stop(project.store)
