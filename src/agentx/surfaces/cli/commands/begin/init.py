"""`agentx init`: from nothing to memory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
from rich.console import Console

from agentx.adapters.port import SetupScope
from agentx.capture.transcripts import ImportProgress
from agentx.kernel.text import show_name
from agentx.operations.setup.init import InitReply, InitRequest, init, parse_harnesses
from agentx.operations.setup.installation import setup_inputs
from agentx.surfaces.cli import render
from agentx.surfaces.cli.commands.begin.import_history import draw as draw_import
from agentx.surfaces.cli.commands.begin.import_history import progress
from agentx.surfaces.cli.commands.begin.setup import draw as draw_setup
from agentx.surfaces.cli.commands.begin.setup import offer_tools
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.screen import ask, remark, remark_untold

if TYPE_CHECKING:
    from agentx.project.project import Project


@click.command(cls=Verb)
@click.option(
    "--harness",
    default="auto",
    show_default=True,
    metavar="LIST",
    help="Agent CLIs to set up, with commas; auto finds those in use.",
)
@click.option("--no-import", is_flag=True, help="Leave past sessions where they are.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, and leave it.")
@click.option("--yes", is_flag=True, help="Ask nothing; a model stays off.")
@click.pass_obj
def command(
    invocation: Invocation, harness: str, no_import: bool, dry_run: bool, yes: bool
) -> None:
    """Set this project up: find the agent CLIs in use, install hooks, import their history."""
    request = InitRequest(
        harnesses=parse_harnesses(harness), with_import=not no_import, dry_run=dry_run
    )
    project = invocation.project
    with progress(invocation) as bar:
        task = bar.add_task("importing", total=None, events=0)

        def tell(step: ImportProgress) -> None:
            bar.update(task, total=step.total, completed=step.done, events=step.events)

        reply = init(project, invocation.memory, setup_inputs(project), request, tell)
    invocation.show(reply, lambda screen: _draw(screen, reply))
    if invocation.as_json:
        return
    remark_untold(project)
    if not (dry_run or yes) and sys.stdin.isatty() and sys.stderr.isatty():
        offer_tools(project, [one.harness for one in reply.setups], SetupScope.USER)
        _offer_model(project)


def _offer_model(project: Project) -> None:
    from agentx.operations.setup.model_offer import answer_offer, find_offer

    offer = find_offer(project)
    if offer is not None:
        agreed = answer_offer(project, offer, ask)
        remark("It is on from the next session on." if agreed else "It stays off.")


def _draw(screen: Console, reply: InitReply) -> None:
    screen.print(
        render.assemble((reply.project_id, "bold"), (f"  {show_name(reply.root)}", "dim")),
        soft_wrap=True,
    )
    for one in reply.setups:
        draw_setup(screen, one)
    for failure in reply.failures:
        screen.print(f"{failure.harness}: {failure.message}", style="red", soft_wrap=True)
        if failure.hint:
            screen.print(f"  hint: {failure.hint}", style="dim", soft_wrap=True)
    if not reply.setups and not reply.failures:
        screen.print("No agent CLI found on this machine.", style="yellow")
        screen.print("  hint: name one with --harness claude-code", style="dim")
    if reply.imported is not None:
        screen.print()
        draw_import(screen, reply.imported)
    if not reply.dry_run:
        screen.print(
            render.assemble(
                "\nFrom now on every session is remembered. Next: ",
                *(("agentx sessions", "bold"), ", ", ("agentx events", "bold"), ", "),
                ("agentx status", "bold"),
                ".",
            )
        )
