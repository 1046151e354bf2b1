"""`agentx workflow`: which steps a kind of issue goes through, which is next, and going them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.operations.agents.run import list_runners
from agentx.operations.issues.workflows import (
    WorkflowRow,
    check_workflows,
    list_workflows,
    next_steps,
    show_workflow,
)
from agentx.operations.limits import WALK_MINUTES, WALK_TOKENS, WALK_USD
from agentx.surfaces.cli import options, render
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.surfaces.cli.progress import tell_lines
from agentx.work.model import Position, Problem, Stage, Step, Workflow, issue_number

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.operations.walking.asked import WalkReply

_MARKS = {Stage.DONE: "x", Stage.NEXT: ">", Stage.LATER: " ", Stage.SKIPPED: "-"}


@click.group(cls=VerbGroup)
def command() -> None:
    """Show the workflows, check them, say what is next for an issue, and let agents do it.

    Eight ship. A project's own file .agentx/workflows/NAME.toml takes the place of the one that
    ships under that name.
    """


@command.command("list")
@click.pass_obj
def list_(invocation: Invocation) -> None:
    """Show every workflow."""
    rows = list_workflows(invocation.project)
    invocation.show({"workflows": rows}, lambda screen: _draw_list(screen, rows))


@command.command("show")
@click.argument("name")
@click.pass_obj
def show(invocation: Invocation, name: str) -> None:
    """Show the steps of one workflow."""
    found = show_workflow(invocation.project, name)
    invocation.show(found, lambda screen: _draw_steps(screen, found))


@command.command("check")
@click.argument("names", nargs=-1)
@click.pass_context
def check(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Name everything that is wrong in the workflow files; fail (2) if anything is."""
    invocation: Invocation = ctx.obj
    problems = check_workflows(invocation.project, names)
    invocation.show({"problems": problems}, lambda screen: _draw_problems(screen, problems))
    if problems:
        ctx.exit(2)


@command.command("next")
@click.argument("number", metavar="N")
@click.pass_obj
def next_(invocation: Invocation, number: str) -> None:
    """Say which step is next for an issue, and who does it."""
    found = next_steps(invocation.project, issue_number(number))
    reply = {
        "issue": found.issue.number,
        "status": found.issue.status,
        "workflow": found.workflow.name,
        "next": [each.step for each in found.next],
        "steps": [
            {
                "id": each.step.id,
                "agent": each.step.agent,
                "stage": each.stage,
                "waits_for": each.waits_for,
            }
            for each in found.steps
        ],
    }
    invocation.show(reply, lambda screen: _draw_next(screen, found))


@command.command("run")
@click.argument("name", default="")
@click.option("--issue", required=True, metavar="N", help="The issue that is carried on.")
@click.option(
    "--runner",
    default="",
    metavar="NAME",
    help=f"Who plays the roles: {', '.join(list_runners())} (default: the setting agents.runner).",
)
@click.option("--model", default="", metavar="NAME", help="The model, by its own name.")
@click.option(
    "--check",
    "checks",
    multiple=True,
    metavar="CMD",
    help="A command that must pass after each step that builds; several may be given.",
)
@click.option("--with", "optional", multiple=True, metavar="STEP", help="Do an optional step, too.")
@click.option("--on-default", is_flag=True, help="Commit to the default branch, if it is out.")
@options.minutes(WALK_MINUTES, options.SITTING_MINUTES, "How long this sitting may take.")
@options.of_loop("--turns", "Replies of one agent (60).")
@options.whole("--tokens", WALK_TOKENS, "Of all agents of the loop, over all sittings.")
@options.whole("--usd", WALK_USD, "Dollars, likewise.")
@click.option("--dry-run", is_flag=True, help="Show how it stands and what is next; begin nothing.")
@click.pass_obj
def run(
    invocation: Invocation,
    name: str,
    issue: str,
    runner: str,
    model: str,
    checks: tuple[str, ...],
    optional: tuple[str, ...],
    on_default: bool,
    minutes: int,
    turns: int,
    tokens: int,
    usd: float,
    dry_run: bool,
) -> None:
    """Carry an issue along its workflow: agents do each step, and each output is checked.

    A step is handed on once its document has all parts of its template, its checks passed, and who
    judges approved it; what a step left is committed to the branch that is checked out. Run it
    again after Ctrl-C, a kill, an answer or a bound: it goes on where it was.
    """
    from agentx.operations.walking.asked import WalkBounds, WalkRequest
    from agentx.operations.walking.walk import show_walk, walk_issue

    request = WalkRequest(
        issue=issue_number(issue),
        workflow=name,
        runner=runner,
        model=model,
        checks=checks,
        optional=optional,
        is_default_allowed=on_default,
        bounds=WalkBounds(minutes=minutes, turns=turns, tokens=tokens, usd=usd),
    )
    if dry_run:
        reply = show_walk(invocation.project, request)
    else:
        reply = walk_issue(invocation.project, request, tell_lines(invocation))
    invocation.show(reply, lambda screen: _draw_walk(screen, reply))
    if not dry_run and reply.ended != "done":
        raise SystemExit(6 if reply.ended == "waits" else 5)


