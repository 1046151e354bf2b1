"""`agentx deps`: whether an issue can be begun; scripts rely on its exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.operations.issues.deps import DepsReply, deps
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.work.model import issue_number

if TYPE_CHECKING:
    from rich.console import Console

# As for every conflict: come back when something has changed.
BLOCKED = 3


@click.command(cls=Verb)
@click.argument("number", metavar="N")
@click.pass_context
def command(ctx: click.Context, number: str) -> None:
    """Say what an issue waits for and what waits for it; fail (3) when it is blocked."""
    invocation: Invocation = ctx.obj
    found = deps(invocation.project, issue_number(number))
    invocation.show(found, lambda screen: _draw(screen, found))
    if found.blocked:
        ctx.exit(BLOCKED)


def _draw(screen: Console, found: DepsReply) -> None:
    if found.open_blockers:
        screen.print(
            f"#{found.number} is blocked by {_name_issues(found.open_blockers)}", style="red"
        )
    for question in found.questions:
        screen.print(f"#{found.number} {question}", style="red")
    if not found.blocked:
        screen.print(f"#{found.number} is not blocked")
    for said, numbers in (
        ("done", found.done_blockers),
        ("unknown (no such issue; they block nothing)", found.unknown_blockers),
        ("waiting for it", found.blocks),
    ):
        if numbers:
            screen.print(f"  {said}: {_name_issues(numbers)}")
    if found.cycle:
        circle = " -> ".join(f"#{number}" for number in (*found.cycle, found.cycle[0]))
        screen.print(f"\nhint: they wait for each other ({circle}): take one dependency out")


def _name_issues(numbers: tuple[int, ...]) -> str:
    return ", ".join(f"#{number}" for number in numbers)
