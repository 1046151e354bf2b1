"""One turn: an agent is given a task in its lane, and what it leaves is committed and pushed.

turn-began   its process is noted, so that it is ended should the driver be killed
the agent    works in the lane's folder
commit       all that it left; pushed, where runs are
turn-ended   what it said, what it took, which commit holds it
checks       those of the task, or of the run
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.agents.driving.report import WorkReport, read_report
from agentx.agents.driving.wording import (
    ANSWERED,
    CUT_OFF,
    FAILED,
    NO_REPLY,
    say_conflict,
    say_work,
)
from agentx.agents.runners.port import Ask, Reference, Reply, Utterance, Wants
from agentx.kernel.errors import AgentUnavailable, AgentXError
from agentx.kernel.limits import RUN_TEXT_CHARS_MAX
from agentx.kernel.text import cut, preview
from agentx.operations.driving.asked import NewsOf
from agentx.operations.driving.desk import DriveDesk
from agentx.operations.driving.purse import Cost, price_reply
from agentx.operations.runs.context import run_context
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import run_checks
from agentx.redaction.redact import redact
from agentx.runs.driving.schedule import Move, WhyGiven
from agentx.runs.model import Report, Run, Task
from agentx.runs.parts.turns import TURN_MARK, AgentTurn, TurnEnd
from agentx.runs.rules.driving import TURN_BEGAN, TURN_ENDED
from agentx.wiring.bound.lane_turns import (
    bring_work,
    commit_left,
    lane_folder,
    push_branch,
    turn_notes,
)
from agentx.wiring.runners import role_texts, runner_in_lane

_CONTEXT_TOKENS = 12_000
_MINUTE_MS = 60_000
_NAME_CHARS = 60


def give_turn(desk: DriveDesk, move: Move) -> None:
    """Give a task to an agent, and check what it did where it says that it is done.

    Raises: AgentXError where the lane itself is in the way.
    """
    run = desk.run
    task = run.tasks[move.task]
    folder = lane_folder(desk.project, run, move.lane)
    marked: tuple[str, ...] = ()
    if move.why is WhyGiven.CONFLICT or _is_mending(move):
        marked = bring_work(desk.project, run, folder).files
    runner = _choose_runner(desk, run, task)
    detail = {"runner": runner, "role": desk.request.role, "why": str(move.why)}
    detail["driver"] = desk.drive.checkout
    began = desk.say(TURN_BEGAN, detail, task=task.id, lane=move.lane)
    number = sum(turn.task == task.id for turn in run.turns) + 1
    what = f"turn {number} ({move.why})" if number > 1 else "turn 1"
    desk.news(NewsOf.TURN, what, task=task.id, lane=move.lane, runner=runner)
    ask = _compose(desk, run, move, marked, began.id)
    try:
        reply = runner_in_lane(desk.project, runner, folder, model=desk.request.model).run(ask)
    except AgentUnavailable as error:
        why = f"{error.message}; {error.hint}" if error.hint else error.message
        _end_failed(desk, move, began.id, why, ask)
        return
    finally:
        turn_notes(desk.project, desk.run_id).end(move.lane, began.id)
    _end(desk, move, began.id, reply, price_reply(ask, reply))


def check_lane(desk: DriveDesk, move: Move) -> None:
    """Run the checks of a task in its lane, or those of the run where it has none of its own.

    Raises: AgentXError where there are none, or the lane is in the way.
    """
    run = desk.run
    task = run.tasks[move.task]
    own = [each for each in task.contract.checks if each not in task.doubted]
    named = () if own else tuple(each for each in run.checks if each not in run.doubted)
    listed = ", ".join(own or named)
    desk.news(NewsOf.CHECK, f"runs {listed}", task=task.id, lane=move.lane)
    by = Saying(run_id=desk.run_id, task=task.id, lane=move.lane)
    report = run_checks(desk.project, by, named).report
    failed = [each.name for each in report.checks if not each.passed]
    said = f"failed: {', '.join(failed)}" if failed else f"passed: {listed}"
    desk.news(NewsOf.CHECK, said, task=task.id, lane=move.lane)


def close_cut_turns(desk: DriveDesk) -> None:
    """End what a driver that was killed left at work, and keep what lies in its lanes."""
    notes = turn_notes(desk.project, desk.run_id)
    orphans = notes.end_orphans()
    for turn in desk.run.turns:
        if turn.end is not None:
            continue
        is_own = turn.driver in ("", desk.drive.checkout)
        commit = _keep_left(desk, turn) if is_own else ""
        where = "" if is_own else f" in {turn.driver}; what was not pushed there is there"
        text = f"the driver ended in the middle of it{where}"
        text += "; its agent was at work still and was ended" if turn.id in orphans else ""
        detail = {"turn": turn.id, "end": str(TurnEnd.CUT), "text": text, "commit": commit}
        found = {name: value for name, value in detail.items() if value}
        desk.say(TURN_ENDED, found, task=turn.task, lane=turn.lane)
        desk.news(NewsOf.TURN, text, task=turn.task, lane=turn.lane, runner=turn.runner)


def _keep_left(desk: DriveDesk, turn: AgentTurn) -> str:
    run = desk.run
    lane = run.lanes.get(turn.lane)
    if lane is None or not lane.open:
        return ""
    try:
        folder = lane_folder(desk.project, run, lane.id)
        left = commit_left(folder, f"{turn.task}: what a turn that was cut off left")
        _push(desk, turn.task, lane.id)
    except AgentXError as error:
        desk.news(NewsOf.LANE, error.message, task=turn.task, lane=turn.lane)
        return ""
    return left.commit


def _is_mending(move: Move) -> bool:
    """Tell whether the agent was putting two changes together when its turn ended."""
    return move.turn is not None and move.turn.why == WhyGiven.CONFLICT


def _choose_runner(desk: DriveDesk, run: Run, task: Task) -> str:
    """Return who works on a task: who did before, else the next in turn."""
    before = [turn.runner for turn in run.turns if turn.task == task.id]
    runners = desk.request.runners
    if before and before[-1] in runners:
        return before[-1]
    return runners[list(run.tasks).index(task.id) % len(runners)]


def _compose(desk: DriveDesk, run: Run, move: Move, marked: tuple[str, ...], turn: str) -> Ask:
    task = run.tasks[move.task]
    context = run_context(desk.project, desk.run_id, task.id, _CONTEXT_TOKENS)
    pieces = tuple(
        Reference(name=fitted.piece.source, text=fitted.piece.text) for fitted in context.pieces
    )
    checks = task.contract.checks or run.checks
    what, how = say_work(f"{task.id}: {task.contract.title}", task.contract.goal, checks)
    more, data, thread = _say_why(move, marked)
    notes = turn_notes(desk.project, desk.run_id)

    def hear(line: str) -> None:
        desk.news(NewsOf.SAID, line, task=task.id, lane=move.lane)

    return Ask(
        role=desk.request.role,
        instructions=role_texts(desk.project).text(desk.request.role),
        question=f"{what}\n\n{more}".strip(),
        artifacts=(*pieces, *data),
        thread=thread,
        wants=Wants.WORK,
        time_limit_ms=desk.request.bounds.turn_minutes * _MINUTE_MS,
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


def _say_why(
    move: Move, marked: tuple[str, ...]
) -> tuple[str, tuple[Reference, ...], tuple[Utterance, ...]]:
    """Return why the task is given once more, and what its agent has to see."""
    if marked:
        return say_conflict(marked), (), ()
    match move.why:
        case WhyGiven.CHECKS if move.report is not None:
            return FAILED, tuple(_show_failed(move.report)), ()
        case WhyGiven.ANSWERED if move.answered is not None:
            asked = Utterance(speaker="agent", kind="question", body=move.answered.question)
            said = Utterance(speaker="person", kind="answer", body=move.answered.resolution)
            return ANSWERED, (), (asked, said)
        case WhyGiven.GOES_ON:
            return CUT_OFF, (), ()
        case WhyGiven.AGAIN:
            return NO_REPLY, (), ()
        case _:
            return "", (), ()


def _show_failed(report: Report) -> Iterable[Reference]:
    for each in report.checks:
        if not each.passed:
            code = "" if each.exit_code is None else f" (exit {each.exit_code})"
            name = f"what `{preview(each.name, _NAME_CHARS)}` printed{code}"
            yield Reference(name=name, text=each.output or each.evidence)


def _end(desk: DriveDesk, move: Move, turn: str, reply: Reply, cost: Cost) -> None:
    run = desk.run
    number = sum(each.task == move.task for each in run.turns)
    task = run.tasks[move.task]
    text = redact(reply.text)
    report = read_report(text)
    folder = lane_folder(desk.project, run, move.lane)
    saying = f"{task.id}: {task.contract.title}\n\n{preview(report.summary, 600)}"
    left = commit_left(folder, saying)
    _push(desk, task.id, move.lane)
    end = TurnEnd.DONE if report.is_done else TurnEnd.ASKED
    said = text
    if left.marked:
        end, said = TurnEnd.FAILED, f"git's marks are left in {', '.join(left.marked)}"
    detail: dict[str, object] = {
        "turn": turn,
        "end": str(end),
        "text": cut(said, RUN_TEXT_CHARS_MAX),
        "asks": preview(report.question, 2_000) if end is TurnEnd.ASKED else "",
        "commit": left.commit,
        "session": reply.session_id,
        "model": reply.model,
    }
    kept = {name: value for name, value in detail.items() if value}
    kept |= cost.as_detail() | {"took_ms": reply.took_ms}
    desk.say(TURN_ENDED, kept, task=task.id, lane=move.lane)
    desk.news(
        NewsOf.TURN,
        _say_end(end, number, report, said),
        task=task.id,
        lane=move.lane,
        runner=reply.runner,
        tokens=cost.tokens,
        usd=cost.usd,
    )
    if end is TurnEnd.ASKED:
        desk.ask(report.question, task=task.id, lane=move.lane, options=report.options)


def _say_end(end: TurnEnd, number: int, report: WorkReport, said: str) -> str:
    match end:
        case TurnEnd.ASKED:
            return f"turn {number} ended with a question"
        case TurnEnd.FAILED:
            return f"turn {number} failed: {preview(said, 200)}"
        case _:
            return f"turn {number} done: {preview(report.summary, 200)}"


def _end_failed(desk: DriveDesk, move: Move, turn: str, why: str, ask: Ask) -> None:
    is_cut = desk.stop.is_set()
    end = TurnEnd.CUT if is_cut else TurnEnd.FAILED
    text = "the driver was stopped" if is_cut else why
    run = desk.run
    folder = lane_folder(desk.project, run, move.lane)
    left = commit_left(folder, f"{move.task}: what a turn without a reply left")
    _push(desk, move.task, move.lane)
    detail: dict[str, object] = {
        "turn": turn,
        "end": str(end),
        "text": cut(redact(text), RUN_TEXT_CHARS_MAX),
        "commit": left.commit,
    }
    kept = {name: value for name, value in detail.items() if value}
    kept |= price_reply(ask, None).as_detail()
    desk.say(TURN_ENDED, kept, task=move.task, lane=move.lane)
    desk.news(NewsOf.TURN, f"no reply: {preview(text, 200)}", task=move.task, lane=move.lane)


def _push(desk: DriveDesk, task: str, lane: str) -> None:
    """Push a lane, so that another machine can take it up; say so where that is not possible."""
    if desk.remote:
        desk.drive.require()  # who woke late pushes nothing
        branch = desk.run.lanes[lane].branch
        why = push_branch(desk.project, desk.remote, branch)
        if why:
            desk.news(NewsOf.PUSH, f"{branch} was not pushed: {why}", task=task, lane=lane)
