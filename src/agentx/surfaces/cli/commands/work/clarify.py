"""`agentx clarify`: what agents ask each other, and what people do about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from agentx.clarification.model import (
    PERSON,
    Clarification,
    ClarificationStatus,
    MonitorReport,
    NewQuestion,
)
from agentx.clarification.rendering import (
    as_data,
    explain_escalation,
    name_settler,
    next_actions,
    say_decision,
    terminal,
)
from agentx.kernel.bus import Say
from agentx.kernel.clock import SECOND_MS, age
from agentx.kernel.text import printable
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions import routing as clarify_routing
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.questions import waiting as clarify_waiting
from agentx.project.roles.played import decide_role
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.surfaces.cli.layout import flatten, lay

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.surfaces.cli.dates import Dates

_STYLES = {
    ClarificationStatus.PENDING: "yellow",
    ClarificationStatus.ANSWERED: "cyan",
    ClarificationStatus.STALE: "magenta",
    ClarificationStatus.ESCALATED: "bold red",
    ClarificationStatus.RESOLVED: "green",
    ClarificationStatus.ABANDONED: "dim",
}
_WAIT_SECONDS = 600
_UNAVAILABLE = 6


@click.group(cls=VerbGroup, invoke_without_command=True)
@click.option("--issue", type=click.IntRange(0), metavar="N", help="The threads of one issue.")
@click.option("--json", "as_json", is_flag=True, help="Write data as JSON on stdout.")
@click.option("--project", metavar="DIR", default="", help="The project's folder (default: here).")
@click.pass_context
def command(ctx: click.Context, issue: int | None, as_json: bool, project: str) -> None:
    """Show what agents ask each other; ask, answer, resolve and escalate.

    Without a number, every active clarification and what can be done next.
    """
    invocation: Invocation = ctx.obj
    invocation.as_json = invocation.as_json or as_json
    invocation.project_directory = project or invocation.project_directory
    if ctx.invoked_subcommand is not None:
        if issue is not None:
            raise click.UsageError(f"give --issue after `{ctx.invoked_subcommand}`", ctx)
        return
    if issue is None:
        _show_overview(invocation, clarify_read.active(invocation.project), "active")
    else:
        _show_thread(invocation, issue)


@command.command("stale")
@click.pass_obj
def stale(invocation: Invocation) -> None:
    """Show only what is stale or stuck; ask once more where a runner is set."""
    project = invocation.project
    seen = clarify_read.late(project)
    if clarify_routing.ask_again(project, seen.clarifications, _stream(invocation)) is not None:
        seen = clarify_read.late(project)
    _show_overview(invocation, seen, "stale or stuck")


@command.command("ask")
@click.option("--issue", type=click.IntRange(0), metavar="N", help="What it is about.")
@click.option(
    "--from", "asker", metavar="ROLE", default="", help="Who asks (default: the role here)."
)
@click.option("--to", metavar="ROLE", default="", help="Who is asked.")
@click.option("--topic", default="", metavar="TEXT", help="In a few words, at most 200 characters.")
@click.option("--question", default="", metavar="TEXT", help="At most 2,000 characters.")
@click.option("--follow-up", "earlier", default="", metavar="ID", help="A further question on ID.")
@click.option("--no-block", is_flag=True, help="Go on working; the answer comes later.")
@click.option("--wait", is_flag=True, help="Wait for the answer.")
@click.option(
    "--timeout",
    type=click.IntRange(0),
    default=_WAIT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait; the question stays open after it.",
)
@click.option("--runner", default="", metavar="NAME", help="Who plays ROLE now; implies --wait.")
@click.option("--script", type=click.Path(path_type=Path), metavar="FILE", hidden=True)
@click.pass_obj
def ask(
    invocation: Invocation,
    issue: int | None,
    asker: str,
    to: str,
    topic: str,
    question: str,
    earlier: str,
    no_block: bool,
    wait: bool,
    timeout: int,
    runner: str,
    script: Path | None,
) -> None:
    """Ask another agent through the hub; returns at once unless --wait.

    Whom an agent may ask stands in its workflow step (`can_clarify`).
    """
    waiting = None
    if wait or runner:
        player = clarify_routing.Player(runner=runner, script=script)
        waiting = clarify_ask.Waiting(player=player, wait_ms=timeout * SECOND_MS, apart=True)
    told = _stream(invocation)
    project = invocation.project
    asker = asker or decide_role(project).role
    if earlier:
        state = clarify_ask.follow_up(
            project, earlier, question, by=asker, waiting=waiting, told=told
        )
    else:
        given = {"--issue": issue is not None, "--from": asker, "--to": to}
        missing = [name for name, there in given.items() if not there]
        if missing or issue is None:
            raise click.UsageError(f"missing {', '.join(missing)}", click.get_current_context())
        request = NewQuestion(
            issue=issue,
            asker=asker,
            to=to,
            topic=topic,
            question=question,
            blocking=not no_block,
        )
        state = clarify_ask.ask(project, request, waiting=waiting, told=told)
    invocation.show(as_data(state), lambda screen: _draw_asked(screen, state, wanted=not no_block))


@command.command("wait")
@click.argument("clarification_id", metavar="ID")
@click.option(
    "--timeout",
    type=click.IntRange(0),
    default=_WAIT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait; the question stays open after it.",
)
@click.pass_context
def wait(ctx: click.Context, clarification_id: str, timeout: int) -> None:
    """Wait for what becomes of a question; leave with 6 when nothing did in time."""
    invocation: Invocation = ctx.obj
    state = clarify_waiting.wait(
        invocation.project,
        clarification_id,
        wait_ms=timeout * SECOND_MS,
        told=_stream(invocation),
    )
    invocation.show(as_data(state), lambda screen: _draw_asked(screen, state, wanted=False))
    if clarify_waiting.is_waited_for(state):
        ctx.exit(_UNAVAILABLE)


@command.command("route")
@click.argument("clarification_id", metavar="ID")
@click.option("--runner", default="", metavar="NAME", help="Who is asked (default: the settings').")
@click.option("--script", type=click.Path(path_type=Path), metavar="FILE", hidden=True)
@click.pass_obj
def route(invocation: Invocation, clarification_id: str, runner: str, script: Path | None) -> None:
    """Have the target of an open question asked now, and keep its answer."""
    state = clarify_routing.route(
        invocation.project,
        clarification_id,
        player=clarify_routing.Player(runner=runner, script=script),
        told=_stream(invocation),
    )
    invocation.show(as_data(state), lambda screen: _draw_asked(screen, state, wanted=False))


@command.command("answer")
@click.argument("clarification_id", metavar="ID")
@click.argument("text")
@click.option("--from", "by", metavar="ROLE", default="", help="Who answers (default: who was).")
@click.pass_obj
def answer(invocation: Invocation, clarification_id: str, text: str, by: str) -> None:
    """Answer a question, as the agent that was asked; `--from human` as yourself."""
    state = clarify_settle.answer(invocation.project, clarification_id, text, by=by)
    said = str(state.status)
    if state.status is ClarificationStatus.ESCALATED:
        said = "answer kept; a person still has to decide"
    invocation.show(as_data(state), lambda screen: _draw_done(screen, state, said))


@command.command("resolve")
@click.argument("clarification_id", metavar="ID")
@click.argument("text", required=False, default="")
@click.option("--from", "by", metavar="ROLE", default="", help="Who resolves it.")
@click.pass_obj
def resolve(invocation: Invocation, clarification_id: str, text: str, by: str) -> None:
    """Settle a clarification: an answered one as its asker, any other as a person."""
    state = clarify_settle.resolve(invocation.project, clarification_id, text, by=by)
    invocation.show(as_data(state), lambda screen: _draw_done(screen, state, "resolved"))


@command.command("escalate")
@click.argument("clarification_id", metavar="ID")
@click.argument("text", required=False, default="")
@click.option("--from", "by", metavar="ROLE", default="", help="Who escalates it.")
@click.pass_obj
def escalate(invocation: Invocation, clarification_id: str, text: str, by: str) -> None:
    """Call a person."""
    state = clarify_settle.escalate(invocation.project, clarification_id, text, by=by)
    invocation.show(as_data(state), lambda screen: _draw_done(screen, state, "escalated"))


@command.command("inbox")
@click.argument("role", required=False, default="")
@click.pass_obj
def inbox(invocation: Invocation, role: str) -> None:
    """Show what waits for you: questions that a person has to decide.

    With a ROLE, or where one is played, what that role has to answer and what became of what it
    asked.
    """
    played = decide_role(invocation.project)
    # A role that is set for all sessions of a project is not a person's who looks here.
    who = role or (played.role if played.is_said else "") or PERSON
    seen = clarify_read.inbox_of(invocation.project, who)
    data = {
        "who": who,
        "clarifications": [as_data(state) for state in seen.clarifications],
        "monitor": monitor_data(seen.monitor),
    }
    warn_of_damage(invocation, seen.monitor)
    invocation.show(data, lambda screen: _draw_inbox(screen, seen, who))


def _show_overview(invocation: Invocation, seen: clarify_read.Overview, which: str) -> None:
    data = {
        "clarifications": [as_data(state) for state in seen.clarifications],
        "monitor": monitor_data(seen.monitor),
    }
    warn_of_damage(invocation, seen.monitor)
    invocation.show(data, lambda screen: _draw_overview(screen, seen, which))


def _show_thread(invocation: Invocation, issue: int) -> None:
    ledger = clarify_read.thread(invocation.project, issue)
    data = {
        "issueNumber": ledger.issue,
        "clarifications": [as_data(state) for state in ledger],
    }
    invocation.show(
        data, lambda screen: _draw_thread(screen, ledger.issue, tuple(ledger), invocation.dates)
    )


def monitor_data(found: MonitorReport) -> dict[str, object]:
    """Return what the monitor did, for a program."""
    return {
        "stale": [state.id for state in found.stale],
        "stuck": [state.id for state in found.stuck],
        "deadlocked": [state.id for state in found.deadlocked],
        "abandoned": [state.id for state in found.abandoned],
        "damaged": list(found.damaged),
    }


def warn_of_damage(invocation: Invocation, found: MonitorReport) -> None:
    """Say which ledgers were damaged."""
    for damage in found.damaged:
        invocation.talk.print(f"damaged: {printable(damage)}", style="yellow")


def _stream(invocation: Invocation) -> Say:
    """Return where the conversation runs while it happens: talk, so that stdout stays data."""

    def tell(entry: str) -> None:
        invocation.talk.print(printable(entry), soft_wrap=True)

    return tell


def _draw_overview(screen: Console, seen: clarify_read.Overview, which: str) -> None:
    if not seen.clarifications:
        screen.print(f"No clarifications {which}.")
        return
    table = render.table("ID", "STATUS", "ROUND", "FROM -> TO", "ASKED", "TOPIC")
    for state in seen.clarifications:
        table.add_row(
            state.id,
            str(state.status),
            f"{state.round}/{state.rounds_max}",
            f"{state.asker} -> {state.to}",
            age(state.created_ms, now_ms=seen.now_ms),
            f"{'[blocks] ' if state.holds_its_asker else ''}{state.topic}",
            style=_STYLES[state.status],
        )
    screen.print(table)
    screen.print("\nnext:", style="dim")
    for state in seen.clarifications[:5]:
        screen.print(f"  {next_actions(state)[0]}", style="dim")
    screen.print(f"  agentx clarify --issue {seen.clarifications[0].issue}", style="dim")


def _draw_inbox(screen: Console, seen: clarify_read.Overview, who: str) -> None:
    if not seen.clarifications:
        nobody = "Nothing waits for you." if who == PERSON else f"Nothing waits for {who}."
        screen.print(nobody)
    for at, state in enumerate(seen.clarifications):
        if at:
            screen.print()
        when = age(state.created_ms, now_ms=seen.now_ms)
        facts = f"{state.status}, asked {when}, issue #{state.issue}"
        head = render.text(state.id, style=_STYLES[state.status]).append("  ")
        for line in lay(head, render.text(f"{flatten(state.topic)}  ({facts})"), screen.width):
            screen.print(line)
        for name, said in _list_words(state, who):
            lead = render.text(f"  {name:<8}", style="dim")
            for line in lay(lead, render.text(flatten(said)), screen.width):
                screen.print(line)
        is_persons = state.status is ClarificationStatus.ESCALATED and who != PERSON
        for action in () if is_persons else next_actions(state)[:1]:
            # A command is copied whole, so it is not cut.
            screen.print(f"  {'next':<8}{action}", style="dim", soft_wrap=True)


def _list_words(state: Clarification, who: str) -> list[tuple[str, str]]:
    """Return what somebody must know to see to it, each with what it is."""
    rows = [("asks", f"{state.asker}{' (waits for it)' if state.holds_its_asker else ''}")]
    rows.append(("what", state.question))
    if state.answer:
        rows.append(("answer", state.answer))
    if state.status is ClarificationStatus.ESCALATED:
        rows.append(("why", explain_escalation(state)))
    settled = state.resolution
    if settled is not None:
        rows.append(("decided", f"{say_decision(state)} ({name_settler(settled)})"))
    return rows if who != state.asker else rows[1:]


def _draw_thread(
    screen: Console, issue: int, states: tuple[Clarification, ...], dates: Dates
) -> None:
    if not states:
        screen.print(f"Nobody asked anything about issue {issue}.")
        return
    for state in states:
        # The colours are the renderer's own; everything else in it was made printable.
        screen.print(render.read_colours(terminal(state, colour=True, say_time=dates.say)))
        for action in next_actions(state)[:1]:
            screen.print(f"next: {action}", style="dim", soft_wrap=True)
        screen.print()


def _draw_asked(screen: Console, state: Clarification, *, wanted: bool) -> None:
    line = f"{state.id} {state.status}: {state.asker} -> {state.to}"
    screen.print(line, style=_STYLES[state.status], soft_wrap=True)
    if wanted and not state.blocking:
        screen.print("not blocking: the workflow step does not let it block", style="dim")
    settled = state.resolution
    if settled is not None:
        decided = f"decided by {name_settler(settled)}: {say_decision(state)}"
        screen.print(printable(decided), soft_wrap=True)
    elif state.answer and not state.is_unanswered:
        screen.print(printable(state.answer), soft_wrap=True)
    for action in next_actions(state)[:1]:
        screen.print(f"\nnext: {action}", style="dim", soft_wrap=True)


def _draw_done(screen: Console, state: Clarification, said: str) -> None:
    screen.print(f"{state.id} {said}", style=_STYLES[state.status])
    if state.status is ClarificationStatus.ESCALATED and said == "escalated":
        screen.print(printable(state.summary), soft_wrap=True)
