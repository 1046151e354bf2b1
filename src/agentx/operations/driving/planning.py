"""Where the tasks of a driven run come from: a person's file, or an agent that is asked to plan.

What was planned is written down whole before the first task is added, with the names the tasks will
have: whoever takes the run up in between adds those that lack.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from agentx.agents.driving.plan import PlannedTask, read_plan, read_plan_text
from agentx.agents.driving.wording import HOW_TO_PLAN, say_plan, say_plan_wrong
from agentx.agents.runners.port import Ask, Reference, Wants
from agentx.host.documents.document import Fault
from agentx.host.documents.yaml_file import YAML
from agentx.kernel.errors import AgentUnavailable, InvalidValue
from agentx.kernel.ids import shorten_run
from agentx.kernel.limits import RUN_TEXT_CHARS_MAX
from agentx.kernel.text import cut
from agentx.operations.driving.approving import approve, leave_out
from agentx.operations.driving.asked import NewsOf
from agentx.operations.driving.desk import DriveDesk
from agentx.operations.driving.purse import Cost, price_reply
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import add_tasks, read_given, write_artifact
from agentx.project.project import Project
from agentx.redaction.redact import redact
from agentx.runs.context import Area, Piece
from agentx.runs.model import Contract, Run
from agentx.runs.parts.turns import TURN_MARK, TurnEnd
from agentx.runs.rules.driving import TURN_BEGAN, TURN_ENDED
from agentx.wiring.bound.lane_turns import turn_notes
from agentx.wiring.runners import role_texts, runner_in_lane
from agentx.wiring.taught.sources import context_sources

PLAN = "plan.json"
_PLANNER = "architect"
_TRIES = 2
_PIECES_MAX = 20


def read_plan_file(project: Project, file: Path) -> tuple[PlannedTask, ...]:
    """Read a plan that a person wrote, as YAML or JSON.

    Raises: NotFound, InvalidValue naming what is wrong.
    """
    raw = read_given(project, file)
    value: object = None
    with suppress(ValueError, RecursionError):
        value = json.loads(raw)  # not all JSON is YAML
    if value is None:
        value = YAML.parse(raw)
    if isinstance(value, Fault):
        raise InvalidValue(
            f"{file}:{value.line}: {value.reason}", hint="write it as YAML or JSON: tasks: [...]"
        )
    try:
        return read_plan(value)
    except InvalidValue as error:
        raise InvalidValue(f"{file}: {error.message}", hint=error.hint) from None


def make_plan(desk: DriveDesk) -> str:
    """See that the run has tasks; return why it has none, where nobody could plan.

    Raises: InvalidValue.
    """
    run = desk.run
    known = run.artifacts.get(PLAN)
    if desk.request.plan:
        _refuse_second(desk, run)
    if known is None and run.tasks:
        return ""
    if known is None:
        approve(desk, (check for task in desk.request.plan for check in task.checks))
        planned = desk.request.plan or _approve(desk, run, _ask_planner(desk, run))
        if not planned:
            return "nobody could plan it: name the tasks in a file (--plan FILE)"
        _write_down(desk, run, planned)
    _add(desk)
    return ""


def _refuse_second(desk: DriveDesk, run: Run) -> None:
    """See that a plan is not given to a run that has another.

    Raises: InvalidValue.
    """
    known = [task.contract.title for task in run.tasks.values()]
    if known and not {task.title for task in desk.request.plan} <= set(known):
        raise InvalidValue(
            f"{shorten_run(run.id)} has tasks already: the plan would not be looked at",
            hint="leave --plan out, or begin another run; `agentx run task add` adds a task",
        )


def _write_down(desk: DriveDesk, run: Run, planned: Sequence[PlannedTask]) -> None:
    first = len(run.tasks) + 1
    names = {task.id: f"TASK-{number:03}" for number, task in enumerate(planned, start=first)}
    tasks = [
        {
            **asdict(task),
            "id": names[task.id],
            "depends_on": [names[each] for each in task.depends_on],
        }
        for task in planned
    ]
    text = json.dumps({"tasks": tasks}, indent=2, ensure_ascii=False)
    write_artifact(desk.project, Saying(run_id=desk.run_id), PLAN, f"{text}\n")


def _add(desk: DriveDesk) -> None:
    run = desk.run
    planned = read_plan(json.loads(run.artifacts[PLAN].text))
    lacking = [task for task in planned if task.id not in run.tasks]
    if not lacking:
        return
    contracts = ((task.id, _make_contract(task)) for task in lacking)
    add_tasks(desk.project, Saying(run_id=desk.run_id), contracts)
    for task in lacking:
        waits = f" (after {', '.join(task.depends_on)})" if task.depends_on else ""
        desk.news(NewsOf.PLAN, f"{task.title}{waits}", task=task.id)


def _make_contract(task: PlannedTask) -> Contract:
    return Contract(
        title=task.title,
        goal=task.goal,
        scope=task.scope,
        files=task.files,
        acceptance=task.acceptance,
        depends_on=task.depends_on,
        checks=task.checks,
    )


def _approve(
    desk: DriveDesk, run: Run, planned: tuple[PlannedTask, ...]
) -> tuple[PlannedTask, ...]:
    """Leave out the checks of a plan that no person approves: they are commands."""
    known = frozenset((*run.checks, *desk.request.checks))
    proposed = dict.fromkeys(each for task in planned for each in task.checks if each not in known)
    asked = tuple(proposed)
    if not asked or desk.request.approve(asked):
        approve(desk, asked)
        return planned
    leave_out(desk, asked)
    return tuple(
        replace(task, checks=tuple(each for each in task.checks if each in known))
        for task in planned
    )


def _ask_planner(desk: DriveDesk, run: Run) -> tuple[PlannedTask, ...]:
    """Let an agent plan; one that cannot be read goes back once. Nothing where it gave none."""
    request = desk.request
    name = request.planner or request.runners[0]
    question = say_plan(run.title, run.description, run.checks)
    pieces = _gather(desk)
    for _ in range(_TRIES):
        detail: dict[str, object] = {"runner": name, "role": _PLANNER, "why": "plan"}
        detail["driver"] = desk.drive.checkout
        lessons = [piece.lesson for piece in pieces if piece.lesson]
        detail |= {"lessons": lessons} if lessons else {}
        began = desk.say(TURN_BEGAN, detail).id
        desk.news(NewsOf.PLAN, "plans the work", runner=name)
        ask = _compose(desk, question, began, pieces)
        try:
            runner = runner_in_lane(desk.project, name, desk.project.root, model=request.model)
            reply = runner.run(ask)
        except AgentUnavailable as error:
            why = f"{error.message}; {error.hint}" if error.hint else error.message
            _say_ended(desk, began, TurnEnd.FAILED, why, price_reply(ask, None))
            desk.news(NewsOf.PLAN, f"no plan: {why}", runner=name)
            continue
        finally:
            turn_notes(desk.project, desk.run_id).end("", began)
        try:
            planned = read_plan_text(reply.text)
        except InvalidValue as error:
            _say_ended(desk, began, TurnEnd.FAILED, error.message, price_reply(ask, reply))
            desk.news(NewsOf.PLAN, f"the plan is sent back: {error.message}", runner=name)
            question = f"{say_plan(run.title, run.description, run.checks)}\n\n"
            question += say_plan_wrong(error.message)
            continue
        _say_ended(desk, began, TurnEnd.DONE, reply.text, price_reply(ask, reply))
        return planned
    return ()


def _gather(desk: DriveDesk) -> tuple[Piece, ...]:
    """Return what earlier runs and sessions know of the work."""
    run = desk.run
    words = f"{run.title} {run.description}"
    area = Area(run_id=run.id, task="", title=run.title, words=words, files=(), checks=run.checks)
    found = (piece for source in context_sources(desk.project) for piece in source.pieces(area))
    return tuple(found)[:_PIECES_MAX]


def _compose(desk: DriveDesk, question: str, turn: str, pieces: tuple[Piece, ...]) -> Ask:
    notes = turn_notes(desk.project, desk.run_id)

    def hear(line: str) -> None:
        desk.news(NewsOf.SAID, line)

    return Ask(
        role=_PLANNER,
        instructions=role_texts(desk.project).text(_PLANNER),
        question=question,
        artifacts=tuple(Reference(name=piece.source, text=piece.text) for piece in pieces),
        wants=Wants.ANSWER,  # it looks, and changes nothing
        time_limit_ms=desk.turn_ms,
        heard=hear,
        began=lambda pid: notes.note("", turn, pid),
        how_to_work=HOW_TO_PLAN,
        variables={"AGENTX_RUN": desk.run_id, TURN_MARK: turn},
    )


def _say_ended(desk: DriveDesk, turn: str, end: TurnEnd, text: str, cost: Cost) -> None:
    detail: dict[str, object] = {"turn": turn, "end": str(end)}
    detail |= {"text": cut(redact(text), RUN_TEXT_CHARS_MAX)} if text else {}
    detail |= cost.as_detail()
    desk.say(TURN_ENDED, detail)
