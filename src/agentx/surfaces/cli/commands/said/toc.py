"""`agentx toc`: what was done when, from years down to the words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from agentx.conversation.toc_model import TocNode
from agentx.kernel.errors import InvalidValue
from agentx.kernel.periods import Level
from agentx.kernel.text import show_name
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.recall.toc import DEPTH_MAX, TocTree, find_nearest, toc, toc_of
from agentx.surfaces.cli.commands.said.contents import draw_sessions, draw_trees, find_deepest
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.layout import flatten, lay
from agentx.surfaces.cli.progress import behind_progress
from agentx.surfaces.dates import Dates

if TYPE_CHECKING:
    from agentx.operations.recall.stretch import TimeStretch


@click.command(cls=Verb)
@click.argument("when", nargs=-1, metavar="[WHEN | NODE_ID]")
@click.option(
    "--depth",
    type=click.IntRange(0, DEPTH_MAX),
    help="Levels below; of everything 2 (year, month, week), else 1.",
)
@click.option("--rebuild", is_flag=True, hidden=True)
@click.pass_obj
def command(
    invocation: Invocation, when: tuple[str, ...], depth: int | None, rebuild: bool
) -> None:
    """Show what was done when: years, months, weeks, days, segments.

    WHEN is a time in words or a date: today, yesterday, last week, in March, 2026-03-12,
    2026-W11, 2026-03. NODE_ID is what the tree shows, such as toc:week:2026:W11. Every line
    is proven: `agentx expand GRIP_ID` shows the words it came from.
    """
    said = " ".join(when).strip()
    deep = depth if depth is not None else (1 if said else 2)
    if rebuild:
        from agentx.surfaces.cli.commands.behind.rebuild import end_elsewhere

        end_elsewhere(invocation)
    with invocation.reading() as memory:
        if rebuild:
            memory.drain()
            behind_progress(invocation, memory.rebuild_toc)
        else:
            invocation.freshen(memory)
        if said and not said.startswith("toc:"):
            found = _read_words(invocation, memory, said, deep)
        else:
            found = _Found(trees=toc(memory, node_id=said, depth=deep))
    if said.startswith("toc:"):
        data: object = found.trees[0]
    else:
        data = found.as_data()
    invocation.show(data, lambda screen: _draw(screen, found, invocation))


@frozen
class _Found:
    """What the table of contents has of a time, and what is nearest where it has nothing."""

    trees: tuple[TocTree, ...]
    stretch: TimeStretch | None = None
    nearest: tuple[TocNode, ...] = ()

    def as_data(self) -> dict[str, object]:
        if self.stretch is None:
            return {"nodes": self.trees}
        return {
            "nodes": self.trees,
            "since_ms": self.stretch.since_ms,
            "until_ms": self.stretch.until_ms,
            "sessions": [] if self.trees else self.stretch.sessions,
            "nearest": [node.node_id for node in self.nearest],
        }


def _read_words(invocation: Invocation, memory: Memory, said: str, depth: int) -> _Found:
    """Return what happened in the time that words mean.

    Raises: InvalidValue when they mean none.
    """
    from agentx.operations.recall.stretch import read_stretch  # only who names a time needs it

    dates = invocation.dates
    stretch = read_stretch(memory, said, now_ms=dates.now_ms, zone=dates.zone)
    if stretch is None:
        raise InvalidValue(
            f"{show_name(said)[:60]!r} is no time and no id of the table of contents",
            hint="such as today, yesterday, last week, 2026-03-12, 2026-03 or toc:week:2026:W11",
        )
    trees = toc_of(memory, stretch, depth=depth)
    empty = not trees and not stretch.sessions
    near = find_nearest(memory, stretch) if empty else ()
    return _Found(trees=trees, stretch=stretch, nearest=near)


def _draw(screen: Console, found: _Found, invocation: Invocation) -> None:
    dates = invocation.dates
    if found.trees:
        is_all = found.stretch is None and found.trees[0].level == Level.YEAR
        draw_trees(screen, found.trees, dates, whole=not is_all)
        if is_all:
            hint = find_deepest(found.trees[0]).node_id
            screen.print(f"\nmore: agentx toc {hint}", style="dim")
        return
    if found.stretch is None:
        if invocation.behind is not None:
            screen.print("Nothing is summed up yet.")
            return
        if not invocation.is_begun:
            return  # that was said
        screen.print("Nothing is remembered yet.")
        screen.print("\nhint: `agentx init` installs hooks and imports your history", style="dim")
        return
    if found.stretch.sessions:
        screen.print("Not summed up yet. The sessions of that time:\n")
        draw_sessions(screen, found.stretch.sessions, dates)
        return
    screen.print(f"Nothing is remembered of {_say_stretch(found.stretch, dates)}.")
    for node in found.nearest:
        day = node.node_id.removeprefix("toc:day:")
        title = flatten(node.title)
        for line in lay(Text("nearest: "), Text(f"{title}  agentx toc {day}"), screen.width):
            screen.print(line, style="dim")


def _say_stretch(stretch: TimeStretch, dates: Dates) -> str:
    words = show_name(stretch.words)
    if stretch.since_ms is None or stretch.until_ms is None:
        return words
    first, last = dates.say_day(stretch.since_ms), dates.say_day(stretch.until_ms - 1)
    span = first if first == last else f"{first} to {last}"
    return words if span in (words, "-") else f"{words} ({span})"
