"""`agentx ready`: what can be begun now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.kernel.clock import age, from_iso
from agentx.operations.issues.ready_queue import ReadyReply, list_steps, ready
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb

if TYPE_CHECKING:
    from rich.console import Console


@click.command(cls=Verb)
@click.pass_obj
def command(invocation: Invocation) -> None:
    """Show what can be begun now: open, Ready, nothing in the way; most urgent first.

    An issue whose agent waits for an answer is marked as blocked.
    """
    found = ready(invocation.project)
    now_ms = invocation.project.clock.now_ms()
    steps = () if invocation.as_json else list_steps(invocation.project)
    invocation.show(found, lambda screen: _draw(screen, found, now_ms, steps))


def _draw(screen: Console, found: ReadyReply, now_ms: int, steps: tuple[str, ...]) -> None:
    if found.ready:
        table = render.table(">#", "PRIO", "TYPE", "AGE", "TITLE")
        for issue in found.ready:
            table.add_row(
                f"#{issue.number}",
                issue.priority or "-",
                issue.type or "-",
                age(from_iso(issue.created), now_ms=now_ms),
                issue.title,
            )
        screen.print(table)
    else:
        screen.print("Nothing is ready.")
    if found.blocked:
        screen.print()
    for each in found.blocked:
        title = render.line(each.issue.title, 10_000)
        screen.print(
            render.text(f"#{each.issue.number} ")
            + title
            + "  "
            + render.text(each.marker, style="red")
        )
    for circle in found.cycles:
        named = " -> ".join(f"#{number}" for number in (*circle, circle[0]))
        screen.print(f"\nNever ready, they wait for each other: {named}", style="yellow")
    if found.inbox:
        asked = render.count(len(found.inbox), "question")
        screen.print(f"\n{asked} for you: agentx clarify inbox", style="yellow")
    if steps:
        screen.print()
    for step in steps:
        screen.print(render.text(step, style="dim"), soft_wrap=True)
