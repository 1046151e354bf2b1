"""One turn: an agent is given a task in its lane, and what it leaves is committed and pushed.

turn-began   its process is noted, so that it is ended should the driver be killed
the agent    works in the lane's folder
commit       all that it left; pushed, where runs are
turn-ended   what it said, what it took, which commit holds it
checks       those of the task, or of the run
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agentx.agents.driving.wording import (
    ANSWERED,
    CUT_OFF,
    FAILED,
    NO_REPLY,
    say_conflict,
    say_left,
    say_work,
)
from agentx.agents.runners.port import Ask, Reference, Wants
from agentx.kernel.errors import AgentUnavailable, AgentXError
from agentx.operations.driving.approving import require_approved
from agentx.operations.driving.asked import NewsOf
from agentx.operations.driving.desk import DriveDesk
from agentx.operations.driving.ends.reviews import is_review, show_said
from agentx.operations.driving.ends.whole import (
    find_told,
    is_mend,
    show_answer,
    show_failed,
    show_failed_whole,
)
from agentx.operations.driving.turn_ends import GivenTurn
from agentx.operations.runs.context import run_context
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import run_checks
from agentx.runs.context import Context
from agentx.runs.driving.schedule import Move, WhyGiven, list_task_answers
from agentx.runs.model import Run, Task
from agentx.runs.parts.turns import TURN_MARK
from agentx.runs.rendering import say_against
from agentx.runs.rules.driving import TURN_BEGAN
from agentx.wiring.bound.lane_turns import bring_work, is_merging, turn_notes
from agentx.wiring.runners import check_environment, role_texts, runner_in_lane

_CONTEXT_TOKENS = 12_000
_ANSWERS_MAX = 5  # as they were given; of older ones the context tells


def give_turn(desk: DriveDesk, move: Move, run: Run, folder: Path) -> None:
    """Give a task to an agent, and check what it did where it says that it is done.

    Raises: AgentXError where the lane itself is in the way.
    """
    task = run.tasks[move.task]
    marked: tuple[str, ...] = ()
    if move.why is WhyGiven.CONFLICT or is_merging(folder):
        marked = bring_work(desk.project, run, folder).files
    runner = _choose_runner(desk, run, task)
    context = _gather(desk, task)
    detail: dict[str, object] = {"runner": runner, "role": desk.request.role, "why": str(move.why)}
    detail["driver"] = desk.drive.checkout
    if isinstance(context, Context) and context.lessons:
        detail["lessons"] = list(context.lessons)
    began = desk.say(TURN_BEGAN, detail, task=task.id, lane=move.lane)
    number = sum(turn.task == task.id for turn in run.turns) + 1
    what = f"turn {number} ({move.why})" if number > 1 else "turn 1"
    desk.news(NewsOf.TURN, what, task=task.id, lane=move.lane, runner=runner)
    given = GivenTurn(desk, move, began.id)
    with given.ending():
        if isinstance(context, AgentXError):
            raise context  # the turn ends with it, and counts
        ask = _compose(given, run, marked, context)
        given.ask = replace(ask, spent=given.spend)
        try:
            agent = runner_in_lane(desk.project, runner, folder, model=desk.request.model)
            given.reply = agent.run(given.ask)
        except AgentUnavailable as error:
            why = f"{error.message}; {error.hint}" if error.hint else error.message
            given.end_failed(why)
        else:
            given.end()


def check_lane(desk: DriveDesk, move: Move) -> None:
    """Run the checks of a task in its lane, or those of the run where it has none of its own.

    Raises: AgentXError where there are none, or the lane is in the way.
    """
    run = desk.run
    task = run.tasks[move.task]
    own = [each for each in task.contract.checks if each not in task.doubted]
    named = () if own else tuple(each for each in run.checks if each not in run.doubted)
    require_approved(desk, run, task)
    listed = ", ".join(own or named)
    desk.news(NewsOf.CHECK, f"runs {listed}", task=task.id, lane=move.lane)
    by = Saying(run_id=desk.run_id, task=task.id, lane=move.lane)
    report = run_checks(desk.project, by, named, environment=check_environment(desk.project)).report
    failed = [each.name for each in report.checks if not each.passed]
    said = f"failed: {', '.join(failed)}" if failed else f"passed: {listed}"
    desk.news(NewsOf.CHECK, said, task=task.id, lane=move.lane)


def _choose_runner(desk: DriveDesk, run: Run, task: Task) -> str:
    """Return who works on a task: who did before, else the next in turn."""
    before = [turn.runner for turn in run.turns if turn.task == task.id]
    runners = desk.request.runners
    if is_review(task):  # who did that, or was at work last
        files = set(task.contract.files)
        did = [turn for turn in run.turns if turn.task in run.tasks and turn.task != task.id]
        own = [turn for turn in did if files & set(run.tasks[turn.task].contract.files)]
        before = before or [turn.runner for turn in own or did]
    if before and before[-1] in runners:
        return before[-1]
    return runners[list(run.tasks).index(task.id) % len(runners)]


def _gather(desk: DriveDesk, task: Task) -> Context | AgentXError:
    """Return what the agent is handed, or why it cannot be."""
    try:
        return run_context(desk.project, desk.run_id, task.id, _CONTEXT_TOKENS)
    except AgentXError as error:
        return error


def _compose(given: GivenTurn, run: Run, marked: tuple[str, ...], context: Context) -> Ask:
    desk, move, turn = given.desk, given.move, given.turn
    task = run.tasks[move.task]
    pieces = tuple(
        Reference(name=fitted.piece.source, text=fitted.piece.text) for fitted in context.pieces
    )
    checks = task.contract.checks or run.checks
    what, how = say_work(f"{task.id}: {task.contract.title}", task.contract.goal, checks)
    more, data = _say_why(move, marked)
    answers = list_task_answers(run, task.id)[-_ANSWERS_MAX:]  # each turn is a session of its own
    if is_mend(task):
        data = (*data, *show_failed_whole(run))
        answers += filter(None, (find_told(run),))
    data = (*data, *show_said(run, task)) if is_review(task) else data
    notes = turn_notes(desk.project, desk.run_id)

    def hear(line: str) -> None:
        desk.news(NewsOf.SAID, line, task=task.id, lane=move.lane)

    return Ask(
        role=desk.request.role,
        instructions=role_texts(desk.project).text(desk.request.role),
        question=f"{what}\n\n{more}".strip(),
        artifacts=(*pieces, *data),
        thread=tuple(each for asked in answers for each in show_answer(asked)),
        against="\n".join(filter(None, map(say_against, answers))),
        wants=Wants.WORK,
        time_limit_ms=desk.turn_ms,
        heard=hear,
        began=lambda pid: notes.note(move.lane, turn, pid),
        how_to_work=how,
        variables={
            "AGENTX_RUN": run.id,
            "AGENTX_LANE": move.lane,
            "AGENTX_TASK": task.id,
            TURN_MARK: turn,
        },
    )


def _say_why(move: Move, marked: tuple[str, ...]) -> tuple[str, tuple[Reference, ...]]:
    """Return why the task is given once more, and what its agent has to see."""
    if marked:
        return say_conflict(marked), ()
    match move.why:
        case WhyGiven.CHECKS if move.report is not None:
            return FAILED, tuple(show_failed(move.report))
        case why:
            plain = {
                WhyGiven.ANSWERED: ANSWERED,
                WhyGiven.LEFT: say_left(move.text),
                WhyGiven.GOES_ON: CUT_OFF,
                WhyGiven.AGAIN: NO_REPLY,
            }
            return plain.get(why, ""), ()
