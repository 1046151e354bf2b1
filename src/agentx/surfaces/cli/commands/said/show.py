"""`agentx show`: the whole text of anything that has an id."""

from __future__ import annotations

import click
from rich.console import Console
from rich.text import Text

from agentx.kernel.text import printable
from agentx.operations.recall.document import Opened, open_document
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.dates import Dates


@click.command(cls=Verb)
@click.argument("doc_id", metavar="ID")
@click.pass_obj
def command(invocation: Invocation, doc_id: str) -> None:
    """Show the whole text of anything that has an id.

    An event, a grip, a node of the table of contents, an observation (obs-...), a clarification
    (CLR-7-001), a lesson (PAT-001, ADR-0001), a run or an event of one: as search shows them.
    """
    with invocation.reading() as memory:
        found = open_document(invocation.project, memory, doc_id)
    invocation.show(found, lambda screen: _draw(screen, found, invocation.dates))


def _draw(screen: Console, found: Opened, dates: Dates) -> None:
    head = Text(f"{dates.say(found.timestamp_ms)}  ", style="dim")
    if found.harness:
        head.append_text(render.harness(found.harness)).append("  ")
    head.append(render.line(found.title, 10_000))
    facts = (found.agent, found.session_id, found.doc_id)
    head.append("".join(f"  {fact}" for fact in facts if fact), style="dim")
    screen.print(head, soft_wrap=True)
    if found.origin:
        screen.print(Text(printable(found.origin), style="yellow"))
    screen.print(Text(printable(found.text)))
