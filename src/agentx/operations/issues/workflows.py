"""Workflows: which there are, what is in one, whether they are sound, what is next."""

from __future__ import annotations

from agentx.kernel.errors import InvalidValue
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.wiring.work import open_workflows, position
from agentx.work.model import Position, Problem, Workflow


@frozen
class WorkflowRow:
    """One workflow in a list."""

    name: str
    own: bool
    steps: int
    description: str
    problem: str = ""


def list_workflows(project: Project) -> tuple[WorkflowRow, ...]:
    """Return every workflow; a broken one says what is wrong with it."""
    files = open_workflows(project)
    own = files.own_names()
    rows = []
    for name in files.names():
        try:
            found = files.get(name)
            row = WorkflowRow(
                name=name, own=name in own, steps=len(found.steps), description=found.description
            )
        except InvalidValue as error:
            row = WorkflowRow(
                name=name, own=name in own, steps=0, description="", problem=error.message
            )
        rows.append(row)
    return tuple(rows)


def show_workflow(project: Project, name: str) -> Workflow:
    """Return one workflow.

    Raises: NotFound, InvalidValue naming file, line and field.
    """
    return open_workflows(project).get(name)


def check_workflows(project: Project, names: tuple[str, ...] = ()) -> tuple[Problem, ...]:
    """Return everything that is wrong in some workflows, or in all.

    Raises: NotFound.
    """
    files = open_workflows(project)
    problems: list[Problem] = []
    for name in names or files.names():
        found = files.read(name)
        problems.extend(() if isinstance(found, Workflow) else found)
    return tuple(problems)


def next_steps(project: Project, number: int) -> Position:
    """Say where an issue stands in its workflow, and what is next.

    Raises: NotFound, InvalidValue.
    """
    return position(project, number)
