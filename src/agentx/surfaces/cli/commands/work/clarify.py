"""`agentx clarify`: what agents ask each other, and what people do about it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agentx.clarification.data import KnownAnswer, as_data
from agentx.clarification.model import (
    CONFIDENCES,
    PERSON,
    STANDINGS,
    AnswerWorth,
    Clarification,
    ClarificationStatus,
    NewQuestion,
)
from agentx.kernel.bus import Say
from agentx.kernel.clock import SECOND_MS
from agentx.kernel.errors import AgentXError
from agentx.kernel.text import printable
from agentx.operations.limits import QUESTION_WHOLE_DAYS
from agentx.operations.questions import aging as clarify_aging
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import held as clarify_held
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions import routing as clarify_routing
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.questions import waiting as clarify_waiting
from agentx.operations.questions.known import describe_known
from agentx.operations.setup.writers import say_lost_key
from agentx.project.roles.caller import find_caller
from agentx.project.roles.played import decide_role
from agentx.surfaces.cli import render
from agentx.surfaces.cli.commands.work import overviews
from agentx.surfaces.cli.commands.work.overviews import show_inbox, show_overview, show_thread
from agentx.surfaces.cli.commands.work.threads import draw_asked, draw_done
from agentx.surfaces.cli.commands.work.waits import watching
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.surfaces.cli.options import as_person as as_person_option
from agentx.surfaces.cli.progress import is_watched
from agentx.surfaces.cli.screen import ask as confirm
from agentx.surfaces.cli.screen import read_words

if TYPE_CHECKING:
    from rich.console import Console

_TIMEOUT = click.option(
    "--timeout",
    type=click.IntRange(0),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait; the question stays open after it.",
)
_UNAVAILABLE = 6


@click.group(cls=VerbGroup, invoke_without_command=True, shown_by=overviews.name_thread)
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
    lost = say_lost_key(invocation.project)
    if lost:
        invocation.talk.print(f"agentx: {lost}", style="yellow", soft_wrap=True)
    if ctx.invoked_subcommand is not None:
        if issue is not None:
            raise click.UsageError(f"give --issue after `{ctx.invoked_subcommand}`", ctx)
        return
    if issue is None:
        show_overview(invocation, clarify_read.active(invocation.project), "active")
    else:
        show_thread(invocation, issue)


@command.command("stale")
@click.pass_obj
def stale(invocation: Invocation) -> None:
    """Show only what is stale or stuck; ask once more where a runner is set."""
    project = invocation.project
    seen = clarify_read.late(project)
    if clarify_routing.ask_again(project, seen.clarifications, _stream(invocation)) is not None:
        seen = clarify_read.late(project)
    show_overview(invocation, seen, "stale or stuck")


@command.command("ask")
@click.option("--issue", type=click.IntRange(0), metavar="N", help="What it is about.")
@click.option(
    "--from", "asker", metavar="ROLE", default="", help="Who asks (default: the role here)."
)
@click.option("--to", metavar="ROLE", default="", help="Who is asked.")
@click.option("--topic", default="", metavar="TEXT", help="In a few words, at most 200 characters.")
@click.option(
    "--question", default="", metavar="TEXT", help="At most 2,000 characters; - reads it."
)
@click.option("--follow-up", "earlier", default="", metavar="ID", help="A further question on ID.")
@click.option("--no-block", is_flag=True, help="Go on working; the answer comes later.")
@click.option("--wait", is_flag=True, help="Wait for the answer.")
@_TIMEOUT
@click.option("--runner", default="", metavar="NAME", help="Who plays ROLE now; implies --wait.")
@click.option("--ask-anyway", is_flag=True, help="Ask, whatever memory knows of it.")
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
    ask_anyway: bool,
    script: Path | None,
) -> None:
    """Ask another agent through the hub; returns at once unless --wait (6: no answer in time).

    Whom an agent may ask stands in its workflow step (`can_clarify`). Where memory has the answer
    it is offered, and nobody is woken: accept it, or ask again with --ask-anyway.
    """
    told = _stream(invocation)
    project, question = invocation.project, read_words(question)
    asker, caller = asker or decide_role(project).role, find_caller(project)
    known: list[KnownAnswer] = []
    player = clarify_routing.Player(runner=runner, script=script)
    with watching(invocation) as seen:
        waiting = clarify_ask.Waiting(
            player=player, wait_ms=timeout * SECOND_MS, apart=True, seen=seen
        )
        plan = waiting if wait or runner else None
        if earlier:
            state = clarify_ask.follow_up(
                project, earlier, question, by=asker, waiting=plan, told=told, caller=caller
            )
        else:
            named = _name_issue(issue, asker, to)
            request = NewQuestion(
                issue=named,
                asker=asker,
                to=to,
                topic=topic,
                question=question,
                blocking=not no_block,
            )
            offered = None if ask_anyway else known.append
            state = clarify_ask.ask(
                project, request, waiting=plan, told=told, offered=offered, caller=caller
            )
    others, offer = clarify_read.list_others(project, state), known[0] if known else None
    data = {
        **as_data(state, others),
        "known": None if offer is None else describe_known(offer, state.typed),
    }

    def draw(screen: Console) -> None:
        draw_asked(screen, state, wanted=not no_block, others=others, known=offer)

    _show_done(invocation, state, draw, data)
    if plan is not None and offer is None:
        _leave_if_waiting(state)


def _name_issue(issue: int | None, asker: str, to: str) -> int:
    given = {"--issue": issue is not None, "--from": asker, "--to": to}
    missing = [name for name, there in given.items() if not there]
    if missing or issue is None:
        raise click.UsageError(f"missing {', '.join(missing)}", click.get_current_context())
    return issue


@command.command("wait")
@click.argument("clarification_id", metavar="ID")
@_TIMEOUT
@click.pass_obj
def wait(invocation: Invocation, clarification_id: str, timeout: int) -> None:
    """Wait for what becomes of a question; leave with 6 when nobody answered it."""
    with watching(invocation) as seen:
        state = clarify_waiting.wait(
            invocation.project,
            clarification_id,
            wait_ms=timeout * SECOND_MS,
            told=_stream(invocation),
            seen=seen,
        )
    others = clarify_read.list_others(invocation.project, state)
    invocation.show(
        as_data(state, others),
        lambda screen: draw_asked(screen, state, wanted=False, others=others),
    )
    _leave_if_waiting(state)


def _leave_if_waiting(state: Clarification) -> None:
    """Leave so that a program can tell: who waited got no answer."""
    if clarify_waiting.is_waited_for(state) or state.status is ClarificationStatus.ABANDONED:
        click.get_current_context().exit(_UNAVAILABLE)


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
        heard=_stream(invocation) if is_watched(invocation) else None,
    )
    others = clarify_read.list_others(invocation.project, state)
    invocation.show(
        as_data(state, others),
        lambda screen: draw_asked(screen, state, wanted=False, others=others),
    )


@command.command("answer")
@click.argument("clarification_id", metavar="ID")
@click.argument("text")
@click.option(
    "--from",
    "by",
    metavar="ROLE",
    default="",
    help="Who answers (default: your role, or who was asked).",
)
@click.option("--standing", type=click.Choice(STANDINGS), help="How far it answers the question.")
@click.option("--confidence", type=click.Choice(CONFIDENCES), help="How sure you are of it.")
@click.option("--remaining", default="", metavar="TEXT", help="What it leaves open.")
@as_person_option
@click.pass_obj
def answer(
    invocation: Invocation,
    clarification_id: str,
    text: str,
    by: str,
    standing: str | None,
    confidence: str | None,
    remaining: str,
    as_person: bool,
) -> None:
    """Answer a question, as who was asked; `-` reads TEXT, `--from human` is yourself."""
    caller = find_caller(invocation.project, as_person=as_person)
    worth = AnswerWorth(
        standing=standing or "",
        confidence=confidence or "",
        remaining=remaining,
    )
    state = clarify_settle.answer(
        invocation.project, clarification_id, read_words(text), by=by, worth=worth, caller=caller
    )
    said = str(state.status)
    if state.status is ClarificationStatus.ESCALATED:
        said = "answer kept; a person still has to decide"
    _show_done(invocation, state, lambda screen: draw_done(screen, state, said))


@command.command("accept")
@click.argument("clarification_id", metavar="ID")
@click.argument("source", metavar="[SOURCE]", default="")
@click.option("--from", "by", metavar="ROLE", default="", help="Who accepts it: its asker.")
@click.pass_obj
def accept(invocation: Invocation, clarification_id: str, source: str, by: str) -> None:
    """Settle a question of yours with what memory answers it with; only from SOURCE, if given."""
    project = invocation.project
    state = clarify_settle.accept(
        project, clarification_id, source=source, by=by, caller=find_caller(project)
    )
    _show_done(invocation, state, lambda screen: draw_asked(screen, state, wanted=False))


@command.command("resolve")
@click.argument("clarification_id", metavar="ID")
@click.argument("text", required=False, default="")
@click.option("--from", "by", metavar="ROLE", default="", help="Who resolves it.")
@as_person_option
@click.pass_obj
def resolve(
    invocation: Invocation, clarification_id: str, text: str, by: str, as_person: bool
) -> None:
    """Settle a clarification: an answered one as its asker, any other as a person."""
    text = read_words(text)
    caller = find_caller(invocation.project, as_person=as_person)
    state = clarify_settle.resolve(invocation.project, clarification_id, text, by=by, caller=caller)
    _show_done(invocation, state, lambda screen: draw_done(screen, state, "resolved"))


@command.command("escalate")
@click.argument("clarification_id", metavar="ID")
@click.argument("text", required=False, default="")
@click.option("--from", "by", metavar="ROLE", default="", help="Who escalates it.")
@as_person_option
@click.pass_obj
def escalate(
    invocation: Invocation, clarification_id: str, text: str, by: str, as_person: bool
) -> None:
    """Call a person."""
    caller = find_caller(invocation.project, as_person=as_person)
    state = clarify_settle.escalate(
        invocation.project, clarification_id, read_words(text), by=by, caller=caller
    )
    clarify_read.note_told(
        invocation.project, (state,)
    )  # it prints what is asked, and how to answer
    _show_done(invocation, state, lambda screen: draw_done(screen, state, "escalated"))


@command.command("forget")
@click.argument("clarification_id", metavar="ID")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.pass_obj
def forget(invocation: Invocation, clarification_id: str, yes: bool) -> None:
    """Take a question out of every file, for good; no merge brings it back.

    What shares its thread goes with it.
    """
    project, caller = invocation.project, find_caller(invocation.project)
    if not (yes or invocation.as_json) and sys.stdin.isatty():
        others = clarify_settle.list_sharing(project, clarification_id, caller=caller)
        named = f"{clarification_id}{_name_sharing(others)}{',' if others else ''}"
        confirm(f"Forget {named} with all that was said?", or_leave=True)
    done = clarify_settle.forget(project, clarification_id, caller=caller)
    left = _catch_up(invocation)
    lines = [f"forgot {clarification_id}{_name_sharing(done.with_it)}"]
    lines += (
        f"its words stand in {each} too: `agentx clarify forget {each}`" for each in done.also_in
    )
    if done.posted_on:
        lines.append(
            f"what was posted stands on GitHub still: delete it there, on #{done.posted_on}"
        )
    lines += (*left, *render.say_left(done.exports, done.copies))
    there = {"with_it": done.with_it, "also_in": done.also_in}
    there |= {"exports": done.exports, "copies": done.copies}
    data = {"forgotten": clarification_id, **there}
    invocation.show(data, lambda screen: screen.print("\n".join(lines), soft_wrap=True))


def _catch_up(invocation: Invocation) -> tuple[str, ...]:
    """Let nothing that was made of words tell them still; return what is left to do."""
    from agentx.daemon.door import has_begun

    try:
        if has_begun(invocation.project):
            with invocation.memory() as memory:
                memory.catch_up()
    except AgentXError as error:
        return (f"what was made of its words is there until `agentx sync`: {error.message}",)
    return ()


def _name_sharing(others: tuple[str, ...]) -> str:
    return f", and {', '.join(others)} of its thread" if others else ""


@command.command("put-back")
@click.pass_obj
def put_back(invocation: Invocation) -> None:
    """Write into the files again what git took out of them, for others to get it.

    It counts here as it is: a checkout, a revert or another branch takes nothing back that was
    said. The next word on an issue writes it back, too.
    """
    names = clarify_held.put_back(invocation.project)
    said = f"written back: {', '.join(names)}" if names else "nothing is missing in the files"
    invocation.show({"put_back": list(names)}, lambda screen: screen.print(said))


@command.command("compact")
@click.option(
    "--days",
    type=click.IntRange(0),
    default=QUESTION_WHOLE_DAYS,
    show_default=True,
    metavar="N",
    help="Only what was settled so many days ago.",
)
@click.pass_obj
def compact(invocation: Invocation, days: int) -> None:
    """Shorten settled threads: what agents said on the way becomes a line each.

    Questions, the last answer, decisions and all that people said stay whole. The daemon does it
    every night.
    """
    done = clarify_aging.compact(invocation.project, days)
    said = f"settled threads shortened: {done:,}"
    invocation.show({"shortened": done, "days": days}, lambda screen: screen.print(said))


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
    show_inbox(invocation, seen, who)


def _show_done(
    invocation: Invocation,
    state: Clarification,
    draw: Callable[[Console], None],
    data: dict[str, object] | None = None,
) -> None:
    """Show what was said to a question, and what could not be done for it."""
    said = {
        "unsent": clarify_read.say_unsent(invocation.project, state),
        "unnotified": clarify_read.say_unnotified(invocation.project, state),
        "unheld": clarify_read.say_unheld(invocation.project, state),
    }
    missed = {name: text for name, text in said.items() if text}
    invocation.show({**(data or as_data(state)), **missed}, draw)
    for text in missed.values():
        invocation.talk.print(f"agentx: {text}", style="yellow", soft_wrap=True)


def _stream(invocation: Invocation) -> Say:
    """Return where the conversation runs while it happens: talk, so that stdout stays data."""

    def tell(entry: str) -> None:
        render.print_hanging(invocation.talk, printable(entry))

    return tell
