"""`agentx export`: every fact of this memory into one file."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from agentx.operations.upkeep.carry import export, read_passphrase
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.progress import behind_progress


@click.command(cls=Verb)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--passphrase-file",
    metavar="F",
    default="",
    help="Seal the file with the passphrase in this one.",
)
@click.pass_obj
def command(invocation: Invocation, file: Path, passphrase_file: str) -> None:
    """Write every fact into one file: the log with its keys, observations, questions, issues, runs,
    lessons and settings of the project. `agentx restore` reads it back.

    Whoever has the file can read all of it, unless it is sealed with a passphrase; and what you
    forget later stays in it.
    """
    passphrase = read_passphrase(passphrase_file)
    project, opened = invocation.project, invocation.memory
    done = behind_progress(
        invocation,
        lambda told: export(project, opened, file, passphrase=passphrase, told=told),
        "exporting",
    )

    def draw(screen: Console) -> None:
        sealed = "sealed" if done.is_sealed else "NOT sealed: whoever has it can read it"
        counts = f"{render.count(done.events, 'event')}, {render.count(done.files, 'file')}"
        screen.print(f"{done.path}: {counts}, {done.bytes:,} bytes, {sealed}", soft_wrap=True)

    invocation.show(done, draw)
