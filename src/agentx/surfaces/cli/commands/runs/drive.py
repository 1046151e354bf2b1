"""`agentx run drive`: agents do the work of a run, in lanes, while a person watches."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agentx.kernel.text import preview, printable
from agentx.operations.driving.asked import (
    DRIVE_LANES,
    DRIVE_MINUTES,
    DRIVE_TOKENS,
    DRIVE_TURN_MINUTES,
    DRIVE_TURNS,
    DRIVE_USD,
    DriveBounds,
    DriveEnd,
    Driven,
    DriveRequest,
)
from agentx.project.roles.caller import find_caller
from agentx.surfaces.cli import options, render
from agentx.surfaces.cli.commands.runs.drive_screen import open_screen
from agentx.surfaces.cli.frame import Invocation, Verb, plain
from agentx.surfaces.cli.options import as_person as as_person_option
from agentx.surfaces.cli.screen import ask, write_text

if TYPE_CHECKING:
    from agentx.operations.driving.preview import DrivePlan
    from agentx.project.project import Project

_EXIT_CODES = {
    DriveEnd.DONE: 0,
    DriveEnd.BOUND: 5,
    DriveEnd.WAITS: 6,
    DriveEnd.STUCK: 3,
    DriveEnd.LOST: 3,
    DriveEnd.STOPPED: 130,
}


@click.command("drive", cls=Verb)
@click.argument("what", metavar="[RUN | TITLE]", required=False, default="")
@click.option("--description", default="", help="What is wanted, in more words.")
@click.option(
    "--check", "checks", multiple=True, metavar="COMMAND", help="What must pass. Repeatable."
)
@click.option(
    "--plan",
    "plan_file",
    metavar="FILE",
    default="",
    help="The tasks, as YAML or JSON; without it an agent plans.",
)
@click.option(
    "--runner",
    "runners",
    multiple=True,
    metavar="NAME",
    help="Who works: claude-code, codex, gemini, opencode. Several take turns "
    "(default: agents.runner).",
)
@click.option(
    "--planner", default="", metavar="NAME", help="Who plans (default: the first runner)."
)
@click.option("--role", default="engineer", show_default=True, help="The role that works.")
@click.option("--model", default="", metavar="NAME", help="The model, by its own name.")
@click.option("--setup", default="", metavar="COMMAND", help="Makes a new lane ready to work in.")
@click.option(
    "--copy", "copies", multiple=True, metavar="FILE", help="An ignored file that a lane needs."
)
@click.option(
    "--lanes", type=click.IntRange(1, 16), default=DRIVE_LANES, show_default=True, help="At once."
)
@click.option(
    "--turns",
    type=click.IntRange(1, 50),
    default=DRIVE_TURNS,
    show_default=True,
    help="Of a task, before a person is asked.",
)
@options.minutes(DRIVE_MINUTES, options.SITTING_MINUTES, "Of this sitting.")
@options.minutes(DRIVE_TURN_MINUTES, options.MINUTES, "Of one turn.", "--turn-minutes")
@options.whole("--tokens", DRIVE_TOKENS, "Of the run, in all.")
@options.whole("--usd", DRIVE_USD, "Of the run, in all.")
@click.option("--take", "is_taken", is_flag=True, help="Take it over from who drives it elsewhere.")
@click.option("--approve-checks", is_flag=True, help="Run the checks that a plan, or the run, has.")
@as_person_option
@click.option("--no-wait", is_flag=True, help="End where a person is asked, and do not wait.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, and do nothing.")
@click.pass_obj
def drive_run(
    invocation: Invocation, /, what: str, plan_file: str, dry_run: bool, **given: Any
) -> None:
    """Let agents do a piece of work: from a plan to a branch whose checks pass.

    A TITLE begins a run, or goes on with the one of that title that is not over; RUN goes on with
    one, here or on another machine; neither takes the one in progress. Each task is worked on in a
    lane of its own; its checks decide whether it is merged, and what fails goes back to its agent.
    Ctrl-C stops, and nothing is lost.

    Agents edit files in their lane. They run only the commands of the setting agents.commands, and
    push nothing. Exit codes: 0 done, 3 stuck, 5 at a bound, 6 a person is asked.
    """
    # Whoever drives brings agents and models along: no other command of runs pays for that.
    from agentx.operations.driving.beginning import begin_run, find_meant
    from agentx.operations.driving.drive import drive
    from agentx.operations.driving.planning import read_plan_file
    from agentx.operations.driving.preview import plan_drive

    project = invocation.project
    known = find_meant(project, what) if what else ""

    request = DriveRequest(
        run_id=known,
        title="" if known else what,
        plan=read_plan_file(project, Path(plan_file)) if plan_file else (),
        **_read_given(project, given),
    )
    if dry_run:
        found = plan_drive(project, request)
        invocation.show(found, lambda screen: _draw_plan(screen, found))
        return
    run, request = begin_run(project, request)
    head = f"{run.title} ({run.id})" + ("" if request.title else ", goes on")
    shown = open_screen(head, project.clock, is_json=invocation.as_json)
    with shown as show, _stopping():
        done = drive(project, run, request, show)
    if invocation.as_json:
        write_text(json.dumps({"end": plain(done)}) + "\n")
    else:
        invocation.show(done, lambda screen: _draw_end(screen, done))
    sys.exit(_EXIT_CODES[done.ended])


@contextmanager
def _stopping() -> Iterator[None]:
    """Let what ends a process end a drive in order, as Ctrl-C does."""
    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _read_given(project: Project, given: dict[str, Any]) -> dict[str, Any]:
    """Return what the options say, as a request has it."""
    names = ("lanes", "minutes", "tokens", "usd", "turn_minutes")
    at_most = {name: given.pop(name) for name in names}
    is_approved = given.pop("approve_checks")
    waits = not given.pop("no_wait") and sys.stdout.isatty()
    caller = find_caller(project, as_person=given.pop("as_person"))

    def approve(proposed: tuple[str, ...]) -> bool:
        return is_approved or _ask_checks(proposed)

    more = {"bounds": DriveBounds(**at_most), "waits": waits, "caller": caller, "approve": approve}
    return {**given, **more}


def _ask_checks(proposed: tuple[str, ...]) -> bool:
    """Ask a person at the terminal whether commands that an agent may have named are run."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    for each in (
        "these checks were not seen by you yet; they would be run as they stand:",
        *proposed,
    ):
        write_text(f"{each}\n")
    return ask("run them?")


