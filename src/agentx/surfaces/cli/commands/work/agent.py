"""`agentx agent`: agents at work, and the roles they play."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agentx.operations.agents.assignment import LoopReply, RunReply, RunRequest
from agentx.operations.agents.playing import (
    RoleReply,
    clear_played,
    name_session,
    require_session,
    set_played,
    show_played,
)
from agentx.operations.agents.roles import RoleRow, copy_roles, list_roles, show_role
from agentx.operations.agents.run import list_runners, run_agent
from agentx.operations.limits import AGENT_WORK_WAIT_MS
from agentx.surfaces.cli import options, render
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.surfaces.cli.progress import tell_lines
from agentx.work.model import issue_number

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.operations.agents.loop import LoopRow

_MINUTE_MS = 60_000
# Of the loop's ends: what a program goes by. Others are done, or stopped at a bound.
_WAITS = ("waiting", "escalated", "error")
Verb = Callable[..., Any]


def _take_bounds(verb: Verb) -> Verb:
    """Give a verb the options that say what an agent may take."""
    taken = (
        click.option("--model", default="", metavar="NAME", help="The model, by its own name."),
        options.minutes(AGENT_WORK_WAIT_MS // _MINUTE_MS, options.MINUTES, "How long it may take."),
        options.of_loop("--turns", "Of the loop: replies (60)."),
        options.of_loop("--tokens", "Of the loop: tokens (1,000,000)."),
        options.of_loop("--usd", "Of the loop: dollars (2)."),
    )
    for option in reversed(taken):
        verb = option(verb)
    return verb


@click.group(cls=VerbGroup)
def command() -> None:
    """Run an agent on an issue; show the roles and their instructions.

    A project's own text .agentx/agents/ROLE.md takes the place of the one that ships.
    """


@command.command("run")
@click.argument("role")
@click.option("--issue", required=True, metavar="N", help="The issue to work on.")
@click.option(
    "--runner",
    default="",
    metavar="NAME",
    help=f"Who plays the role: {', '.join(list_runners())} (default: the setting agents.runner).",
)
@click.option("--task", default="", metavar="TEXT", help="What to do (default: the next step).")
@click.option("--script", default="", metavar="FILE", help="Answers of the scripted runner.")
@click.option("--no-advance", is_flag=True, help="Leave the issue's status as it is afterwards.")
@_take_bounds
@click.pass_obj
def run(
    invocation: Invocation,
    role: str,
    issue: str,
    runner: str,
    task: str,
    model: str,
    script: str,
    no_advance: bool,
    minutes: int,
    turns: int,
    tokens: int,
    usd: float,
) -> None:
    """Let an agent work on an issue: with its role, the issue and what was learnt before.

    The runner `loop` is AgentX's own: it talks with the model of llm.provider, works with tools in
    the project's folder, and runs the commands of agents.commands. What it did is kept after every
    step: `agentx agent resume` takes it up again.
    """
    request = RunRequest(
        role=role,
        issue=issue_number(issue),
        runner=runner,
        task=task,
        model=model,
        script=Path(script) if script else None,
        advance=not no_advance,
        time_limit_ms=minutes * _MINUTE_MS,
        turns=turns,
        tokens=tokens,
        usd=usd,
    )
    _end(
        invocation,
        run_agent(invocation.project, request, invocation.memory, tell_lines(invocation)),
    )


@command.command("resume")
@click.argument("session", default="")
@click.option("--say", default="", metavar="TEXT", help="What you say to it.")
@click.option("--list", "listed", is_flag=True, help="Show the sessions that are not done.")
@_take_bounds
@click.pass_obj
def resume(
    invocation: Invocation,
    session: str,
    say: str,
    listed: bool,
    model: str,
    minutes: int,
    turns: int,
    tokens: int,
    usd: float,
) -> None:
    """Take up a session of the loop that was stopped, killed, or waited for an answer.

    Nothing is done twice unsaid: of what was begun when it was killed, its model is told so.
    """
    from agentx.operations.agents.loop import ResumeRequest, list_sessions, resume_loop

    if listed:
        rows = list_sessions(invocation.project)
        invocation.show({"sessions": rows}, lambda screen: _draw_sessions(screen, invocation, rows))
        return
    request = ResumeRequest(
        session_id=session,
        said=say,
        model=model,
        time_limit_ms=minutes * _MINUTE_MS,
        turns=turns,
        tokens=tokens,
        usd=usd,
    )
    _end(
        invocation,
        resume_loop(invocation.project, request, invocation.memory, tell_lines(invocation)),
    )


@command.command("roles")
@click.option("--copy", is_flag=True, help="Write those that ship to .agentx/agents/ to edit them.")
@click.pass_obj
def roles(invocation: Invocation, copy: bool) -> None:
    """Show the roles and what each is for."""
    copied = copy_roles(invocation.project) if copy else ()
    rows = list_roles(invocation.project)
    invocation.show({"roles": rows, "copied": copied}, lambda screen: _draw_roles(screen, rows))
    if copied:
        folder = invocation.project.paths.roles
        invocation.talk.print(f"wrote {render.count(len(copied), 'role')} to {folder}")


@command.command("role")
@click.argument("role", default="")
@click.option("--session", "named", metavar="ID", default="", help="Of one session.")
@click.option("--here", is_flag=True, help="Of all sessions of this project, for you alone.")
@click.option("--clear", is_flag=True, help="Take back what was set there.")
@click.pass_obj
def role_(invocation: Invocation, role: str, named: str, here: bool, clear: bool) -> None:
    """Show which role is played and what says so; with a ROLE, set it.

    Run by an agent it is its own session's, where its agent CLI says which one that is. It holds
    from the next event on; `none` means no role. What counts, in this order: --agent of a
    command, AGENTX_AGENT, the session's own, the setting agents.role.
    """
    if (named and here) or (role and clear):
        raise click.UsageError("choose one of them", ctx=click.get_current_context())
    project = invocation.project
    session = None
    if named:
        with invocation.reading() as memory:
            invocation.freshen(memory, views=False)
            session = name_session(project, memory, named)
    elif (role or clear) and not here:
        session = require_session(project)
    if clear:
        reply = clear_played(project, session)
    elif role:
        reply = set_played(project, role, session)
    else:
        reply = show_played(project, session, of_project=here)
    invocation.show(reply, lambda screen: screen.print(_say_role(reply), soft_wrap=True))


@command.command("show")
@click.argument("role")
@click.pass_obj
def show(invocation: Invocation, role: str) -> None:
    """Show the instructions of a role."""
    text = show_role(invocation.project, role)
    invocation.show({"role": role, "text": text}, lambda screen: screen.print(text, end=""))


def _end(invocation: Invocation, reply: RunReply) -> None:
    """Show what came of it, and leave with the code of how it ended."""
    invocation.show(reply, lambda screen: _draw(screen, invocation, reply))
    loop = reply.loop
    if loop is None or loop.ended == "text_response":
        return
    if loop.ended == "aborted":
        raise SystemExit(130)
    raise SystemExit(6 if loop.ended in _WAITS else 5)


def _draw(screen: Console, invocation: Invocation, reply: RunReply) -> None:
    if reply.report:
        screen.print(render.text(reply.report), soft_wrap=True)
    if reply.loop is not None:
        _draw_loop(invocation, reply.loop)
    step = f", step {reply.step}" if reply.step else ""
    said = (
        f"{reply.role} ({reply.runner}{step}) took {reply.took_ms / 1000:.1f} s and is "
        f"{reply.agent_status}; #{reply.issue} is {reply.issue_status}"
    )
    invocation.talk.print(said, style="dim")


def _draw_loop(invocation: Invocation, loop: LoopReply) -> None:
    took = (
        f"{render.count(loop.turns, 'turn')}, {render.count(loop.calls, 'call')}, "
        f"{loop.tokens:,} tokens, ${loop.usd:.4f} ({loop.model})"
    )
    invocation.talk.print(loop.reason, soft_wrap=True)
    invocation.talk.print(took, style="dim")
    if loop.changed:
        invocation.talk.print(f"changed: {', '.join(loop.changed)}", soft_wrap=True)
    if loop.next:
        invocation.talk.print(loop.next, soft_wrap=True)


def _draw_sessions(screen: Console, invocation: Invocation, rows: tuple[LoopRow, ...]) -> None:
    if not rows:
        invocation.talk.print("no session of the loop is unfinished")
        return
    table = render.table("SESSION", "ISSUE", "TURNS", "STANDS")
    for row in rows:
        stands = row.ended or "at work, or killed"
        table.add_row(row.session_id, f"#{row.issue}", str(row.turns), stands)
    screen.print(table)


def _say_role(reply: RoleReply) -> str:
    """Say which role counts, and what said so."""
    whose = f"session {reply.session_id}" if reply.session_id else "this project"
    said = f"by {render.name_source(reply.source)}" if reply.source else "none is set"
    return f"{whose}: {reply.role or 'no role'} ({said})"


def _draw_roles(screen: Console, rows: tuple[RoleRow, ...]) -> None:
    table = render.table("ROLE", "FROM", "WHAT IT IS FOR")
    for row in rows:
        source = "project" if row.own else "AgentX"
        table.add_row(row.name, source, row.about)
    screen.print(table)
