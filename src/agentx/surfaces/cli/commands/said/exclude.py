"""`agentx exclude`: what is never captured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.kernel.errors import InvalidValue
from agentx.operations.capture.exclude import ExcludeReply, exclude_from_capture
from agentx.surfaces.cli.frame import Invocation, Verb

if TYPE_CHECKING:
    from rich.console import Console


@click.command(cls=Verb)
@click.argument("what", default="", metavar="[PATH|PROJECT]")
@click.option("--list", "listed", is_flag=True, help="Show what is excluded.")
@click.option("--remove", is_flag=True, help="Let it be captured again.")
@click.pass_obj
def command(invocation: Invocation, what: str, listed: bool, remove: bool) -> None:
    """Never capture a folder and all below it, or a project, whatever agents do there.

    Hooks write nothing of it and imports pass over it. What was captured before stays:
    `agentx forget` erases it.
    """
    if not what and not listed:
        raise InvalidValue("say what to exclude", hint="a folder, a project's id, or --list")
    reply = exclude_from_capture(invocation.project, what, remove=remove)
    invocation.show(reply, lambda screen: _draw(screen, reply))


def _draw(screen: Console, reply: ExcludeReply) -> None:
    for line in reply.added:
        screen.print(f"never captured from now on: {line}", soft_wrap=True)
    for line in reply.removed:
        screen.print(f"captured again: {line}", soft_wrap=True)
    if reply.added or reply.removed:
        return
    for line in reply.excluded or ("nothing is excluded",):
        screen.print(line, soft_wrap=True)
