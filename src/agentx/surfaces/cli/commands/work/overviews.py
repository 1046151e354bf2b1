"""What is asked, shown: all of it, an inbox, one issue's threads; on screens and as data."""

from __future__ import annotations

from collections.abc import Iterable

import click

from agentx.clarification.data import as_data, monitor_data
from agentx.clarification.model import Clarification
from agentx.kernel.text import printable
from agentx.operations.questions import read as clarify_read
from agentx.runs.rendering import list_claims
from agentx.surfaces.cli.commands.work.threads import draw_inbox, draw_overview, draw_thread
from agentx.surfaces.cli.frame import Invocation

_DAMAGED = 4


def show_overview(invocation: Invocation, seen: clarify_read.Overview, which: str) -> None:
    """Show clarifications, and what the monitor has just found."""
    data = {
        "clarifications": _list_data(invocation, seen.clarifications),
        "monitor": monitor_data(seen.monitor),
        **({"notes": list(seen.notes)} if seen.notes else {}),
    }
    warn_of_damage(invocation, seen.monitor.damaged)
    for note in seen.notes:
        invocation.talk.print(note, style="yellow")
    clarify_read.note_told(invocation.project, seen)  # a pager may stay open for long
    invocation.show(data, lambda screen: draw_overview(screen, seen, which))
    _leave_if_unread(seen)


def show_inbox(invocation: Invocation, seen: clarify_read.Overview, who: str) -> None:
    """Show what somebody has to see to."""
    data: dict[str, object] = {
        "who": who,
        "clarifications": _list_data(invocation, seen.clarifications),
        "monitor": monitor_data(seen.monitor),
    }
    if seen.run_questions:
        data["runQuestions"] = [
            {
                "id": one.asked.id,
                "runId": one.run_id,
                "runTitle": one.title,
                "asker": one.asked.actor,
                "question": one.asked.question,
                "options": list(one.asked.options),
                "blocking": one.asked.blocking,
                "unverified": list_claims(one.asked),
                "command": one.command,
            }
            for one in seen.run_questions
        ]
    if seen.notes:
        data["notes"] = list(seen.notes)
    issues = {state.issue for state in seen.clarifications if not state.issue_now}
    closed = seen.monitor.closed_issues & issues
    if closed:
        data["closedIssues"] = sorted(closed)
    if seen.withheld:
        data["withheld"] = seen.withheld
    warn_of_damage(invocation, seen.monitor.damaged)
    clarify_read.note_told(invocation.project, seen)  # a pager may stay open for long
    invocation.show(data, lambda screen: draw_inbox(screen, seen, who))
    _leave_if_unread(seen)


def _leave_if_unread(seen: clarify_read.Overview) -> None:
    """Leave as for a damaged record where a ledger hides what waits."""
    if seen.monitor.closed:
        click.get_current_context().exit(_DAMAGED)


def name_thread(word: str) -> str:
    """Return how the thread is shown that a number, or the id of a clarification, is of."""
    number = word.upper().removeprefix("CLR-").partition("-")[0]
    return f"--issue {number}" if number.isascii() and number.isdigit() else ""


def show_thread(invocation: Invocation, issue: int) -> None:
    """Show all that was asked and said about an issue."""
    ledger = clarify_read.thread(invocation.project, issue)
    data = {
        "issueNumber": ledger.issue,
        "clarifications": _list_data(invocation, ledger),
    }
    clarify_read.note_told(invocation.project, ledger)
    invocation.show(
        data, lambda screen: draw_thread(screen, ledger.issue, tuple(ledger), invocation.dates)
    )


def _list_data(invocation: Invocation, states: Iterable[Clarification]) -> list[object]:
    """Return clarifications as data, where a program reads: there may be thousands."""
    return [as_data(state) for state in states] if invocation.as_json else []


def warn_of_damage(invocation: Invocation, damaged: Iterable[str]) -> None:
    """Say which ledgers were damaged."""
    for damage in damaged:
        invocation.talk.print(f"damaged: {printable(damage)}", style="yellow")
