"""`agentx forget`: erase for good."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from agentx.kernel.clock import point
from agentx.kernel.errors import InvalidValue
from agentx.operations.capture.forget import ForgetReply, ForgetRequest, forget
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.progress import behind_progress
from agentx.surfaces.cli.screen import ask

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.kernel.clock import Millis


@click.command(cls=Verb)
@click.option("--event", "event_id", default="", metavar="ID", help="One event.")
@click.option("--session", "session_id", default="", metavar="ID", help="A whole session.")
@click.option("--from", "since", default="", metavar="T", help="From then: 2026-03-02, 7d.")
@click.option("--to", "until", default="", metavar="T", help="Up to then, and not at it.")
@click.option("--query", default="", metavar="TEXT", help="What says this, word for word.")
@click.option("--dry-run", is_flag=True, help="Say what would be erased, and leave it.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(
    invocation: Invocation, /, *, since: str, until: str, dry_run: bool, yes: bool, **named: str
) -> None:
    """Erase an event, a session, a span or what says something for good. It cannot be undone.

    Whatever was made of it goes too: summaries, observations, indexes, digests. What a
    transcript still tells of it stays away, also where it was never captured.
    """
    request = ForgetRequest(
        since_ms=_read_time(invocation, since), until_ms=_read_time(invocation, until), **named
    )
    project = invocation.project
    with invocation.memory() as memory:
        memory.drain()
        found = behind_progress(
            invocation,
            lambda _told: forget(project, memory, request, dry_run=True),
            "looking for it",
        )
        if not dry_run:
            request = _ask(invocation, request, found, yes=yes)
            agreed = yes or found.events + found.aside > 0
            found = behind_progress(
                invocation,
                lambda told: forget(
                    project, memory, request, dry_run=False, bars=agreed, told=told
                ),
                "forgetting",
            )
    invocation.show(found, lambda screen: _draw(screen, found))


def _read_time(invocation: Invocation, text: str) -> Millis | None:
    now_ms = invocation.project.clock.now_ms()
    return point(text, now_ms=now_ms, zone=render.local_zone()) if text else None


def _ask(
    invocation: Invocation, request: ForgetRequest, found: ForgetReply, *, yes: bool
) -> ForgetRequest:
    """Ask whether it is meant; return what is meant: just what was shown, where it was."""
    if yes or not found.events + found.aside:
        return request
    if not invocation.as_json and sys.stdin.isatty():
        _draw_found(invocation.talk, found)
        ask(f"Erase {_say_what(found)} for good?", or_leave=True)
        return replace(request, shown=found.shown)
    if request.by not in ("event", "session"):
        raise InvalidValue(
            f"{_say_what(found)} would be erased",
            hint="look with --dry-run, then say it again with --yes",
        )
    return request


def _draw(screen: Console, reply: ForgetReply) -> None:
    if reply.dry_run:
        _draw_found(screen, reply)
    verb = "would erase" if reply.dry_run else "erased"
    whole = f", {render.count(reply.sessions, 'whole session')}" if reply.sessions else ""
    if reply.quoted and not reply.events + reply.aside:
        screen.print(f"no event says it: {'this would erase' if reply.dry_run else verb} nothing")
    else:
        screen.print(f"{verb} {_say_what(reply)} for good{whole}")
    if reply.observations:
        learnt = render.count(reply.observations, "observation")
        screen.print(f"with {learnt} that were learnt from it", style="dim")
    if reply.quoted:
        count = render.count(len(reply.quoted), "text")
        says = "says the same, and stays" if len(reply.quoted) == 1 else "say the same, and stay"
        screen.print(f"\n{count} elsewhere {says} until you take it away:", style="yellow")
    for quote in reply.quoted:
        screen.print(f"  {quote.kind} {quote.id}: {quote.says}", soft_wrap=True)
        screen.print(f"    -> {quote.mend}", style="dim", soft_wrap=True)
    for line in render.say_left(reply.exports, reply.copies):
        screen.print(line, style="" if line.startswith(" ") else "yellow", soft_wrap=True)


def _say_what(reply: ForgetReply) -> str:
    events = render.count(reply.events, "event")
    aside = render.count(reply.aside, "record")
    return f"{events} and {aside} that were moved aside" if reply.aside else events


def _draw_found(screen: Console, reply: ForgetReply) -> None:
    for line in reply.first_lines:
        screen.print(f"  {line}", soft_wrap=True)
    left = reply.events - len(reply.first_lines)
    if left > 0 and reply.first_lines:
        screen.print(f"  and {left:,} more", style="dim")
    kinds = ", ".join(f"{name}: {count:,}" for name, count in reply.by_type.items())
    if kinds:
        screen.print(f"  {kinds}", style="dim")