def _draw_plan(screen: Any, found: DrivePlan) -> None:
    screen.print(render.text(f"{found.title}: {found.phase}"), style="bold", soft_wrap=True)
    for task in found.tasks:
        waits = f" (after {', '.join(task.depends_on)})" if task.depends_on else ""
        who = f", {task.runner}" if task.runner else ""
        line = f"  {task.id}  {task.title}{waits}: {task.next}{who}"
        screen.print(render.text(printable(line)), soft_wrap=True)
    if not found.tasks:
        line = f"  no tasks yet: {found.planner} would be asked for a plan"
        screen.print(render.text(line), soft_wrap=True)
    for name, text in (
        ("must pass", "; ".join(found.checks) or "nothing is named yet: --check"),
        ("lanes", f"{found.lanes} at once, {found.setup or 'no command makes them ready'}"),
        ("agents may run", ", ".join(found.commands) or "no commands (agents.commands)"),
        ("pushed to", found.remote or "nowhere: nobody agreed to it (agentx run sync --push)"),
        ("at most", found.bounds),
    ):
        screen.print(render.text(printable(f"{name}: {text}")), soft_wrap=True)
    for line in found.in_the_way:
        screen.print(render.text(printable(f"in the way: {line}")), style="yellow", soft_wrap=True)
    screen.print("nothing was done", style="dim")


def _draw_end(screen: Any, done: Driven) -> None:
    heads = {
        DriveEnd.DONE: "done",
        DriveEnd.WAITS: "waits for you",
        DriveEnd.BOUND: "at a bound",
        DriveEnd.STUCK: "stuck",
        DriveEnd.LOST: "driven elsewhere",
        DriveEnd.STOPPED: "stopped",
    }
    cost = f"{done.tokens:,} tokens, {done.usd:.2f} dollars"
    cost += " (part of it estimated)" if done.is_estimated else ""
    many = f"{done.tasks_done} of {done.tasks} tasks, {done.turns} turns, {cost}"
    head = heads[done.ended] + (f": {printable(preview(done.reason, 600))}" if done.reason else "")
    screen.print(render.text(head), style="bold", soft_wrap=True)
    screen.print(render.text(many), soft_wrap=True)
    if done.work_branch:
        where = f", pushed to {done.pushed}" if done.pushed else ""
        line = f"branch: {done.work_branch} (for {done.base_branch or 'no branch'}{where})"
        screen.print(render.text(line), soft_wrap=True)
    if done.pull:
        screen.print(render.text(f"pull request: {done.pull}"), soft_wrap=True)
    for line in done.waits_for:
        screen.print(render.text(printable(f"asked: {line}")), style="yellow", soft_wrap=True)
    for line in done.remarks:
        screen.print(render.text(printable(f"note: {line}")), style="yellow", soft_wrap=True)
    for line in done.next:
        screen.print(render.text(f"next: {line}"), style="dim", soft_wrap=True)
