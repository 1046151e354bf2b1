"""`agentx forget`: erase for good."""

from __future__ import annotations

import sys

import click

from agentx.kernel.errors import InvalidValue
from agentx.operations.capture.forget import ForgetReply, forget
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.screen import ask


@click.command(cls=Verb)
@click.option("--event", "event_id", default="", metavar="ID", help="One event.")
@click.option("--session", "session_id", default="", metavar="ID", help="A whole session.")
@click.option("--dry-run", is_flag=True, help="Say what would be erased, and leave it.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(
    invocation: Invocation, event_id: str, session_id: str, dry_run: bool, yes: bool
) -> None:
    """Erase an event or a session for good, everywhere. This cannot be undone."""
    if bool(event_id) == bool(session_id):
        raise InvalidValue(
            "say what to forget", hint="give either --event ID or --session ID, not both"
        )
    with invocation.memory() as memory:
        memory.drain()
        found = forget(memory, event_id=event_id, session_id=session_id, dry_run=True)
        if not dry_run:
            _ask(invocation, found, yes=yes)
            found = forget(memory, event_id=event_id, session_id=session_id, dry_run=False)
    verb = "would erase" if dry_run else "erased"
    invocation.show(
        found,
        lambda screen: screen.print(f"{verb} {render.count(found.events, 'event')} for good"),
    )


def _ask(invocation: Invocation, found: ForgetReply, *, yes: bool) -> None:
    if yes or invocation.as_json or not sys.stdin.isatty():
        return
    ask(f"Erase {render.count(found.events, 'event')} for good?", or_leave=True)
