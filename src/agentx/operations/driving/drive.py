"""Carry a run from its plan to its pull request: agents in lanes, watched and checked.

One thread looks at the run and decides (`runs.driving.schedule`); each lane's agent and checks run
in a thread of their own. Nothing is kept in memory that is not in the events: whoever drives the
run next, here or on another machine, goes on where this driver stopped.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from agentx.host.program import ending_programs
from agentx.kernel.errors import AgentXError, ConflictError
from agentx.kernel.ids import shorten_run
from agentx.operations.bounds import find_bound
from agentx.operations.driving.approving import (
    approve_known,
    list_of_whole,
    require_approved,
    see_checks,
)
from agentx.operations.driving.asked import DriveEnd, Driven, DriveNews, DriveRequest, NewsOf, Tell
from agentx.operations.driving.desk import DriveDesk
from agentx.operations.driving.ends.ending import EndStage, go_on
from agentx.operations.driving.ends.reviews import has_reviews, take_up_said
from agentx.operations.driving.ends.taught import tell_taught
from agentx.operations.driving.jobs import LOOK_S, DriveJobs
from agentx.operations.driving.merging import merge, tell_unchecked
from agentx.operations.driving.planning import make_plan
from agentx.operations.driving.purse import add_up
from agentx.operations.driving.turn_ends import close_cut_turns
from agentx.operations.driving.turns import check_lane, give_turn
from agentx.operations.runs.claiming import take_lane
from agentx.operations.runs.lane import open_lane
from agentx.operations.runs.phases import enter_phase
from agentx.operations.runs.recover import resume_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import declare_checks
from agentx.project.project import Project
from agentx.runs.driving.schedule import Move, NextAct, give_left, list_moves
from agentx.runs.model import ORCHESTRATOR, Phase, Run, RunStatus
from agentx.runs.replies import REOPEN
from agentx.wiring.bound.drives import Drive, DriveLost
from agentx.wiring.bound.lane_turns import find_push_remote, lane_folder, list_lying, make_ready
from agentx.wiring.runs import list_run_questions

_T = TypeVar("_T")
_MINUTE_MS = 60_000
_RECHECKS_MAX = 2  # of a lane that changes while it is checked
_OPENS = (NextAct.OPEN, NextAct.TAKE)
_AT_WORK = (NextAct.GIVE, NextAct.CHECK)
_FRESH_EVENTS = 3  # what a run that was begun just now has at most


def drive(project: Project, run: Run, request: DriveRequest, tell: Tell) -> Driven:
    """Drive a run until it is done, waits for a person, or is at a bound.

    Raises: DriveLost where somebody else drives it; AgentXError where something is in the way that
        nobody can mend unasked. What was done until then is in the events.
    """
    held = Drive(project, run.id)
    desk = DriveDesk(
        project=project,
        run_id=run.id,
        request=request,
        drive=held,
        tell=tell,
        remote=find_push_remote(project),
        until_ms=project.clock.now_ms() + request.bounds.minutes * _MINUTE_MS,
    )
    driver = _Driver(desk)
    why = _tell_done(desk, run)
    if why:
        return driver.end(DriveEnd.DONE, why)
    said: dict[str, object] = {"runners": list(request.runners)}
    for remark in held.take(said, lambda: see_checks(desk), is_taken=request.is_taken):
        tell_remark(project, tell, remark)
    reason = "it ended unexpectedly"
    try:
        done = driver.work()
        reason = f"{done.ended}: {done.reason}" if done.reason else str(done.ended)
        return done
    except KeyboardInterrupt:
        reason = "it was stopped"
        driver.stop()
        return driver.end(DriveEnd.STOPPED, "")
    except AgentXError as error:
        reason = error.message
        raise
    finally:
        driver.stop()
        held.end(reason)


def _tell_done(desk: DriveDesk, run: Run) -> str:
    """Return why there is nothing to drive in a run that was completed, with what takes it up."""
    if run.outcome is not RunStatus.COMPLETED or run.doubted_end is not None or desk.request.plan:
        return ""
    again = f"`{REOPEN} --run {shorten_run(run.id)}` takes it up again"
    return take_up_said(desk) if has_reviews(desk) else f"it was completed before; {again}"


def tell_remark(project: Project, tell: Tell, remark: str) -> None:
    """Pass on what was found on the way."""
    tell(DriveNews(at_ms=project.clock.now_ms(), doing=NewsOf.RUN, text=remark))


class _Driver:
    """Decides, begins, and looks again."""

    def __init__(self, desk: DriveDesk) -> None:
        self._desk = desk
        self._jobs = DriveJobs()
        self._began_ms = desk.project.clock.now_ms()
        self._rechecks: Counter[str] = Counter()
        self._stuck: dict[str, str] = {}  # tasks that are in the way, and why
        self._pushed = self._pull = ""

    def stop(self) -> None:
        """End the agents at work; what they left is committed."""
        self._desk.stop.set()
        if self._jobs.running:
            with ending_programs():
                self._jobs.join()

    def work(self) -> Driven:
        """Drive until there is nothing more to do."""
        desk = self._desk
        self._take_up()
        bound = self._find_bound(desk.run)
        why = bound or self._do_apart(lambda: make_plan(desk))
        if why:
            return self.end(DriveEnd.BOUND if bound else DriveEnd.STUCK, why)
        if desk.run.phase is Phase.PLANNING:
            enter_phase(desk.project, Saying(run_id=desk.run_id), str(Phase.EXECUTION))
            desk.news(NewsOf.RUN, str(Phase.EXECUTION))
        while True:
            desk.drive.hold()
            run = desk.run
            bound = self._find_bound(run)
            waits = [] if bound else self._begin_what_can_be(run)
            if self._jobs.running:
                self._hear()
                continue
            if bound:
                return self.end(DriveEnd.BOUND, bound)
            if any(not task.over for task in run.tasks.values()):
                if self._has_moved:
                    continue
                done = self._wait_or_end(waits)
            else:
                done = self._finish()
            if done is not None:
                return done

    def _find_bound(self, run: Run) -> str:
        taken, took_ms = add_up(run), self._desk.project.clock.now_ms() - self._began_ms
        return find_bound(self._desk.request.bounds, took_ms, taken.tokens, taken.micro_usd)

    def _do_apart(self, work: Callable[[], _T]) -> _T:
        """Do work of the whole, and hold the drive meanwhile."""
        done: list[_T] = []
        self._jobs.begin("", lambda: done.append(work()))
        while self._jobs.running:
            self._desk.drive.hold()
            self._hear()
        return done[0]

    def _take_up(self) -> None:
        """Put right what an interruption left; the checks of a run may be named anew."""
        desk, request = self._desk, self._desk.request
        close_cut_turns(desk)
        if desk.run.events > _FRESH_EVENTS:
            _, rebuilt = resume_run(desk.project, desk.run_id, actor=ORCHESTRATOR)
            for remark in rebuilt.remarks:
                desk.news(NewsOf.RUN, remark)
        if request.checks and tuple(request.checks) != list_of_whole(desk.run):
            declare_checks(desk.project, Saying(run_id=desk.run_id), request.checks)
        approve_known(desk)

    def _begin_what_can_be(self, run: Run) -> list[Move]:
        """Begin all that can be begun now; return what waits."""
        desk = self._desk
        self._has_moved = False
        waits = []
        busy = frozenset(self._jobs.running)
        room = self._count_room(run)
        for move in list_moves(run, desk.request.policy, desk.drive.checkout, busy):
            if move.act in (NextAct.WAIT, NextAct.LEAVE) or move.task in self._stuck:
                waits.append(move)
                continue
            if move.act in _OPENS and room <= 0:
                continue
            if move.act in _AT_WORK and len(self._jobs.running) >= desk.request.bounds.lanes:
                continue
            try:
                self._begin(move, run)
                room -= move.act in _OPENS
                self._has_moved = True
            except DriveLost:
                raise
            except AgentXError as error:
                self._set_aside(move.task, error)
                waits.append(move)
        return waits

    def _count_room(self, run: Run) -> int:
        """Return how many lanes more may be open here."""
        own = self._desk.drive.checkout
        at_work = [each for each in run.lanes.values() if each.open and each.checkout in ("", own)]
        return self._desk.request.bounds.lanes - len(at_work)

    def _begin(self, move: Move, run: Run) -> None:
        desk = self._desk
        by = Saying(run_id=desk.run_id, task=move.task, lane=move.lane)
        match move.act:
            case NextAct.OPEN:
                opened = open_lane(desk.project, by).lane
                assert opened is not None, "it was opened"
                desk.push(opened.branch, task=move.task, lane=opened.id)
                title = run.tasks[move.task].contract.title
                desk.news(NewsOf.LANE, f"opened for {title}", task=move.task, lane=opened.id)
            case NextAct.TAKE:
                take_lane(desk.project, by, desk.request.caller)
                desk.news(
                    NewsOf.LANE, "taken over, with its commits", task=move.task, lane=move.lane
                )
            case NextAct.GIVE:
                self._jobs.begin(move.task, lambda: self._give(move))
            case NextAct.CHECK:
                self._jobs.begin(move.task, lambda: check_lane(desk, move))
            case NextAct.ASK:
                desk.ask(move.text, task=move.task, lane=move.lane)
            case NextAct.MERGE:
                self._see_to(move, run)
            case _:
                raise AssertionError(f"{move.act} is nothing to begin")

    def _give(self, move: Move) -> None:
        desk, request = self._desk, self._desk.request
        run = desk.run
        require_approved(desk, run, run.tasks[move.task])  # before a turn is spent on it
        folder = lane_folder(desk.project, run, move.lane)
        for line in make_ready(desk.project, run, move.lane, request.setup, request.copies):
            desk.news(NewsOf.LANE, line, task=move.task, lane=move.lane)
        give_turn(desk, move, run, folder)

    def _see_to(self, move: Move, run: Run) -> None:
        """Merge a lane whose checks passed; run them again where it changed since."""
        desk = self._desk
        left = list_lying(desk.project, run, move.lane)
        why = "" if left else tell_unchecked(desk, move, run)
        if why and self._rechecks[move.task] >= _RECHECKS_MAX:
            raise ConflictError(
                f"{move.lane} changes while it is checked: {why}",
                hint="look at who writes there; then drive the run again",
            )
        if left:
            self._begin(give_left(run, move, desk.request.policy, ", ".join(left[:10])), run)
        elif why:
            self._rechecks[move.task] += 1
            desk.news(NewsOf.CHECK, f"to be checked again: {why}", task=move.task, lane=move.lane)
            self._jobs.begin(move.task, lambda: check_lane(desk, move))
        else:
            merge(desk, move, run)

    def _hear(self) -> None:
        """Wait for something to end."""
        ended = self._jobs.wait()
        if ended is None:
            return
        task, error = ended
        if isinstance(error, DriveLost) or (error is not None and not task):
            raise error
        if error is not None:
            self._set_aside(task, error)

    def _set_aside(self, task: str, error: AgentXError) -> None:
        why = self._stuck[task] = error.whole
        self._desk.news(NewsOf.LANE, f"set aside: {why}", task=task)

    def _wait_or_end(self, waits: list[Move]) -> Driven | None:
        """Wait for a person's answer; None where it is time to look again."""
        desk = self._desk
        is_asked = any(move.act is NextAct.WAIT for move in waits)
        if is_asked and desk.request.waits:
            time.sleep(LOOK_S)
            return None
        if is_asked:
            return self.end(DriveEnd.WAITS, "a person is asked")
        why = list(self._stuck.values())
        why += [move.text for move in waits if move.act is NextAct.LEAVE]
        return self.end(DriveEnd.STUCK, "; ".join(why) or "no task can be begun")

    def _finish(self) -> Driven | None:
        """Take the run one step nearer to its end; None where there is more to do."""
        desk = self._desk
        try:
            step = self._do_apart(lambda: go_on(desk))
        except DriveLost:
            raise
        except AgentXError as error:
            return self.end(DriveEnd.STUCK, error.whole)
        match step.stage:
            case EndStage.OVER:
                self._pushed, self._pull = step.pushed, step.pull
                return self.end(DriveEnd.DONE, "")
            case EndStage.WAITS if not desk.request.waits:
                return self.end(DriveEnd.WAITS, step.text)
            case EndStage.WAITS:
                time.sleep(LOOK_S)
            case EndStage.MORE:
                pass
        return None

    def end(self, ended: DriveEnd, reason: str) -> Driven:
        """Return how the drive ended."""
        desk = self._desk
        taught = tell_taught(desk)
        run = desk.run
        taken = add_up(run)
        # A conflict of a lane is its agent's to mend.
        mended = {each.escalation for each in run.conflicts.values() if each.lane}
        asked = [
            one
            for one in list_run_questions(desk.project)
            if one.run_id == run.id and one.asked.id not in mended
        ]
        return Driven(
            run_id=run.id,
            ended=ended,
            reason=reason,
            work_branch=run.git.work_branch,
            base_branch=run.git.base_branch,
            tasks_done=sum(task.over for task in run.tasks.values()),
            tasks=len(run.tasks),
            turns=taken.turns,
            tokens=taken.tokens,
            usd=taken.micro_usd / 1_000_000,
            is_estimated=taken.is_estimated,
            pushed=self._pushed,
            pull=self._pull,
            waits_for=tuple(f"{one.asked.id}: {one.asked.question}" for one in asked),
            lessons_proposed=taught.proposed,
            lessons_accepted=taught.accepted,
            remarks=taught.remarks,
            next=tuple(self._list_next(ended, run, [one.command for one in asked])),
        )

    def _list_next(self, ended: DriveEnd, run: Run, answers: list[str]) -> list[str]:
        again = f"agentx run drive {shorten_run(run.id)}{self._desk.request.say_again()}"
        if ended is DriveEnd.DONE:
            return [f"agentx run pr {shorten_run(run.id)}"]
        return [*answers, again]
