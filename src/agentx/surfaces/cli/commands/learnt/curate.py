"""`agentx memory pin` and `unpin`: what a person says of single memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.render import line

if TYPE_CHECKING:
    from rich.console import Console


@click.command("pin", cls=Verb)
@click.argument("observation_id", metavar="ID")
@click.pass_obj
def pin(invocation: Invocation, observation_id: str) -> None:
    """Have one told at the start of every session, never merged and never faded."""
    _pin(invocation, observation_id, pinned=True)


@click.command("unpin", cls=Verb)
@click.argument("observation_id", metavar="ID")
@click.pass_obj
def unpin(invocation: Invocation, observation_id: str) -> None:
    """Let a pinned one be weighed like the others again."""
    _pin(invocation, observation_id, pinned=False)


def _pin(invocation: Invocation, observation_id: str, *, pinned: bool) -> None:
    from agentx.operations.memory.curate import memory_pin

    done = memory_pin(invocation.project, observation_id, pinned=pinned)

    def draw(screen: Console) -> None:
        said = "pinned: " if pinned else "no longer pinned: "
        screen.print(line(said + done.summary, screen.width))

    invocation.show(done, draw)
    if pinned and done.total > done.told_max:
        invocation.talk.print(
            f"{done.total} are pinned and only the newest {done.told_max} are told:"
            " unpin some with `agentx memory unpin ID`"
        )
