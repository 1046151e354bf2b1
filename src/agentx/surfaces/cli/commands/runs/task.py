"""`agentx run task`: what there is to do, and how it goes."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click

from agentx.kernel.errors import InvalidValue
from agentx.operations.runs.claiming import release_task, take_task
from agentx.operations.runs.read import show_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import add_task, contract_from, revise_task, task_step
from agentx.project.roles.caller import find_caller
from agentx.runs.model import Contract
from agentx.surfaces.cli.commands.runs.options import by_actor, of_run, tell
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.surfaces.cli.options import as_person as as_person_option

_DRAWN_MAX = 200


@click.group(cls=VerbGroup)
def task() -> None:
    """Add, list and move the tasks of a run."""


def _contract_options(command: Any) -> Any:
    for option in reversed(
        (
            click.option("--goal", default="", help="What is true when it is done."),
            click.option("--scope", default="", help="What belongs to it, and what does not."),
            click.option("--file", "files", multiple=True, help="A file it is about, or a glob."),
            click.option("--accept", "acceptance", multiple=True, help="What must hold."),
            click.option("--after", "depends_on", multiple=True, help="A task it waits for."),
            click.option("--check", "checks", multiple=True, help="A command that must pass."),
            click.option("--contract", type=click.Path(), help="A file of YAML or Markdown."),
        )
    ):
        command = option(command)
    return command


@task.command("add")
@click.argument("title", required=False, default="")
@click.option("--task", "task_id", default="", help="Its name; without one the next TASK-number.")
@_contract_options
@by_actor
@click.pass_obj
def add(
    invocation: Invocation,
    /,
    title: str,
    task_id: str,
    contract: str | None,
    run_id: str,
    actor: str,
    **fields: Any,
) -> None:
    """Add a task with its contract."""
    by = Saying(run_id=run_id, actor=actor, task=task_id)
    if contract:
        agreed = contract_from(invocation.project, Path(contract))
    elif title:
        agreed = Contract(title=title, **fields)
    else:
        raise InvalidValue("a task needs a title", hint="or a file with --contract")
    told = add_task(invocation.project, by, agreed)
    tell(invocation, told, task_id=told.added[0].task)


@task.command("revise")
@click.argument("task_id", metavar="TASK")
@click.option("--title", default="")
@click.option("--no-checks", is_flag=True, help="It need not pass the commands any more.")
@_contract_options
@by_actor
@click.pass_obj
def revise(
    invocation: Invocation,
    /,
    task_id: str,
    contract: str | None,
    no_checks: bool,
    run_id: str,
    actor: str,
    **fields: Any,
) -> None:
    """Make a new version of a contract; what is not given stays."""
    given = {name: value for name, value in fields.items() if value}
    if no_checks:
        given["checks"] = ()
    if contract:
        agreed = contract_from(invocation.project, Path(contract))
        given = {part.name: getattr(agreed, part.name) for part in dataclasses.fields(Contract)}
    changes = {
        name: list(each) if isinstance(each, tuple) else each for name, each in given.items()
    }
    by = Saying(run_id=run_id, actor=actor, task=task_id)
    told = revise_task(invocation.project, by, changes)
    tell(invocation, told, task_id=task_id, version=told.run.tasks[task_id].version)


@task.command("list")
@of_run
@click.pass_obj
def list_all(invocation: Invocation, run_id: str) -> None:
    """Show the tasks: what is done, what is ready, what waits for what."""
    found = show_run(invocation.project, run_id)

    def draw(screen: Any) -> None:
        from agentx.surfaces.cli.commands.runs.draw import draw_tasks

        if found.tasks:
            draw_tasks(screen, found.tasks)
        else:
            screen.print('No tasks yet: `agentx run task add "TITLE"`')

    data = {"run_id": found.run_id, "tasks": found.tasks}
    if len(found.tasks) > _DRAWN_MAX:
        from agentx.surfaces.cli.commands.runs.draw import write_tasks

        invocation.write(data, write_tasks(found.tasks))
        return
    invocation.show(data, draw)


@task.command("start")
@click.argument("task_id", metavar="TASK", required=False, default="")
@by_actor
@click.pass_obj
def start(invocation: Invocation, task_id: str, run_id: str, actor: str) -> None:
    """Begin a task, or begin it again; in the folder of its lane it need not be named."""
    _step(invocation, "task-started", run_id, actor, task_id)


@task.command("take")
@click.argument("task_id", metavar="TASK", required=False, default="")
@as_person_option
@by_actor
@click.pass_obj
def take(invocation: Invocation, task_id: str, as_person: bool, run_id: str, actor: str) -> None:
    """Hold a task: nobody else begins it. From somebody who holds it only a person takes it."""
    by = Saying(run_id=run_id, actor=actor, task=task_id)
    caller = find_caller(invocation.project, as_person=as_person)
    told = take_task(invocation.project, by, caller)
    tell(invocation, told, task_id=told.added[0].task)


@task.command("release")
@click.argument("task_id", metavar="TASK", required=False, default="")
@click.argument("reason", required=False, default="")
@by_actor
@click.pass_obj
def release(invocation: Invocation, task_id: str, reason: str, run_id: str, actor: str) -> None:
    """Hold a task no more: anybody may begin it."""
    by = Saying(run_id=run_id, actor=actor, task=task_id)
    told = release_task(invocation.project, by, reason)
    tell(invocation, told, task_id=told.added[0].task)


@task.command("log")
@click.argument("task_id", metavar="TASK")
@click.argument("text")
@by_actor
@click.pass_obj
def log(invocation: Invocation, task_id: str, text: str, run_id: str, actor: str) -> None:
    """Add to a task's work log."""
    _step(invocation, "task-progressed", run_id, actor, task_id, text=text)


@task.command("done")
@click.argument("task_id", metavar="TASK", required=False, default="")
@click.argument("text", required=False, default="")
@by_actor
@click.pass_obj
def finish(invocation: Invocation, task_id: str, text: str, run_id: str, actor: str) -> None:
    """Say that a task is done, and in a word how; in its lane's folder it need not be named."""
    _step(invocation, "task-completed", run_id, actor, task_id, text=text)


def _ending(name: str, kind: str, about: str) -> None:
    @task.command(name, help=about)
    @click.argument("task_id", metavar="TASK")
    @click.argument("reason")
    @by_actor
    @click.pass_obj
    def end(invocation: Invocation, task_id: str, reason: str, run_id: str, actor: str) -> None:
        _step(invocation, kind, run_id, actor, task_id, reason=reason)


_ending("fail", "task-failed", "Say that a task was tried and did not work, and why.")
_ending("drop", "task-dropped", "Say that a task is not needed any more, and why.")
_ending("block", "task-blocked", "Say that a task cannot go on, and why.")
_ending("reopen", "task-reopened", "Say that a task is not done after all, and why.")


@task.command("retry")
@click.argument("task_id", metavar="TASK")
@click.option("--reason", default="", help="Why, where that is not plain.")
@by_actor
@click.pass_obj
def retry(invocation: Invocation, task_id: str, reason: str, run_id: str, actor: str) -> None:
    """Begin a task again that was done, dropped or failed."""
    _step(invocation, "task-retried", run_id, actor, task_id, reason=reason)


def _step(
    invocation: Invocation, kind: str, run_id: str, actor: str, task_id: str, **detail: str
) -> None:
    given = {name: value for name, value in detail.items() if value}
    by = Saying(run_id=run_id, actor=actor, task=task_id)
    told = task_step(invocation.project, by, kind, given)
    moved = next((event.task for event in told.added), task_id)
    tell(invocation, told, task_id=moved)
