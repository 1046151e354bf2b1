"""`agentx restore`: an export in the place of this memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console

from agentx.daemon.control import stop
from agentx.kernel.errors import ConflictError
from agentx.operations.upkeep.carry import (
    find_home,
    list_loss,
    read_passphrase,
    restore,
    settle_home,
    would_replace,
)
from agentx.project.project import Project
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.progress import behind_progress
from agentx.surfaces.cli.screen import ask, remark

_LOSS_SHOWN = 5


@click.command(cls=Verb)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--passphrase-file", metavar="F", default="", help="The passphrase it is sealed with."
)
@click.option("--yes", "-y", is_flag=True, help="Put what is here now aside without asking.")
@click.pass_obj
def command(invocation: Invocation, file: Path, passphrase_file: str, yes: bool) -> None:
    """Read an export back: laid out beside, verified, and then put in the place of what is here,
    which is kept aside. What was forgotten here stays away, whenever the file was written.

    A file that is damaged, cut or not ours changes nothing.
    """
    project = invocation.project
    passphrase = read_passphrase(passphrase_file)
    home = find_home(project, file, passphrase=passphrase)
    is_replacing = would_replace(home) or would_replace(project)
    for line in _list_lines(home, file, passphrase) if is_replacing else ():
        remark(line)
    if is_replacing and not yes:
        says = _say_replaced(project, home)
        if invocation.as_json or not sys.stdin.isatty():
            raise ConflictError(says, hint="say `agentx restore --yes` if that is what you want")
        ask(f"{says}. Go on?", or_leave=True)
    stop(home.store)
    done = behind_progress(
        invocation,
        lambda told: restore(home, file, passphrase=passphrase, told=told),
        "restoring",
    )
    settle_home(project, home)

    def draw(screen: Console) -> None:
        counts = f"{render.count(done.events, 'event')}, {render.count(done.files, 'file')}"
        screen.print(f"restored: {counts}, as of {done.made}", soft_wrap=True)
        if home.id != project.id:
            said = f"this folder is the project {home.id} from now on (project.id, --here)"
            screen.print(said, soft_wrap=True)
        if done.forgotten:
            screen.print(f"what was forgotten stayed away ({done.forgotten:,})", soft_wrap=True)
        if done.aside is not None:
            screen.print(
                f"what was here is kept in {done.aside}; when you need it no more: "
                f"rm -r '{done.aside}'",
                soft_wrap=True,
            )

    invocation.show(done, draw)


def _list_lines(home: Project, file: Path, passphrase: str) -> Iterator[str]:
    """Yield what people said, and what they are asked, that would be taken back: the first few."""
    loss = list_loss(home, file, passphrase=passphrase)
    for what, found in (
        ("What people decided would be taken back", loss.questions),
        ("What people answered to runs would be taken back", loss.answers),
        ("What people told memory themselves would be gone", loss.memories),
        ("Lessons of people would be gone", loss.lessons),
        ("What was asked since would be gone, and who asked goes on waiting", loss.waiting),
    ):
        if not found:
            continue
        yield f"{what} ({len(found):,}):"
        yield from (f"  {line}" for line in found[:_LOSS_SHOWN])
        if len(found) > _LOSS_SHOWN:
            yield f"  and {len(found) - _LOSS_SHOWN:,} more"


def _say_replaced(project: Project, home: Project) -> str:
    if would_replace(home):
        return f"{home.id} has a memory; it would be kept aside in {home.store.root}"
    return (
        f"this folder has a memory as {project.id}; it would stay in {project.store.root} "
        f"and no longer be shown here, where {home.id} would be"
    )
