"""`agentx expand`: from a line of a summary to the words that prove it."""

from __future__ import annotations

import click
from rich.console import Console
from rich.text import Text

from agentx.conversation.model import Event
from agentx.conversation.toc_model import Expansion
from agentx.kernel.text import preview, printable
from agentx.operations.recall.uses import expand_used
from agentx.surfaces.cli import render
from agentx.surfaces.cli.commands.learnt import memory
from agentx.surfaces.cli.commands.said.events import name_speaker
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.layout import fold, lay
from agentx.surfaces.dates import Dates

_MARGIN = 2
_AROUND_CHARS = 400


@click.command(cls=Verb)
@click.argument("grip_id", metavar="ID")
@click.option("--before", default=3, show_default=True, metavar="N", help="Events before it.")
@click.option("--after", default=3, show_default=True, metavar="N", help="Events after it.")
@click.pass_obj
def command(invocation: Invocation, grip_id: str, before: int, after: int) -> None:
    """Show the exact words that a line of the table of contents came from, or an observation."""
    if grip_id.startswith("obs-"):
        click.get_current_context().invoke(memory.show, observation_id=grip_id)
        return
    with invocation.reading() as opened:
        invocation.freshen(opened)
        found = expand_used(invocation.project, opened, grip_id, before=before, after=after)
    invocation.show(found, lambda screen: _draw(screen, found, invocation.dates))


def _draw(screen: Console, found: Expansion, dates: Dates) -> None:
    for event in found.events_before:
        _draw_event(screen, event, dates)
    for event in found.excerpt_events:
        spans = [
            (span.start, span.end) for span in found.grip.spans if span.event_id == event.event_id
        ]
        _draw_proof(screen, event, spans, dates)
    for event in found.events_after:
        _draw_event(screen, event, dates)


def _draw_event(screen: Console, event: Event, dates: Dates) -> None:
    _draw_head(screen, event, dates)
    said = Text(preview(printable(event.text), _AROUND_CHARS))
    for line in lay(Text("  "), said, screen.width):
        screen.print(line, style="dim")
    screen.print()


def _draw_proof(screen: Console, event: Event, spans: list[tuple[int, int]], dates: Dates) -> None:
    _draw_head(screen, event, dates)
    begin = max(min(start for start, _ in spans) - _AROUND_CHARS, 0)
    end = max(end for _, end in spans) + _AROUND_CHARS
    shown = Text()
    at = begin
    for start, stop in spans:
        shown.append(printable(event.text[at:start]))
        shown.append(printable(event.text[start:stop]), style="bold reverse")
        at = stop
    shown.append(printable(event.text[at:end]))
    for line in fold(shown, max(screen.width - _MARGIN, _MARGIN)):
        screen.print(Text(" " * _MARGIN) + line)
    screen.print()


def _draw_head(screen: Console, event: Event, dates: Dates) -> None:
    head = Text(f"{dates.say(event.timestamp_ms)}  ", style="dim")
    head.append_text(render.harness(event.harness)).append(f"  {name_speaker(event)}  ")
    screen.print(head.append(event.event_id, style="dim"))
