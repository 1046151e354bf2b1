"""`agentx why`: from anything recalled down to the words that prove it."""

from __future__ import annotations

import click
from rich.console import Console
from rich.text import Text

from agentx.kernel.text import preview, printable
from agentx.operations.recall.why import Trace, why
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.layout import fold
from agentx.surfaces.dates import Dates

_STEP = 4
_CELLS_MIN = 24
_TEXT_CHARS_MAX = 600
_AFTER_CHARS = 200
_MOMENTS = {"start": "the start", "prompt": "a prompt", "action": "an action"}
_STYLES = {"toc_node": "bold cyan", "lesson": "bold", "line": "bold", "grip": "italic"}


@click.command(cls=Verb)
@click.argument("doc_id", metavar="ID")
@click.pass_obj
def command(invocation: Invocation, doc_id: str) -> None:
    """Show why something is remembered: the words it came from, who said them, and when.

    ID is any id that recall, search or toc shows: a grip, a node, an event, a lesson (PAT-001).
    """
    with invocation.reading() as memory:
        invocation.freshen(memory)
        trace = why(invocation.project, memory, doc_id)
    invocation.show(trace, lambda screen: _draw(screen, trace, invocation.dates))


def _draw(screen: Console, trace: Trace, dates: Dates, depth: int = 0) -> None:
    """Draw a step, and below it, further in, what it rests on."""
    margin = " " * (_STEP * depth)
    for line in fold(_label(trace, dates), max(screen.width - len(margin), _CELLS_MIN)):
        screen.print(Text(margin) + line)
    for below in trace.rests_on:
        _draw(screen, below, dates, depth + 1)
    if trace.left_out:
        screen.print(f"{margin}  and {trace.left_out} more", style="dim")


def _label(trace: Trace, dates: Dates) -> Text:
    label = _say(trace)
    facts = [dates.say(trace.timestamp_ms), printable(trace.source), trace.id]
    label.append(f"\n{'  '.join(filter(None, facts))}", style="not bold not italic dim default")
    if trace.recalled:
        times = "once" if trace.recalled == 1 else f"{trace.recalled:,} times"
        last = dates.say(trace.recalled_last_ms)
        label.append(f"\nrecalled {times}, last {last}", style="not bold not italic green")
    for told in trace.told:
        who = printable(f"{told.harness}, session {told.session_id}")
        said = f"\n  told at {_MOMENTS[told.moment]}, {dates.say(told.at_ms)}, {who}"
        label.append(said, style="not bold not italic dim default")
    return label


def _say(trace: Trace) -> Text:
    if trace.kind == "event" and trace.marks:
        shown = Text(printable(trace.text)[: trace.marks[-1][1] + _AFTER_CHARS])
        for start, end in trace.marks:
            shown.stylize("bold reverse", start, end)
        return shown
    said = preview(printable(trace.text), _TEXT_CHARS_MAX) or "(no text)"
    return Text(f'"{said}"' if trace.kind == "grip" else said, style=_STYLES.get(trace.kind, ""))
