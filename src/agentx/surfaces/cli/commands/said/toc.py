"""`agentx toc`: what was done when, from years down to the words."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import click
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.text import printable
from agentx.operations.recall.toc import DEPTH_MAX, TocTree, toc
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb

if TYPE_CHECKING:
    from rich.progress import Progress

Done = TypeVar("Done")

_LEVEL_STYLES = {"year": "bold", "month": "bold", "week": "bold cyan", "day": "cyan", "segment": ""}
KIND_SIGNS = {
    "decision": ("decided", "green"),
    "change": ("changed", "blue"),
    "problem": ("problem", "red"),
    "outcome": ("outcome", "magenta"),
    "answer": ("answer", "green"),
    "question": ("asked", "yellow"),
    "request": ("wanted", "yellow"),
    "open": ("open", "yellow"),
    "fact": ("noted", "dim"),
}


@click.command(cls=Verb)
@click.argument("node_id", required=False, default="")
@click.option(
    "--depth",
    type=click.IntRange(0, DEPTH_MAX),
    help="Levels below; without a node 2 (year, month, week), with one 1.",
)
@click.option("--rebuild", is_flag=True, hidden=True)
@click.pass_obj
def command(invocation: Invocation, node_id: str, depth: int | None, rebuild: bool) -> None:
    """Show what was done when: years, months, weeks, days, segments.

    NODE_ID is what the tree shows, such as toc:week:2026:W11 or toc:day:2026-03-12. Every line
    is proven: `agentx expand GRIP_ID` shows the words it came from.
    """
    deep = depth if depth is not None else (1 if node_id else 2)
    with invocation.reading() as memory:
        if rebuild:
            memory.drain()
            behind_progress(invocation, memory.rebuild_toc)
        else:
            invocation.freshen(memory)
        trees = toc(memory, node_id=node_id, depth=deep)
    data: object = trees[0] if node_id else {"nodes": trees}
    if not trees and invocation.behind is not None:
        invocation.show(data, lambda screen: screen.print("Nothing is summed up yet."))
        return
    invocation.show(data, lambda screen: _draw(screen, trees, whole=bool(node_id)))


def _draw(screen: Console, trees: tuple[TocTree, ...], *, whole: bool) -> None:
    if not trees:
        screen.print("Nothing is remembered yet.")
        screen.print("\nhint: `agentx init` installs hooks and imports your history", style="dim")
        return
    for tree in trees:
        drawn = Tree(_heading(tree), guide_style="dim", highlight=False)
        _fill(drawn, tree, bullets=whole or not tree.children)
        screen.print(drawn)
    if not whole:
        hint = _deepest(trees[0]).node_id
        screen.print(f"\nmore: agentx toc {hint}", style="dim")


def _fill(drawn: Tree, tree: TocTree, *, bullets: bool) -> None:
    if bullets:
        for bullet in tree.bullets:
            word, style = KIND_SIGNS.get(bullet.kind, ("noted", "dim"))
            row = Text(f"{word:<8}", style=style).append(printable(bullet.text), style="default")
            if tree.level == "segment":
                row.append(f"  {bullet.grip_ids[0]}", style="dim")
            drawn.add(row)
    for part in tree.children:
        below = drawn.add(_heading(part))
        _fill(below, part, bullets=not part.children)


def _heading(tree: TocTree) -> Text:
    heading = Text(printable(tree.title), style=_LEVEL_STYLES.get(tree.level, ""))
    facts = [render.count(tree.event_count, "event")]
    if tree.session_count > 1:
        facts.append(render.count(tree.session_count, "session"))
    facts.append(", ".join(tree.harnesses))
    if tree.agents:
        facts.append("as " + ", ".join(tree.agents))
    if tree.level == "segment":
        facts.insert(0, render.moment(tree.start_ms)[11:])
    if tree.provisional:
        facts.append("going on")
    heading.append(f"  {tree.node_id}", style="dim")
    return heading.append(f"  {', '.join(fact for fact in facts if fact)}", style="dim")


def _deepest(tree: TocTree) -> TocTree:
    while tree.children:
        tree = tree.children[-1]
    return tree


def behind_progress(invocation: Invocation, update: Callable[[HowFar], Done]) -> Done:
    """Run a catch-up or a rebuild behind a progress bar that shows only when it takes a while."""
    talk = invocation.talk
    if invocation.as_json or not talk.is_terminal:
        return update(unheard)
    with ExitStack() as drawing:

        @cache
        def bar() -> Progress:
            from rich.progress import BarColumn, Progress, TextColumn

            columns = (
                TextColumn("reading the log"),
                BarColumn(),
                TextColumn("{task.completed:,}/{task.total:,}"),
            )
            made = drawing.enter_context(Progress(*columns, console=talk, transient=True))
            made.add_task("toc", total=1)
            return made

        def tell(done: int, total: int) -> None:
            bar().update(bar().task_ids[0], completed=done, total=max(total, 1))

        return update(tell)
