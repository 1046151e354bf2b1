"""`agentx run`: a piece of work in phases, with tasks and lanes, that survives anything."""

from __future__ import annotations

from typing import Any

import click

from agentx.operations.runs.read import (
    bring_back_runs,
    list_archived,
    list_runs,
    note_shown,
    show_run,
    tell_runs_elsewhere,
)
from agentx.surfaces.cli.commands.runs.options import about_run, of_run
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.surfaces.cli.screen import remark

_BUDGET_DEFAULT = 20_000
_HERE = "agentx.surfaces.cli.commands.runs"
# Whoever reads does not wait for what only others need.
_ELSEWHERE = {
    "archive": f"{_HERE}.archive:archive",
    "artifact": f"{_HERE}.write:artifact",
    "checkpoint": f"{_HERE}.write:checkpoint",
    "clean": f"{_HERE}.archive:clean",
    "drive": f"{_HERE}.drive:drive_run",
    "escalate": f"{_HERE}.write:escalate",
    "event": f"{_HERE}.write:event",
    "lane": f"{_HERE}.lane:lane",
    "phase": f"{_HERE}.write:phase",
    "pr": f"{_HERE}.write:prepare",
    "propose": f"{_HERE}.write:propose",
    "prune": f"{_HERE}.prune:prune",
    "rebuild": f"{_HERE}.write:rebuild",
    "restore": f"{_HERE}.archive:restore",
    "resume": f"{_HERE}.write:resume",
    "start": f"{_HERE}.write:start",
    "sync": f"{_HERE}.sync:sync",
    "task": f"{_HERE}.task:task",
    "verify": f"{_HERE}.verify:verify",
}


@click.group(cls=VerbGroup, elsewhere=_ELSEWHERE)
@click.pass_context
def command(context: click.Context) -> None:
    """Plan, do, verify and hand over a piece of work, with everything that happened on record.

    PLANNING, EXECUTION, VERIFICATION, CLEANUP, PR_PREP. Commands are about the active run unless
    --run names another.
    """
    if context.invoked_subcommand != "rebuild":  # which may be told that something is to stay out
        for line in bring_back_runs(context.obj.project):
            remark(line)


@command.command("list")
@click.option("--archived", is_flag=True, help="Those that are packed away.")
@click.pass_obj
def list_all(invocation: Invocation, archived: bool) -> None:
    """Show all runs, newest first; * marks the active one."""
    if archived:
        _list_archived(invocation)
        return
    rows = list_runs(invocation.project)
    for name in () if rows else tell_runs_elsewhere(invocation.project):
        remark(f"{name} holds runs of others: `agentx run sync` takes them in")
    now_ms = invocation.project.clock.now_ms()
    packed = 0 if rows else len(list_archived(invocation.project))

    def draw(screen: Any) -> None:
        from agentx.surfaces.cli.commands.runs.draw import draw_list

        draw_list(screen, rows, now_ms, packed)

    invocation.show({"runs": rows}, draw)


def _list_archived(invocation: Invocation) -> None:
    rows = list_archived(invocation.project)

    def draw(screen: Any) -> None:
        from agentx.surfaces.cli.commands.runs.draw import draw_archived

        draw_archived(screen, rows)

    invocation.show({"archived": rows}, draw)


@command.command("show")
@about_run
@click.pass_obj
def show(invocation: Invocation, run_id: str) -> None:
    """Show where a run stands: phases, tasks, lanes, what blocks it, what is next."""
    found = show_run(invocation.project, run_id)
    now_ms = invocation.project.clock.now_ms()

    def draw(screen: Any) -> None:
        from agentx.surfaces.cli.commands.runs.draw import draw_run

        draw_run(screen, found, now_ms)

    note_shown(invocation.project, found)
    invocation.show(found, draw)


@command.command("context")
@click.option("--task", "task_id", default="", help="Default: the current one.")
@click.option("--budget", type=click.IntRange(0), default=_BUDGET_DEFAULT, show_default=True)
@of_run
@click.pass_obj
def context(invocation: Invocation, task_id: str, budget: int, run_id: str) -> None:
    """Print what an agent should be handed for a task, within a budget of tokens."""
    # What other rooms know is imported only where it is asked for.
    from agentx.operations.runs.context import run_context
    from agentx.runs.rendering import as_text as context_text

    found = run_context(invocation.project, run_id, task_id, budget)
    invocation.write(found, context_text(found))
