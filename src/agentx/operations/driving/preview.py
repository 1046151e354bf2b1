"""What a driver would do, without doing it."""

from __future__ import annotations

from dataclasses import replace

from agentx.agents.loop.tools.commands import read_allowed
from agentx.kernel.values import frozen
from agentx.operations.driving.asked import DriveRequest
from agentx.operations.driving.beginning import list_in_the_way, name_runners
from agentx.project.project import Project
from agentx.project.settings import AgentsSettings
from agentx.runs.driving.schedule import Move, list_moves
from agentx.runs.model import Run, Task
from agentx.runs.rules.graph import waits_for
from agentx.wiring.bound.lane_turns import find_push_remote
from agentx.wiring.runs import open_runs


@frozen
class PlannedRow:
    """A task, and what would be done with it."""

    id: str
    title: str
    depends_on: tuple[str, ...]
    next: str
    runner: str = ""


@frozen
class DrivePlan:
    """What would be done."""

    title: str
    phase: str
    tasks: tuple[PlannedRow, ...]
    planner: str
    checks: tuple[str, ...]
    lanes: int
    setup: str
    commands: tuple[str, ...]  # that agents may run
    remote: str
    bounds: str
    in_the_way: tuple[str, ...]  # why it would be refused as things are


def plan_drive(project: Project, request: DriveRequest) -> DrivePlan:
    """Return what a driver would do.

    Raises: NotFound, InvalidValue.
    """
    run: Run | None = None
    if not request.title:
        runs = open_runs(project)
        run, _ = runs.run(runs.which.choose(request.run_id))
    settings = project.config.section(AgentsSettings)
    runners = name_runners(project, request)
    request = replace(request, runners=runners)
    bounds = request.bounds
    return DrivePlan(
        title=request.title if run is None else run.title,
        phase="a new run" if run is None else f"{run.phase}, {run.status}",
        tasks=_list_rows(project, request, run, runners),
        planner=request.planner or (runners[0] if runners else "nobody (--runner)"),
        checks=request.checks or (() if run is None else run.checks),
        lanes=bounds.lanes,
        setup=request.setup,
        commands=tuple(" ".join(words) for words in read_allowed(settings.commands)),
        remote=find_push_remote(project),
        bounds=f"{request.policy.turns_max} turns a task, {bounds.minutes} minutes, "
        f"{bounds.tokens:,} tokens, {bounds.usd:.2f} dollars",
        in_the_way=list_in_the_way(project, request, run),
    )


def _list_rows(
    project: Project, request: DriveRequest, run: Run | None, runners: tuple[str, ...]
) -> tuple[PlannedRow, ...]:
    if run is None or not run.tasks:
        return tuple(
            PlannedRow(
                id=task.id,
                title=task.title,
                depends_on=task.depends_on,
                next="waits" if task.depends_on else "a lane is opened",
                runner=runners[number % len(runners)] if runners else "",
            )
            for number, task in enumerate(request.plan)
        )
    own = open_runs(project).own.known
    moves = {move.task: move for move in list_moves(run, request.policy, own)}
    return tuple(
        PlannedRow(
            id=task.id,
            title=task.contract.title,
            depends_on=task.contract.depends_on,
            next=_say_next(run, task, moves.get(task.id)),
        )
        for task in run.tasks.values()
    )


def _say_next(run: Run, task: Task, move: Move | None) -> str:
    if task.over:
        return str(task.status)
    if move is None:
        return f"waits for {', '.join(waits_for(run, task))}"
    words = {
        "open": "a lane is opened",
        "give": f"its agent goes on ({move.why})",
        "check": "its checks are run",
        "merge": "its lane is merged",
        "ask": f"a person is asked: {move.text}",
        "wait": f"waits for an answer to {move.text}",
        "take": f"{move.lane} is taken over",
        "leave": move.text,
    }
    return words[str(move.act)]
