"""`agentx events`: the log itself."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

import click

from agentx.conversation.model import Event, EventPage, EventQuery
from agentx.kernel.capture import EventType
from agentx.kernel.clock import point
from agentx.kernel.text import printable
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.layout import flatten, lay, lay_facts

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.surfaces.dates import Dates

_ON_A_PAGE = 50
_LINES_MAX = 2
_TEXT_MARGIN = "    "
_WORDS = {  # who speaks, how that looks, and what is said where there are no words
    "session_start": ("", "bold", "the session began"),
    "user_message": ("you", "bold cyan", "(no words)"),
    "assistant_message": ("agent", "bold green", "(no words)"),
    "tool_call": ("does", "yellow", "(nothing named)"),
    "tool_result": ("gets", "dim", "(nothing)"),
    "assistant_stop": ("", "dim", "the agent was done"),
    "subagent_start": ("helper", "yellow", "a sub-agent began"),
    "subagent_stop": ("", "dim", "the sub-agent was done"),
    "compaction": ("summary", "dim", "what was said so far was summed up"),
    "session_end": ("", "bold", "the session ended"),
    "note": ("note", "dim", "(no words)"),
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
        lambda screen: _draw(screen, page, invocation.dates, full=full),
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


def _draw(screen: Console, page: EventPage, dates: Dates, *, full: bool) -> None:
    if not page.events:
        screen.print("No events.")
        screen.print("\nhint: `agentx doctor` says whether hooks are installed", style="dim")
        return
    session = day = ""
    for event in page.events:
        if event.session_id != session:
            _draw_session(screen, event, is_first=not session)
            session, day = event.session_id, ""
        if dates.say_day(event.timestamp_ms) != day:
            day = dates.say_day(event.timestamp_ms)
            screen.print(f"  {day}", style="dim")
        _draw_event(screen, event, dates, full=full)
    if page.next:
        screen.print(f"\nmore: add --cursor {page.next}", style="dim")


def _draw_session(screen: Console, event: Event, *, is_first: bool) -> None:
    if not is_first:
        screen.print()
    branch = event.metadata.get("git_branch")
    facts = [render.harness(event.harness), render.text(flatten(event.session_id), style="dim")]
    if isinstance(branch, str) and branch:
        facts.append(render.text(f"on {flatten(branch)}", style="dim"))
    for line in lay_facts(facts, screen.width, indent=2):
        screen.print(line)


def name_speaker(event: Event) -> str:
    """Return who speaks in an event, or what it is, in a word."""
    who, _, instead = _WORDS.get(event.event_type, (event.event_type, "", ""))
    return who or instead


def _draw_event(screen: Console, event: Event, dates: Dates, *, full: bool) -> None:
    who, style, instead = _WORDS.get(event.event_type, (event.event_type, "dim", ""))
    lead = render.text(f"  {dates.say_clock(event.timestamp_ms)}  ", style="dim")
    lead.append(f"{who:<7}  ", style=style)
    said = event.text if event.text.strip() else instead
    if full:
        for line in lay(lead, render.text(event.event_id, style="dim"), screen.width):
            screen.print(line)
        screen.print(render.text(indent(printable(said), _TEXT_MARGIN)))
        return
    shown = render.text(said, style="" if said is event.text else "dim")
    for line in lay(lead, shown, screen.width, lines_max=_LINES_MAX):
        screen.print(line)
