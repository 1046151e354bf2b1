"""`agentx events`: the log itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.conversation.model import Event, EventPage, EventQuery
from agentx.kernel.capture import EventType
from agentx.kernel.clock import point
from agentx.kernel.text import printable
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb

if TYPE_CHECKING:
    from rich.console import Console

_ON_A_PAGE = 50
_SIGNS = {
    "session_start": (">>", "bold"),
    "user_message": ("you", "bold cyan"),
    "assistant_message": ("agent", "bold green"),
    "tool_call": ("call", "yellow"),
    "tool_result": ("result", "dim"),
    "session_end": ("<<", "bold"),
}


@click.command(cls=Verb)
@click.option("--session", "session_id", default="", metavar="ID", help="Only this session.")
@click.option("--harness", default="", metavar="NAME", help="Only this agent CLI.")
@click.option("--agent", default="", metavar="ROLE", help="Only this role (engineer, ...).")
@click.option("--role", default="", metavar="WHO", help="Only user, assistant, tool or system.")
@click.option(
    "--type", "event_type", default="", metavar="TYPE", help=f"Only {', '.join(EventType)}."
)
@click.option("--since", default="", metavar="T", help="From this time: 2026-03-02, 7d, yesterday.")
@click.option("--until", default="", metavar="T", help="Before this time.")
@click.option("--limit", default=_ON_A_PAGE, show_default=True, metavar="N")
@click.option("--cursor", default="", metavar="C", help="Go on where the page before ended.")
@click.option("--newest", is_flag=True, help="Newest first.")
@click.option("--full", is_flag=True, help="Whole texts instead of one line each.")
@click.pass_obj
def command(invocation: Invocation, /, *, full: bool, newest: bool, **given: str | int) -> None:
    """Show the event log, in the order things happened.

    A terminal shows the newest, unless --since or --cursor says where to begin; --json begins
    with the oldest.
    """
    tail = not (invocation.as_json or newest or given["since"] or given["cursor"])
    query = _query(invocation, newest or tail, **given)
    with invocation.reading() as memory:
        invocation.freshen(memory, views=False)
        page = memory.events(query)
    if tail:
        page = EventPage(events=page.events[::-1])
    invocation.show(
        {"events": page.events, "next": page.next or None},
        lambda screen: _draw(screen, page, full=full),
    )


def _query(invocation: Invocation, newest: bool, **given: str | int) -> EventQuery:
    now_ms = invocation.project.clock.now_ms()
    times = {
        name: point(str(given[word]), now_ms=now_ms, zone=render.local_zone())
        for word, name in (("since", "since_ms"), ("until", "until_ms"))
        if given[word]
    }
    return EventQuery(
        session_id=str(given["session_id"]),
        harness=str(given["harness"]),
        agent=str(given["agent"]),
        role=str(given["role"]),
        event_type=str(given["event_type"]),
        since_ms=times.get("since_ms"),
        until_ms=times.get("until_ms"),
        limit=int(given["limit"]),
        cursor=str(given["cursor"]),
        newest_first=newest,
    )


def _draw(screen: Console, page: EventPage, *, full: bool) -> None:
    if not page.events:
        screen.print("No events.")
        screen.print("\nhint: `agentx doctor` says whether hooks are installed", style="dim")
        return
    session = ""
    for event in page.events:
        if event.session_id != session:
            session = event.session_id
            heading = render.text("\n" if event is not page.events[0] else "")
            heading.append_text(render.harness(event.harness)).append(f"  {session}", style="dim")
            screen.print(heading)
        _draw_event(screen, event, full=full)
    if page.next:
        screen.print(f"\nmore: add --cursor {page.next}", style="dim")


def _draw_event(screen: Console, event: Event, *, full: bool) -> None:
    sign, style = _SIGNS.get(event.event_type, (event.event_type, "dim"))
    row = render.text(f"{render.moment(event.timestamp_ms)}  ", style="dim")
    row.append(f"{sign:<10}", style=style)
    width = max(screen.width - len(row) - 1, 40)
    if full:
        screen.print(row.append(f"  {event.event_id}", style="dim"))
        screen.print(render.text(printable(event.text)))
    else:
        screen.print(row.append_text(render.line(event.text, width)), no_wrap=True)
