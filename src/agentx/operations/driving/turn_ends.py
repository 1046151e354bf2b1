"""How a turn ends: what its agent left is committed and pushed, what it said and took is recorded.

Every turn that began ends, whatever comes in between: one without an end would be given again and
again, and what it took would count for nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from agentx.agents.driving.report import WorkReport, read_report
from agentx.agents.runners.port import Ask, Reply
from agentx.kernel.errors import AgentXError
from agentx.kernel.limits import RUN_TEXT_CHARS_MAX
from agentx.kernel.text import cut, name_some, preview, printable
from agentx.llm.port import Usage
from agentx.operations.driving.asked import NewsOf
from agentx.operations.driving.desk import DriveDesk
from agentx.operations.driving.purse import Cost, estimate_cut, price_reply
from agentx.redaction.redact import redact
from agentx.runs.driving.schedule import Move
from agentx.runs.model import Run
from agentx.runs.parts.turns import AgentTurn, TurnEnd
from agentx.runs.rules.driving import TURN_ENDED
from agentx.wiring.bound.drives import DriveLost
from agentx.wiring.bound.lane_turns import (
    commit_left,
    find_holders,
    lane_folder,
    mend_lane,
    put_back,
    turn_notes,
)

_SUMMARY_CHARS = 600
_NEWS_CHARS = 200
_ASKS_CHARS = 2_000
_WHY_TOLD = " now holds what was committed in this lane, which was not checked: look at it there"
_WHY_PUT_BACK = "; an agent CLI goes by it where it is started, so a person changes that"


class GivenTurn:
    """A turn that an agent has, until it ends."""

    def __init__(self, desk: DriveDesk, move: Move, turn: str) -> None:
        self.desk = desk
        self.move = move
        self.turn = turn
        self.ask: Ask | None = None
        self.reply: Reply | None = None
        self._spent: tuple[Usage, str] | None = None  # without a reply

    def spend(self, usage: Usage, model: str) -> None:
        """Note what was used up for no reply."""
        self._spent = usage, model

    @property
    def cost(self) -> Cost:
        """What it took."""
        return price_reply(self.ask, self.reply, self._spent)

    @contextmanager
    def ending(self) -> Iterator[None]:
        """See that nothing of the turn goes on, and that it is over."""
        try:
            try:
                yield
            finally:
                turn_notes(self.desk.project, self.desk.run_id).end(self.move.lane, self.turn)
        finally:
            error = sys.exception()
            if error is not None:
                with suppress(AgentXError, OSError):
                    self._break_off(error)

    def end(self) -> None:
        """Take in what an agent left and said.

        Raises: AgentXError where the lane is in the way.
        """
        desk, move, reply = self.desk, self.move, self.reply
        assert reply is not None, "it replied"
        run = desk.run
        task = run.tasks[move.task]
        text = redact(printable(reply.text))
        report = read_report(text)
        saying = f"{task.id}: {task.contract.title}\n\n{preview(report.summary, _SUMMARY_CHARS)}"
        commit, marked = keep_left(desk, run, task.id, move.lane, saying)
        end = TurnEnd.DONE if report.is_done else TurnEnd.ASKED
        said = text
        if marked:
            end, said = TurnEnd.FAILED, f"git's marks are left in {', '.join(marked)}"
        self._record(
            end,
            said,
            asks=cut(report.question, _ASKS_CHARS) if end is TurnEnd.ASKED else "",
            commit=commit,
            session=printable(reply.session_id),
            model=printable(reply.model),
        )
        number = sum(each.task == move.task for each in run.turns)
        cost, is_same = self.cost, commit == run.lanes[move.lane].start_commit
        unchanged = "; nothing is changed in its lane" if is_same and end is TurnEnd.DONE else ""
        desk.news(
            NewsOf.TURN,
            _say_end(end, number, report, said) + unchanged,
            task=task.id,
            lane=move.lane,
            runner=reply.runner,
            tokens=cost.tokens,
            usd=cost.usd,
        )
        if end is TurnEnd.ASKED:
            desk.ask(report.question, task=task.id, lane=move.lane, options=report.options)

    def end_failed(self, why: str) -> None:
        """Take in what an agent left that gave no reply.

        Raises: AgentXError where the lane is in the way.
        """
        desk, move = self.desk, self.move
        saying = f"{move.task}: what a turn without a reply left"
        commit, _ = keep_left(desk, desk.run, move.task, move.lane, saying)
        is_cut = desk.stop.is_set() or desk.is_late
        text = why
        if is_cut:
            text = "the driver was stopped" if desk.stop.is_set() else "the sitting was over"
        self._record(TurnEnd.CUT if is_cut else TurnEnd.FAILED, redact(text), commit=commit)
        cost = self.cost
        desk.news(
            NewsOf.TURN,
            f"no reply: {preview(text, _NEWS_CHARS)}",
            task=move.task,
            lane=move.lane,
            tokens=cost.tokens,
            usd=cost.usd,
        )

    def _break_off(self, error: BaseException) -> None:
        """Record that a turn ended which something came in the way of."""
        desk = self.desk
        found = next((turn for turn in desk.run.turns if turn.id == self.turn), None)
        if found is None or found.end is not None:
            return
        is_cut = desk.stop.is_set() or isinstance(error, DriveLost)
        said = error.message if isinstance(error, AgentXError) else f"{type(error).__name__}: "
        said += "" if isinstance(error, AgentXError) else str(error)
        self._record(TurnEnd.CUT if is_cut else TurnEnd.FAILED, redact(printable(said)))

    def _record(self, end: TurnEnd, text: str, **more: str) -> None:
        detail: dict[str, object] = {"turn": self.turn, "end": str(end)}
        detail |= {"text": cut(text, RUN_TEXT_CHARS_MAX), **more}
        kept = {name: value for name, value in detail.items() if value}
        kept |= self.cost.as_detail()
        kept |= {} if self.reply is None else {"took_ms": self.reply.took_ms}
        self.desk.say(TURN_ENDED, kept, task=self.move.task, lane=self.move.lane)


def keep_left(
    desk: DriveDesk, run: Run, task: str, lane: str, saying: str
) -> tuple[str, tuple[str, ...]]:
    """Commit and push what lies in a lane where an agent was at work; return the commit, and which
    files hold git's marks still.

    Raises: AgentXError where the lane is in the way.
    """
    for remark in mend_lane(desk.project, run, lane):
        desk.news(NewsOf.LANE, remark, task=task, lane=lane)
    folder = lane_folder(desk.project, run, lane)
    held = find_holders(run, lane, folder)
    back = put_back(desk.project, run, lane, folder)
    for names, before, after in ((held, "", _WHY_TOLD), (back, "put back: ", _WHY_PUT_BACK)):
        if names:
            text = printable(f"{before}{name_some(names)}{after}")
            desk.say("note", {"text": text}, task=task, lane=lane)
            desk.news(NewsOf.LANE, text, task=task, lane=lane)
    left = commit_left(folder, saying)
    desk.push(run.lanes[lane].branch, task=task, lane=lane)
    return left.commit, left.marked


def close_cut_turns(desk: DriveDesk) -> None:
    """End what a driver that was killed left at work, and keep what lies in its lanes."""
    notes = turn_notes(desk.project, desk.run_id)
    orphans = notes.end_orphans()
    for turn in desk.run.turns:
        if turn.end is not None:
            continue
        is_own = turn.driver in ("", desk.drive.checkout)
        commit = _keep_cut(desk, turn) if is_own else ""
        where = "" if is_own else f" in {turn.driver}; what was not pushed there is there"
        text = f"the driver ended in the middle of it{where}"
        text += "; its agent was at work still and was ended" if turn.id in orphans else ""
        detail = {"turn": turn.id, "end": str(TurnEnd.CUT), "text": text, "commit": commit}
        found: dict[str, object] = {name: value for name, value in detail.items() if value}
        found |= estimate_cut(desk.run, turn.runner).as_detail()
        desk.say(TURN_ENDED, found, task=turn.task, lane=turn.lane)
        desk.news(NewsOf.TURN, text, task=turn.task, lane=turn.lane, runner=turn.runner)


def _keep_cut(desk: DriveDesk, turn: AgentTurn) -> str:
    run = desk.run
    lane = run.lanes.get(turn.lane)
    if lane is None or not lane.open:
        return ""
    try:
        saying = f"{turn.task}: what a turn that was cut off left"
        return keep_left(desk, run, turn.task, lane.id, saying)[0]
    except DriveLost:
        raise
    except (AgentXError, OSError) as error:
        why = error.message if isinstance(error, AgentXError) else str(error)
        desk.news(NewsOf.LANE, why, task=turn.task, lane=turn.lane)
        return ""


def _say_end(end: TurnEnd, number: int, report: WorkReport, said: str) -> str:
    match end:
        case TurnEnd.ASKED:
            return f"turn {number} ended with a question"
        case TurnEnd.FAILED:
            return f"turn {number} failed: {preview(said, _NEWS_CHARS)}"
        case _:
            return f"turn {number} done: {preview(report.summary, _NEWS_CHARS)}"
