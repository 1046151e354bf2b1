"""`agentx` alone: one screen of what is remembered, what waits for you, what happened lately."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from agentx.kernel.text import show_name
from agentx.operations.capture.waiting import sum_up
from agentx.operations.upkeep.glance import GLANCE_WEEKS, GlanceReply, glance
from agentx.operations.upkeep.status import StatusReply
from agentx.operations.upkeep.strangers import SHOW_TRUST
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation
from agentx.surfaces.cli.layout import flatten, lay, measure, shorten

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.surfaces.dates import Dates

_MARGIN = "  "
_BARS = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
_PLAIN_BARS = ".:-=+*#@"
_NAME_CELLS = 40
_YOURS_SHOWN = 3
_MORE = ("agentx toc today", "agentx search WORDS", "agentx status", "agentx --help")
_BEGIN = (
    ("agentx init", "sets hooks up for your agent CLIs and imports their history"),
    ("agentx demo", "replays three weeks of a small team, and keeps nothing"),
    ("agentx --help", "lists everything"),
)


def show_glance(invocation: Invocation) -> None:
    """Show one screen; where nothing is remembered, how to begin."""
    from agentx.daemon.door import has_begun, open_to_read

    if not has_begun(invocation.project):
        root = str(invocation.project.root)
        invocation.show({"begun": False, "root": root}, lambda screen: _draw_empty(screen, root))
        return
    with open_to_read(invocation.project, invocation.say_looked) as memory:
        reply = glance(invocation.project, memory, invocation.dates.zone)
    invocation.show(reply, lambda screen: _draw(screen, reply, invocation.dates))


def _draw_empty(screen: Console, root: str) -> None:
    screen.print(f"Nothing is remembered of {show_name(root)} yet.\n")
    table = render.table("", "~", header=False)
    for command, about in _BEGIN:
        table.add_row(render.text(command, style="bold"), about)
    screen.print(table)


def _draw(screen: Console, reply: GlanceReply, dates: Dates) -> None:
    _draw_head(screen, reply, dates)
    waits = _list_waiting(reply.status)
    if waits:
        screen.print("\nWaits for you", style="bold")
    draw_waiting(screen, waits)
    if any(session.last_ms >= reply.since_ms for session in reply.sessions):
        screen.print("\nSince yesterday", style="bold")
    elif reply.sessions:
        screen.print("\nNothing since yesterday. The last session:", style="bold")
    else:
        screen.print("\nNo session is remembered yet.", style="bold")
    _draw_sessions(screen, reply, dates)
    if reply.lines:
        screen.print()
    for bullet in reply.lines:
        from agentx.surfaces.cli.commands.said.contents import KIND_SIGNS

        word, style = KIND_SIGNS.get(bullet.kind, ("noted", "dim"))
        lead = render.text(_MARGIN).append(f"{word:<9}", style=style)
        for line in lay(lead, render.text(bullet.text), screen.width, lines_max=1):
            screen.print(line)
    screen.print()
    for line in lay(render.text("more: "), render.text(", ".join(_MORE)), screen.width):
        screen.print(line, style="dim")


def draw_waiting(screen: Console, waits: Iterable[tuple[str, str]]) -> None:
    """Draw what somebody has to look at, each with what to type, which is copied in one piece."""
    for text, command in waits:
        lines = lay(render.text(_MARGIN), render.text(text), screen.width, lines_max=2)
        typed = render.text(command, style="dim")
        if measure(f"{lines[-1].plain}  {command}") <= screen.width:
            lines[-1].append("  ").append_text(typed)
        else:
            lines += lay(render.text(_MARGIN), typed, screen.width)
        for line in lines:
            screen.print(line)


def _draw_head(screen: Console, reply: GlanceReply, dates: Dates) -> None:
    log = reply.status.memory.log
    learnt = reply.status.rooms.observations
    facts = [
        f"{render.count(log.events, 'event')} in {render.count(log.sessions, 'session')}",
        f"{learnt:,} {'memory' if learnt == 1 else 'memories'}" if learnt else "",
        f"since {dates.say_day(log.first_ms)}" if log.first_ms is not None else "",
    ]
    head = render.text(reply.status.project_id, style="bold")
    for line in lay(head.append("  "), render.text(", ".join(filter(None, facts))), screen.width):
        screen.print(line)
    if any(reply.days):
        bars = draw_bars(reply.days, plain=not _is_unicode())
        said = render.text(bars, style="cyan").append(
            f"  {max(reply.days):,} events on the busiest day of {GLANCE_WEEKS} weeks", style="dim"
        )
        for line in lay(render.text(_MARGIN), said, screen.width):
            screen.print(line)


def draw_bars(counts: tuple[int, ...], *, plain: bool = False) -> str:
    """Return numbers as bars, each as high as its share of the highest; nothing is a dot."""
    bars = _PLAIN_BARS if plain else _BARS
    most = max(counts, default=0)
    none = " " if plain else "\u00b7"
    return "".join(bars[(count * len(bars) - 1) // most] if count > 0 else none for count in counts)


def _is_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def _list_waiting(reply: StatusReply) -> list[tuple[str, str]]:
    """Return what somebody has to look at, and what to type."""
    rooms = reply.rooms
    found = []
    for one in rooms.questions_yours[:_YOURS_SHOWN]:
        does = "waits for your decision" if one.blocking else "asks for your decision"
        about = flatten(one.topic)
        found.append((f"{one.asker} {does} on {about} ({one.id})", "agentx clarify inbox"))
    more = len(rooms.questions_yours) - _YOURS_SHOWN
    if more > 0:
        found.append((f"{render.count(more, 'more question')} for you", "agentx clarify inbox"))
    if rooms.questions_unread:
        said = f"the questions of {render.count(rooms.questions_unread, 'issue')} cannot be read"
        found.append((f"{said}, and still wait", "agentx doctor"))
    if rooms.questions_contested:
        names = ", ".join(rooms.questions_contested[:_YOURS_SHOWN])
        said = f"contested, read what was said otherwise: {names}"
        found.append((said, "agentx clarify inbox"))
    if among := rooms.questions_between_agents:
        said = f"{render.count(among, 'question')} open between agents"
        found.append((said, "agentx clarify"))
    if answered := rooms.questions_answered:
        said = f"{render.count(answered, 'question')} answered, for who asked to go on"
        found.append((said, "agentx clarify"))
    if rooms.active_run:
        found.append((f"run {rooms.active_run}", "agentx run show"))
    if reply.untrusted:
        found.append(("what lies in the repository is not trusted yet", SHOW_TRUST))
    if any(one.is_stuck for one in reply.waiting):
        found.append(("records are stuck in the spool", "agentx doctor"))
    elif reply.waiting:
        records = sum(one.records for one in sum_up(reply.waiting))
        found.append((f"{render.count(records, 'record')} not taken in yet", "agentx sync"))
    found += _list_hooks(reply)
    if reply.passed_over:
        found.append(("some settings are passed over", "agentx config"))
    return found


def _list_hooks(reply: StatusReply) -> list[tuple[str, str]]:
    if differing := ", ".join(reply.hooks_differing):
        return [(f"the hooks of {differing} are not as this version has them", "agentx init")]
    return [] if reply.hooks else [("no hooks: new sessions are not captured", "agentx init")]


def _draw_sessions(screen: Console, reply: GlanceReply, dates: Dates) -> None:
    times = [
        dates.say(one.last_ms) + (" *" if one.is_live(dates.now_ms) else "")
        for one in reply.sessions
    ]
    wide = max(map(len, times), default=0)
    named = max((len(one.harness) for one in reply.sessions), default=0)
    for session, when in zip(reply.sessions, times, strict=True):
        lead = render.text(f"{_MARGIN}{when:<{wide}}  ", style="dim")
        lead.append_text(render.harness(f"{session.harness:<{named}}")).append("  ")
        branch = shorten(flatten(session.branch), _NAME_CELLS)
        body = render.text(f"{branch}  " if branch else "", style="dim")
        body.append(flatten(session.title) or "-", style="not dim")
        for line in lay(lead, body, screen.width, lines_max=1):
            screen.print(line)
    if reply.has_more:
        screen.print(f"{_MARGIN}and more: agentx sessions --since yesterday", style="dim")
