"""`agentx init`: from nothing to memory."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click
from rich.console import Console

from agentx.adapters.port import SetupScope
from agentx.capture.transcripts import ImportReply
from agentx.daemon.auto.calling import call_daemon, may_call
from agentx.kernel.text import show_name
from agentx.operations.setup.init import InitReply, InitRequest, init, parse_harnesses
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.setup.seen_by_git import look_at_git
from agentx.operations.setup.setup import SetupInputs
from agentx.surfaces.cli import render
from agentx.surfaces.cli.commands.begin import changes
from agentx.surfaces.cli.commands.begin.import_history import draw as draw_import
from agentx.surfaces.cli.commands.begin.import_history import follow, watch
from agentx.surfaces.cli.commands.begin.setup import offer_tools
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.screen import ask, ask_text, ask_which, remark, remark_untold

if TYPE_CHECKING:
    from agentx.project.project import Project

_EXIT_DECLINED = 2
_EXIT_WRONG = 4


@click.command(cls=Verb)
@click.option(
    "--harness",
    multiple=True,
    default=("auto",),
    show_default=True,
    metavar="LIST",
    help="Agent CLIs to set up, with commas or said more than once; auto finds those in use.",
)
@click.option(
    "--scope",
    type=click.Choice([scope.value for scope in SetupScope]),
    help="Whose sessions: of all projects of this user, the default, or of this project only.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="FOLDER",
    help="Never capture this folder and all below it; may be said more than once.",
)
@click.option("--no-import", is_flag=True, help="Leave past sessions where they are.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and leave it.")
@click.option("--diff", is_flag=True, help="Show every line that would change, and leave it.")
@click.option("--yes", is_flag=True, help="Ask nothing; a model stays off.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    harness: tuple[str, ...],
    scope: str | None,
    exclude: tuple[str, ...],
    no_import: bool,
    dry_run: bool,
    diff: bool,
    yes: bool,
) -> None:
    """Set this project up: find the agent CLIs in use, install hooks, import their history.

    The hooks are the user's: sessions in every repository are captured, but for what is excluded.
    With --scope project only those in this project are. Settings are changed in place; a copy of
    each is kept, and `agentx uninstall` takes everything out again. Leaves with 4 when an agent
    CLI could not be set up, or a test event did not arrive.
    """
    invocation: Invocation = ctx.obj
    request = InitRequest(
        harnesses=parse_harnesses(",".join(harness)),
        scope=SetupScope(scope or SetupScope.USER),
        exclude=exclude,
        with_import=not no_import,
        dry_run=dry_run or diff,
    )
    project = invocation.project
    inputs = setup_inputs(project)
    may_ask = not (request.dry_run or yes or invocation.as_json)
    may_ask = may_ask and sys.stdin.isatty() and sys.stderr.isatty()
    asked = request
    if may_ask and scope is None:
        asked, request = request, _ask_scope(invocation, inputs, request)
    with watch(invocation) as line:
        with_views = not may_call(project)
        told = replace(request, with_views=with_views)
        reply = init(project, invocation.memory, inputs, told, follow(line))
    if reply.imported is not None and not with_views:
        call_daemon(project)
    # What a person has just seen and agreed to is not told again.
    is_seen = request is not asked and request.scope is asked.scope and sys.stdout.isatty()
    invocation.show(reply, lambda screen: _draw(screen, reply, project, diff=diff, is_seen=is_seen))
    if not invocation.as_json:
        remark_untold(project)
    if may_ask:
        offer_tools(project, [one.harness for one in reply.setups], request.scope)
        _offer_model(project)
    is_wrong = reply.failures or (reply.live is not None and reply.live.is_wrong)
    ctx.exit(_EXIT_WRONG if is_wrong else 0)


def _ask_scope(invocation: Invocation, inputs: SetupInputs, request: InitRequest) -> InitRequest:
    """Say what would be captured, before anything is, and let a person choose."""
    project = invocation.project
    looked = replace(request, dry_run=True, with_import=False)
    plan = init(project, invocation.memory, inputs, looked)
    if not plan.is_changed:
        return request
    talk = invocation.talk
    changes.draw_rows(talk, changes.list_rows(plan.setups, project))
    changes.draw_scope(talk, SetupScope.USER)
    said = ask_which("Capture [a]ll repositories, [p]roject only, [n]one? (a)", "apn")
    if said == "n":
        remark("Nothing was changed.")
        raise click.exceptions.Exit(_EXIT_DECLINED)
    if said == "p":
        return replace(request, scope=SetupScope.PROJECT)
    named = ask_text("Folders never to capture, with commas (Return: none)")
    folders = (one.strip() for one in named.split(","))
    return replace(request, exclude=(*request.exclude, *filter(None, folders)))


def _offer_model(project: Project) -> None:
    from agentx.operations.setup.model_offer import answer_offer, find_offer

    offer = find_offer(project)
    if offer is not None:
        agreed = answer_offer(project, offer, ask)
        remark("It is on from the next session on." if agreed else "It stays off.")


def _draw(
    screen: Console, reply: InitReply, project: Project, *, diff: bool, is_seen: bool
) -> None:
    screen.print(
        render.assemble((reply.project_id, "bold"), (f"  {show_name(reply.root)}", "dim")),
        soft_wrap=True,
    )
    more = [("This project", "./.agentx/.gitignore", "+ ignore rules (new)")]
    beside = more if reply.wrote_ignore_rules else []
    if reply.is_changed:
        programs = changes.shorten_in(project.data.launcher.parent, project)
        beside.insert(0, ("Programs", programs, "+ agentx-hook, + agentx"))
    changes.draw_setups(screen, reply.setups, project, more=beside, diff=diff, is_seen=is_seen)
    _draw_failures(screen, reply)
    if reply.setups and not is_seen:
        changes.draw_scope(screen, reply.scope)
    if reply.scope is SetupScope.PROJECT and not reply.dry_run:
        changes.draw_seen(screen, look_at_git(project, reply.setups))
    if reply.excluded:
        screen.print(f"Never captured: {', '.join(map(show_name, reply.excluded))}", soft_wrap=True)
    if reply.dry_run:
        _draw_plan(screen, reply, diff=diff)
        return
    if reply.imported is not None:
        screen.print()
        draw_import(screen, reply.imported)
    if reply.live is not None:
        screen.print()
        changes.draw_live(screen, reply.live, changes.list_notes(reply.setups))
    words = "Leave a folder out: agentx exclude FOLDER. Everything out: agentx uninstall."
    changes.tell(screen, words, style="dim")


def _draw_failures(screen: Console, reply: InitReply) -> None:
    for failure in reply.failures:
        screen.print(f"{failure.harness}: {failure.message}", style="red", soft_wrap=True)
        if failure.hint:
            screen.print(f"  hint: {failure.hint}", style="dim", soft_wrap=True)
    if not reply.setups and not reply.failures:
        screen.print("No agent CLI found on this machine.", style="yellow")
        screen.print("  hint: name one with --harness claude-code", style="dim")


def _draw_plan(screen: Console, reply: InitReply, *, diff: bool) -> None:
    if reply.history is not None:
        changes.tell(screen, _tell_history(reply.history))
    words = "Nothing was changed." + ("" if diff else " Every line of it: --diff.")
    others = "Other choices: --scope project, --exclude FOLDER."
    changes.tell(screen, f"{words} {others}", style="dim")


def _tell_history(history: ImportReply) -> str:
    found = sum(one.transcripts for one in history.harnesses)
    size = sum(one.bytes for one in history.harnesses)
    if not found:
        return "No past sessions of this project to import."
    return f"To import: {render.count(found, 'past session')}, {render.size(size)}."
