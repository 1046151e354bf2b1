"""`agentx workflow`: which steps a kind of issue goes through, and which is next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.operations.issues.workflows import (
    WorkflowRow,
    check_workflows,
    list_workflows,
    next_steps,
    show_workflow,
)
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.work.model import Position, Problem, Stage, Step, Workflow, issue_number

if TYPE_CHECKING:
    from rich.console import Console

_MARKS = {Stage.DONE: "x", Stage.NEXT: ">", Stage.LATER: " ", Stage.SKIPPED: "-"}


@click.group(cls=VerbGroup)
def command() -> None:
    """Show the workflows, check them, and say what is next for an issue.

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