def _draw_walk(screen: Console, reply: WalkReply) -> None:
    screen.print(f"#{reply.issue} {reply.status}, workflow {reply.workflow}\n")
    for row in reply.steps:
        commit = row.commit[:8]
        doing = f"  ({row.doing})" if row.doing else f"  {commit}" if commit else ""
        screen.print(
            render.text(f" {_MARKS[Stage(row.stage)]} {row.id:<16}{row.role:<18}{doing}".rstrip()),
            soft_wrap=True,
        )
    screen.print(f"\n{reply.tokens:,} tokens, ${reply.usd:.4f}", style="dim")
    if reply.ended:
        why = f": {reply.reason}" if reply.reason else ""
        screen.print(render.text(f"{reply.ended}{why}"), soft_wrap=True)
    elif reply.reason:
        line = f"in the way: {reply.reason}"
        screen.print(render.text(line), style="yellow", soft_wrap=True)
    for hint in reply.next:
        screen.print(render.text(f"hint: {hint}"), style="dim", soft_wrap=True)


def _draw_list(screen: Console, rows: tuple[WorkflowRow, ...]) -> None:
    table = render.table("WORKFLOW", "FROM", ">STEPS", "WHAT IT IS")
    for row in rows:
        about = f"broken: {row.problem}" if row.problem else row.description
        source = "project" if row.own else "AgentX"
        table.add_row(row.name, source, str(row.steps), about)
    screen.print(table)


def _draw_steps(screen: Console, found: Workflow) -> None:
    screen.print(f"{found.name}: {found.description}")
    for number, step in enumerate(found.steps, start=1):
        screen.print(f"\n{number}. {step.id}: {step.title}", style="bold")
        said = {
            "agent": step.agent,
            "needs": ", ".join(step.needs),
            "only if": step.condition + (" (optional)" if step.optional else ""),
            "writes": step.output,
            "at start": step.status_on_start,
            "then": step.status_on_complete,
            "repeats": f"up to {step.max_iterations} times" if step.iterate else "",
            "until": step.completion_criteria,
            "may ask": _asks(step),
        }
        for name, value in said.items():
            if value:
                screen.print(f"   {name:<9}{value}", soft_wrap=True)


def _asks(step: Step) -> str:
    if not step.can_clarify:
        return ""
    most = f"{step.clarify_max_rounds} rounds, " if step.clarify_max_rounds else ""
    waits = "may wait" if step.clarify_blocking_allowed else "never waits"
    asked = ", ".join(step.can_clarify)
    return f"{asked} ({most}{step.clarify_sla_minutes} min, {waits})"


def _draw_problems(screen: Console, problems: tuple[Problem, ...]) -> None:
    if not problems:
        screen.print("Every workflow is sound.")
    for problem in problems:
        screen.print(render.text(str(problem), style="red"), soft_wrap=True)
        screen.print(render.text(f"  mend: {problem.mend}"), soft_wrap=True)


def _draw_next(screen: Console, found: Position) -> None:
    screen.print(f"#{found.issue.number} {found.issue.status}, workflow {found.workflow.name}\n")
    for each in found.steps:
        waits = f"  (after {', '.join(each.waits_for)})" if each.waits_for else ""
        late = waits if each.stage is Stage.LATER else ""
        mark = _MARKS[each.stage]
        screen.print(
            f" {mark} {each.step.id:<16}{each.step.agent:<18}{each.step.title}{late}",
            style="bold" if each.stage is Stage.NEXT else "",
            soft_wrap=True,
        )
    if found.next:
        step = found.next[0].step
        screen.print(
            f"\nhint: agentx agent run {step.agent} --issue {found.issue.number}", style="dim"
        )
