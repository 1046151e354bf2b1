"""`agentx doctor`: what is wrong, and the mend."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress

import click
from rich.console import Console
from rich.text import Text

from agentx.daemon.control import stop
from agentx.kernel.errors import AgentXError
from agentx.kernel.text import show_name
from agentx.operations.capture.waiting import list_waiting
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.setup.programs.live import LiveReply, try_hooks
from agentx.operations.upkeep.doctor import diagnose, fix
from agentx.operations.upkeep.health import Diagnosis, Health, HealthCheck
from agentx.operations.upkeep.mend import mend, plan_mending
from agentx.surfaces.cli import render
from agentx.surfaces.cli.commands.begin.changes import draw_live
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.layout import lay
from agentx.surfaces.cli.progress import behind_progress
from agentx.surfaces.cli.screen import ask

_SIGNS = {Health.GOOD: ("ok", "green"), Health.NOTE: ("--", "yellow"), Health.WRONG: ("!!", "red")}


@click.command(cls=Verb)
@click.option("--fix", "mending", is_flag=True, help="Mend what is wrong; asks before a log.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--deep", is_flag=True, help="Read every block of the log and open every event.")
@click.option(
    "--live", "try_hook", is_flag=True, help="Send a test event through each installed hook."
)
@click.pass_context
def command(ctx: click.Context, mending: bool, yes: bool, deep: bool, try_hook: bool) -> None:
    """Look at everything AgentX needs, and say what is wrong and how to mend it.

    Leaves with 4 when something is wrong.
    """
    invocation: Invocation = ctx.obj
    project, inputs = invocation.project, setup_inputs(invocation.project)
    fixed: tuple[str, ...] = ()
    if mending:
        mended = _mend(invocation, yes=yes, deep=deep)
        fixed = (*mended, *fix(project, inputs), *_take(invocation))
    found = behind_progress(
        invocation,
        lambda told: diagnose(project, invocation.reading, inputs, deep=deep, told=told),
        "looking at everything",
    )
    tried = try_hooks(project, inputs) if try_hook else None
    diagnosis = Diagnosis(checks=found.checks, fixed=fixed)
    invocation.show(
        {
            "well": diagnosis.is_well,
            "checks": diagnosis.checks,
            "waiting": list_waiting(project),
            "fixed": fixed,
            "live": tried,
        },
        lambda screen: _draw(screen, diagnosis, tried),
    )
    is_wrong = tried is not None and tried.is_wrong
    ctx.exit(0 if diagnosis.is_well and not is_wrong else 4)


def _take(invocation: Invocation) -> tuple[str, ...]:
    """Take what waits for this project: nothing is safer in the spool than in the log."""
    with suppress(AgentXError), invocation.reading() as memory:  # the diagnosis tells it
        taken = memory.drain().files
        return (f"took {taken:,} records out of the spool",) if taken else ()
    return ()


def _mend(invocation: Invocation, *, yes: bool, deep: bool) -> tuple[str, ...]:
    """Show what is damaged and what would be done, ask, and do it."""
    project = invocation.project
    plan = behind_progress(
        invocation, lambda told: plan_mending(project, deep=deep, told=told), "looking for damage"
    )
    if not plan.damages:
        return ()
    talk = invocation.talk
    talk.print("damaged:", style="red")
    for damage in plan.damages:
        talk.print(f"  {show_name(damage.says)}", soft_wrap=True)
    talk.print("to do:", style="bold")
    for step in plan.steps:
        talk.print(f"  {step}", soft_wrap=True)
    if plan.touches_log and not yes:
        if invocation.as_json or not sys.stdin.isatty():
            talk.print("nothing was done: say `agentx doctor --fix --yes`", soft_wrap=True)
            return ()
        ask("Go on?", or_leave=True)
    if plan.touches_log:
        stop(project.store)
    return behind_progress(invocation, lambda _told: mend(project, plan), "mending")


def _draw(screen: Console, diagnosis: Diagnosis, tried: LiveReply | None) -> None:
    for done in diagnosis.fixed:
        screen.print(f"mended: {done}", style="green", soft_wrap=True)
    for line in draw_checks(diagnosis.checks, screen.width):
        screen.print(line)
    if tried is not None:
        screen.print()
        draw_live(screen, tried)
    if diagnosis.is_well and diagnosis.has_waiting:
        screen.print("\nNothing is wrong; records wait in the spool, as told above.")
    elif diagnosis.is_well and diagnosis.has_contested:
        screen.print("\nNothing is wrong with AgentX; an answer is contested, as told above.")
    elif diagnosis.is_well:
        screen.print("\nAll is well.", style="green")


def draw_checks(checks: Iterable[HealthCheck], width: int) -> Iterator[Text]:
    """Yield the lines that say what was found, and below it how to mend it."""
    for check in checks:
        sign, style = _SIGNS[check.health]
        lead = Text(f"{sign} ", style=style).append(f"{check.name:<14}", style="bold")
        # What a file is called stands in these; it must not be taken for another row.
        yield from lay(lead, render.text(show_name(check.says)), width)
        if check.mend:
            arrow = Text(f"{'':<{len(lead)}}-> ", style="dim")
            yield from lay(arrow, render.text(show_name(check.mend), style="dim"), width)
