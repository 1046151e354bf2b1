"""What is to be done next with each task of a run that is driven.

    ready               a lane is opened for it
    no turn yet         its agent is given the task
    a turn that is cut  the agent goes on with what lies there
    no reply            once more, then a person is asked
    asks                a person, or a role, is asked; with the answer it goes on
    done                its checks are run; what fails goes back to the agent with what it printed,
                        as often as the policy allows, then a person is asked
    checked             the lane is merged; a conflict goes back to the agent, then to a person

Everything is read from the events, so whoever takes the run up goes on where it stopped. Nothing is
merged whose checks did not pass after the agent's last turn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from enum import StrEnum

from agentx.kernel.values import frozen
from agentx.runs.asked import Escalation
from agentx.runs.model import ORCHESTRATOR, Conflict, Lane, Report, Run, Task, TaskStatus
from agentx.runs.parts.turns import AgentTurn, TurnEnd
from agentx.runs.rules.graph import waits_for


class NextAct(StrEnum):
    """What is to be done."""

    OPEN = "open"  # a lane
    GIVE = "give"  # the task to an agent
    CHECK = "check"
    MERGE = "merge"
    ASK = "ask"  # a person
    WAIT = "wait"  # for an answer
    TAKE = "take"  # a lane that another checkout has
    LEAVE = "leave"  # to whoever works on it by hand


class WhyGiven(StrEnum):
    """Why an agent is given a task."""

    FIRST = "first"
    AGAIN = "again"  # there was no reply
    GOES_ON = "goes on"  # it was cut off
    ANSWERED = "answered"
    CHECKS = "checks failed"
    CONFLICT = "conflict"
    LEFT = "left lying"  # by its checks, or by hand: nothing of it is committed


@frozen
class GivingPolicy:
    """How often something goes back to an agent before a person is asked."""

    turns_max: int = 4  # of a task, since a person last answered
    failures_max: int = 2  # in a row without a reply


@frozen
class Move:
    """One thing to do for a task."""

    act: NextAct
    task: str
    lane: str = ""
    why: WhyGiven = WhyGiven.FIRST
    turn: AgentTurn | None = None  # the last one
    report: Report | None = None  # the checks that failed
    conflict: Conflict | None = None
    text: str = ""  # what a person is asked, or waits for; what was left lying


def list_moves(
    run: Run, policy: GivingPolicy, checkout: str, busy: Collection[str] = ()
) -> tuple[Move, ...]:
    """Return what is to be done for each task that is not over and not being worked on."""
    open_tasks = (task for task in run.tasks.values() if not task.over and task.id not in busy)
    return tuple(move for task in open_tasks for move in _list_for(run, task, policy, checkout))


def give_left(run: Run, move: Move, policy: GivingPolicy, names: str) -> Move:
    """Return that an agent sees to what its checks left lying, or that a person is asked."""
    task = run.tasks[move.task]
    giving = _start_giving(run, task, run.lanes[move.lane], policy)
    found = giving.give(WhyGiven.LEFT, left=names)
    return replace(found, text=names) if found.act is NextAct.GIVE else found


def _list_for(run: Run, task: Task, policy: GivingPolicy, checkout: str) -> Iterator[Move]:
    lane = run.lanes.get(task.lane)
    lane = lane if lane is not None and lane.open and lane.task == task.id else None
    waits = find_open_ask(run, task.id)
    if waits is not None:
        yield Move(act=NextAct.WAIT, task=task.id, text=waits.id)
    elif task.status is TaskStatus.FAILED:
        yield Move(act=NextAct.LEAVE, task=task.id, text=f"{task.id} failed: {task.reason}")
    elif lane is None:
        if not waits_for(run, task):
            is_free = task.status is TaskStatus.PENDING
            by_hand = f"{task.id} is {task.status} without a lane"
            act = NextAct.OPEN if is_free else NextAct.LEAVE
            yield Move(act=act, task=task.id, text="" if is_free else by_hand)
    elif lane.checkout not in ("", checkout) or _has_other_driver(task, checkout):
        yield Move(act=NextAct.TAKE, task=task.id, lane=lane.id)
    else:
        yield _find_move(run, task, lane, policy)


def _has_other_driver(task: Task, checkout: str) -> bool:
    """Tell whether a driver elsewhere holds a task still: it was ended as it took the lane over."""
    claim = task.settled.claim
    if claim is None or claim.checkout == checkout:
        return False
    return claim.holder == ORCHESTRATOR


def _find_move(run: Run, task: Task, lane: Lane, policy: GivingPolicy) -> Move:
    giving = _start_giving(run, task, lane, policy)
    last, answered = giving.last, _find_answered(run, task.id)
    if last is None or last.lane != lane.id:
        return giving.give(WhyGiven.FIRST)
    if answered is not None and last.began_ms <= (answered.resolved_ms or 0):
        return giving.give(WhyGiven.ANSWERED)
    match last.end:
        case None | TurnEnd.CUT:
            return giving.give(WhyGiven.GOES_ON)
        case TurnEnd.FAILED:
            return giving.give(WhyGiven.AGAIN)
        case TurnEnd.ASKED:
            return giving.ask(last.asks or "what is to be done?")
        case TurnEnd.DONE:
            return _find_move_of_done(run, task, lane, giving, last)


def _start_giving(run: Run, task: Task, lane: Lane, policy: GivingPolicy) -> _Giving:
    turns = [turn for turn in run.turns if turn.task == task.id]
    answered = _find_answered(run, task.id)
    since = max(task.reopened_ms, (answered.resolved_ms or 0) if answered is not None else 0)
    # Who was cut off had no turn: that they are given the task again costs them none.
    counted = [
        turn for turn in turns if turn.began_ms > since and turn.end not in (None, TurnEnd.CUT)
    ]
    return _Giving(task.id, lane.id, turns[-1] if turns else None, counted, policy)


def _find_move_of_done(run: Run, task: Task, lane: Lane, giving: _Giving, last: AgentTurn) -> Move:
    ended_ms = last.ended_ms or last.began_ms
    conflict = _find_conflict(run, lane, ended_ms)
    if conflict is not None:
        return giving.give(WhyGiven.CONFLICT, conflict=conflict)
    reports = [each for each in task.reports if each.was_executed and each.at_ms >= ended_ms]
    if not reports:
        return Move(act=NextAct.CHECK, task=task.id, lane=lane.id, turn=last)
    if reports[-1].passed:
        return Move(act=NextAct.MERGE, task=task.id, lane=lane.id, turn=last)
    return giving.give(WhyGiven.CHECKS, report=reports[-1])


@frozen(kw_only=False)
class _Giving:
    """Gives a task to its agent once more, or asks a person where that was done often enough."""

    task: str
    lane: str
    last: AgentTurn | None
    counted: list[AgentTurn]
    policy: GivingPolicy

    def give(
        self,
        why: WhyGiven,
        *,
        report: Report | None = None,
        conflict: Conflict | None = None,
        left: str = "",
    ) -> Move:
        """Return that the agent goes on, or that a person is asked."""
        failed = 0
        for turn in reversed(self.counted):
            if turn.end is not TurnEnd.FAILED:
                break
            failed += 1
        if failed >= self.policy.failures_max:
            said = self.counted[-1].text
            return self.ask(f"{self.counted[-1].runner} gave no reply {failed} times: {said}")
        if len(self.counted) >= self.policy.turns_max:
            return self.ask(_say_spent(len(self.counted), report, conflict, left))
        return Move(
            act=NextAct.GIVE,
            task=self.task,
            lane=self.lane,
            why=why,
            turn=self.last,
            report=report,
            conflict=conflict,
        )

    def ask(self, text: str) -> Move:
        """Return that a person is asked."""
        return Move(act=NextAct.ASK, task=self.task, lane=self.lane, turn=self.last, text=text)


def _say_spent(turns: int, report: Report | None, conflict: Conflict | None, left: str) -> str:
    many = "1 turn" if turns == 1 else f"{turns} turns"
    if left:
        return f"{many}, and after the checks {left} lies in the lane uncommitted: how to go on?"
    if conflict is not None:
        files = ", ".join(conflict.files[:5])
        return f"{many} did not mend the conflict in {files}: how shall it go on?"
    if report is not None:
        failed = next((each.name for each in report.checks if not each.passed), "a check")
        return f"{many} did not make `{failed}` pass: how shall it go on?"
    return f"{many} did not finish it: how shall it go on?"


def find_open_ask(run: Run, task: str) -> Escalation | None:
    """Return what a person is asked about a task; a conflict is for its agent to mend."""
    mended = {each.escalation for each in run.conflicts.values()}
    asked = (each for each in run.escalations.values() if each.open and each.id not in mended)
    return next((each for each in asked if each.task == task), None)


def list_task_answers(run: Run, task: str) -> list[Escalation]:
    """Return what a person answered about a task, in the order they did."""
    mended = {each.escalation for each in run.conflicts.values()}
    found = [
        each
        for each in run.escalations.values()
        if each.task == task and not each.open and each.resolved_ms and each.id not in mended
    ]
    return sorted(found, key=lambda each: each.resolved_ms or 0)


def _find_answered(run: Run, task: str) -> Escalation | None:
    return next(reversed(list_task_answers(run, task)), None)


def _find_conflict(run: Run, lane: Lane, since_ms: int) -> Conflict | None:
    """Return a conflict of a lane that was found since its agent's last turn."""
    own = (each for each in run.conflicts.values() if each.open and each.lane == lane.id)
    return next((each for each in own if each.at_ms >= since_ms), None)
