"""`agentx memory pin`, `keep`, `edit`, `drop`: what a person says of single memories."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import printable
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.render import count, line
from agentx.surfaces.cli.screen import read_words

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


@click.command("keep", cls=Verb)
@click.argument("observation_id", metavar="ID")
@click.pass_obj
def keep(invocation: Invocation, observation_id: str) -> None:
    """Note that you looked at one and want it kept: `review` does not show it again."""
    from agentx.operations.memory.curate import memory_keep

    done = memory_keep(invocation.project, observation_id)
    invocation.show(
        {"id": done.id, "reviewed": done.reviewed},
        lambda screen: screen.print(line(f"kept: {done.summary}", screen.width)),
    )


@click.command("edit", cls=Verb)
@click.argument("observation_id", metavar="ID")
@click.argument("text", default="")
@click.pass_obj
def edit(invocation: Invocation, observation_id: str, text: str) -> None:
    """Say one in better words: TEXT, or what you write in your editor; `-` reads stdin."""
    from agentx.daemon.door import prepare_next
    from agentx.operations.memory.curate import memory_edit
    from agentx.operations.memory.read import memory_show

    if text == "-":
        text = read_words(text)
    elif not text:
        before = memory_show(invocation.project, observation_id).observation.content
        text = write_anew(invocation, before)
        if text == before:
            invocation.talk.print("nothing was changed")
            return
    done = memory_edit(invocation.project, observation_id, text)
    invocation.show(
        {"id": done.id, "content": done.content},
        lambda screen: screen.print(line(f"mended: {done.summary}", screen.width)),
    )
    prepare_next(invocation.project)


@click.command("drop", cls=Verb)
@click.argument("observation_id", metavar="ID")
@click.option("--why", default="", metavar="TEXT", help="What is wrong with it, for yourself.")
@click.pass_obj
def drop(invocation: Invocation, observation_id: str, why: str) -> None:
    """Take one out, and keep its like out of memory from now on; `undrop` undoes it."""
    from agentx.operations.memory.curate import memory_drop

    done = memory_drop(invocation.project, observation_id, why=why)

    def draw(screen: Console) -> None:
        screen.print(line(f"dropped: {done.text}", screen.width))
        screen.print(f"its like is not kept again; undo: agentx memory undrop {done.id}")
        if done.stands:
            screen.print(printable(done.stands), style="yellow", soft_wrap=True)

    invocation.show(done, draw)


@click.command("undrop", cls=Verb)
@click.argument("observation_id", metavar="ID")
@click.pass_obj
def undrop(invocation: Invocation, observation_id: str) -> None:
    """Bring a dropped one back; its like is kept again."""
    from agentx.daemon.door import prepare_next
    from agentx.operations.memory.curate import memory_undrop

    done = memory_undrop(invocation.project, observation_id)

    def draw(screen: Console) -> None:
        gone = "its text was forgotten; its like is kept again"
        screen.print(f"back: {done.id}" if done.restored else gone)
        if done.kept_out:
            screen.print(f"what was like it and not kept stays away: {done.kept_out}")

    invocation.show(done, draw)
    prepare_next(invocation.project)


@click.command("dropped", cls=Verb)
@click.pass_obj
def show_dropped(invocation: Invocation) -> None:
    """Show what was dropped, and how often its like was kept out since."""
    from agentx.operations.memory.curate import memory_dropped

    found = memory_dropped(invocation.project)

    def draw(screen: Console) -> None:
        for each in found:
            screen.print(line(each.text or "(its text was forgotten)", screen.width * 3))
            why = f", because: {each.why}" if each.why else ""
            last = f", last {invocation.dates.say(each.last_ms)}" if each.last_ms else ""
            kept_out = f"; kept out {count(each.kept_out, 'time')}{last}" if each.kept_out else ""
            screen.print(
                f"  dropped {invocation.dates.say(each.at_ms)}{why}{kept_out}", style="dim"
            )
            screen.print(f"  undo: agentx memory undrop {each.id}\n", style="dim", soft_wrap=True)
        if not found:
            screen.print("Nothing was dropped.")

    invocation.show({"dropped": found}, draw)


def has_editor(invocation: Invocation) -> bool:
    """Tell whether a person has an editor, and a terminal to use it in."""
    named = invocation.environment.variables
    return bool(named.get("VISUAL") or named.get("EDITOR")) and sys.stdin.isatty()


def write_anew(invocation: Invocation, text: str) -> str:
    """Let a person edit a text in the editor of the environment; return what came of it.

    Raises: InvalidValue when there is no editor.
    """
    if not has_editor(invocation):
        raise InvalidValue(
            "there is no text, and no editor to write one in",
            hint="agentx memory edit ID TEXT, or set EDITOR in a terminal",
        )
    written = click.edit(text)
    return text if written is None else written.strip()


def _pin(invocation: Invocation, observation_id: str, *, pinned: bool) -> None:
    from agentx.daemon.door import prepare_next
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
    prepare_next(invocation.project)
