"""`agentx view`: become the page's server.

The page is a surface of its own, so this process does not import it: it turns into it, and who
called it stays who called it.
"""

from __future__ import annotations

import os
import sys

import click

from agentx.surfaces.cli.frame import Invocation, Verb

_PORT_MAX = 65_535


@click.command(cls=Verb)
@click.option("--no-open", is_flag=True, help="Say the link and start no browser.")
@click.option(
    "--port",
    default=0,
    type=click.IntRange(0, _PORT_MAX),
    metavar="N",
    help="Listen on this port of this machine (default: a free one).",
)
@click.pass_obj
def command(invocation: Invocation, no_open: bool, port: int) -> None:
    """Open a page on what is remembered: walk from the year to the word, and mend it by hand.

    It is served on this machine alone, to the one browser that opens the link first, and ends
    with the terminal, on Ctrl-C, or when nobody looks for half an hour.
    """
    folder = str(invocation.project.directory)
    shown = ["--no-open"] if no_open else []
    shown += ["--json"] if invocation.as_json else []
    words = [sys.executable, "-P", "-m", "agentx.surfaces.page", "--port", str(port), *shown]
    os.execv(sys.executable, [*words, folder])  # noqa: S606  the same interpreter, no shell
