"""Carry a run from its plan to its pull request: agents in lanes, watched and checked.

One thread looks at the run and decides (`runs.driving.schedule`); each lane's agent and checks run
in a thread of their own. Nothing is kept in memory that is not in the events: whoever drives the
run next, here or on another machine, goes on where this driver stopped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from queue import Empty, Queue

from agentx.host.program import ending_programs
from agentx.kernel.errors import AgentXError, ConflictError, InvalidValue
from agentx.kernel.ids import shorten_run
from agentx.operations.driving.asked import DriveEnd, Driven, DriveNews, DriveRequest, NewsOf, Tell
from agentx.operations.driving.desk import DriveDesk
from agentx.operations.driving.ending import EndStage, go_on, list_undecided
from agentx.operations.driving.planning import make_plan
from agentx.operations.driving.purse import add_up, find_bound
from agentx.operations.driving.turns import check_lane, close_cut_turns, give_turn
from agentx.operations.runs.claiming import take_lane
from agentx.operations.runs.lane import merge_lane, open_lane
from agentx.operations.runs.recover import resume_run
from agentx.operations.runs.saying import Saying, check_speaker
from agentx.operations.runs.write import declare_checks, go_to_phase, start_run
from agentx.project.project import Project
from agentx.project.settings import AgentsSettings
from agentx.runs.driving.schedule import Move, NextAct, list_moves
from agentx.runs.model import ORCHESTRATOR, Phase, Run
from agentx.wiring.bound.drives import Drive, DriveLost
from agentx.wiring.bound.lane_turns import find_push_remote, lane_folder, make_ready
from agentx.wiring.runners import runner_in_lane
from agentx.wiring.runs import list_run_questions, open_runs

_LOOK_S = 1.0  # how often it looks whether a person answered
_JOIN_S = 30.0
_WAITS_STILL = "waits for an answer still"
_FRESH_EVENTS = 3  # what a run that was begun just now has at most


@dataclass(slots=True)
class _Jobs:
    """What runs in threads of its own, by task."""

    done: Queue[tuple[str, AgentXError | None]] = field(default_factory=Queue)
    running: dict[str, threading.Thread] = field(default_factory=dict)

    def begin(self, task: str, work: Callable[[], None]) -> None:
        """Do some work for a task."""

        def run() -> None:
            error: AgentXError | None = None
            try:
                work()
            except AgentXError as caught:
                error = caught
            except OSError as caught:
                error = ConflictError(f"{task}: {caught}")
            finally:
                self.done.put((task, error))

        thread = threading.Thread(target=run, name=f"drive {task}", daemon=True)
        self.running[task] = thread
        thread.start()

    def wait(self) -> tuple[str, AgentXError | None] | None:
        """Return what ended next; None where nothing does for a moment."""
        try:
            task, error = self.done.get(timeout=_LOOK_S)
        except Empty:
            return None
        self.running.pop(task, None)
        return task, error

    def join(self) -> None:
        """Wait for all of it, a while."""
        until = time.monotonic() + _JOIN_S
        for thread in self.running.values():
            thread.join(max(until - time.monotonic(), 0))


def begin_run(project: Project, request: DriveRequest) -> tuple[Run, DriveRequest]:
    """Return the run that is to be driven, begun now where a title was given, and who works on it.

    Raises: ConflictError for a repository that is not trusted, InvalidValue where nobody is named
        who works or nothing says when it is done, NotFound.
    """
    check_speaker(project, ORCHESTRATOR)
    if not project.trust.was_said:
        raise ConflictError(
            f"{project.root} is not trusted: agents would run what lies there",
            hint="look at it, then say so: agentx trust --show, agentx trust",
        )
    request = _settle_runners(project, request)
    if not request.title:
        runs = open_runs(project)
        return runs.run(runs.which.choose(request.run_id))[0], request
    if not request.checks:
        raise InvalidValue(
            "nothing says when the work is done",
            hint="name what must pass: --check 'make test'; it may be given several times",
        )
    run = start_run(
        project,
        request.title,
        description=request.description,
        checks=request.checks,
        actor=ORCHESTRATOR,
    )
    return run, request


def _settle_runners(project: Project, request: DriveRequest) -> DriveRequest:
    names = request.runners or tuple(
        part.rpartition("=")[2].strip()
        for part in project.config.section(AgentsSettings).runner.split(",")
        if part.strip()
    )
    if not names:
        raise InvalidValue(
            "nobody is named who does the work",
            hint="name an agent CLI: --runner claude-code (several: --runner codex)",
        )
    for name in (*names, *([request.planner] if request.planner else [])):
        runner_in_lane(
            project, name, project.root
        ).program()  # what is not installed leaves no trace
    return replace(request, runners=names)


def drive(project: Project, run: Run, request: DriveRequest, tell: Tell) -> Driven:
    """Drive a run until it is done, waits for a person, or is at a bound.

    Raises: DriveLost where somebody else drives it; AgentXError where something is in the way that
        nobody can mend unasked. What was done until then is in the events.
    """
    held = Drive(project, run.id)
    said: dict[str, object] = {"runners": list(request.runners)}
    for remark in held.take(said, is_taken=request.is_taken):
        tell_remark(project, tell, remark)
    desk = DriveDesk(
        project=project,
        run_id=run.id,
        request=request,
        drive=held,
        tell=tell,
        remote=find_push_remote(project),
    )
    driver = _Driver(desk)
    reason = "it ended unexpectedly"
    try:
        done = driver.work()
        reason = f"{done.ended}: {done.reason}" if done.reason else str(done.ended)
        return done
    except KeyboardInterrupt:
        reason = "it was stopped"
        raise
    except AgentXError as error:
        reason = error.message
        raise
    finally:
        driver.stop()
        held.end(reason)


def tell_remark(project: Project, tell: Tell, remark: str) -> None:
    """Pass on what was found on the way."""
    tell(DriveNews(at_ms=project.clock.now_ms(), doing=NewsOf.RUN, text=remark))


class _Driver:
    """Decides, begins, and looks again."""

    def __init__(self, desk: DriveDesk) -> None:
        self._desk = desk
        self._jobs = _Jobs()
        self._began_ms = desk.project.clock.now_ms()
        self._stuck: dict[str, str] = {}  # tasks that are in the way, and why
        self._pushed = ""

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
        why = make_plan(desk)
        if why:
            return self._end(DriveEnd.STUCK, why)
        if desk.run.phase is Phase.PLANNING:
            go_to_phase(desk.project, Saying(run_id=desk.run_id), str(Phase.EXECUTION))
            desk.news(NewsOf.RUN, str(Phase.EXECUTION))
        while True:
            desk.drive.hold()
            run = desk.run
            bound = find_bound(
                run, desk.request.bounds, self._began_ms, desk.project.clock.now_ms()
            )
            waits = [] if bound else self._begin_what_can_be(run)
            if self._jobs.running:
                self._hear()
                continue
            if bound:
                return self._end(DriveEnd.BOUND, bound)
            if any(not task.over for task in run.tasks.values()):
                if self._has_moved:
                    continue
                done = self._wait_or_end(waits)
            else:
                done = self._finish()
            if done is not None:
                return done

    def _take_up(self) -> None:
        """Put right what an interruption left; the checks of a run may be named anew."""
        desk, request = self._desk, self._desk.request
        close_cut_turns(desk)
        if desk.run.events > _FRESH_EVENTS:
            _, rebuilt = resume_run(desk.project, desk.run_id, actor=ORCHESTRATOR)
            for remark in rebuilt.remarks:
                desk.news(NewsOf.RUN, remark)
        if request.checks and tuple(request.checks) != desk.run.checks:
            declare_checks(desk.project, Saying(run_id=desk.run_id), request.checks)
        run = desk.run
        if not [each for each in run.checks if each not in run.doubted]:
            raise InvalidValue(
                "nothing that you or somebody you trust wrote says when the work is done",
                hint="name what must pass: --check 'make test'",
            )

    def _begin_what_can_be(self, run: Run) -> list[Move]:
        """Begin all that can be begun now; return what waits."""
        desk = self._desk
        self._has_moved = False
        waits = []
        busy = frozenset(self._jobs.running)
        for move in list_moves(run, desk.request.policy, desk.drive.checkout, busy):
            if move.act in (NextAct.WAIT, NextAct.LEAVE) or move.task in self._stuck:
                waits.append(move)
                continue
            if move.act is NextAct.OPEN and not self._has_room(desk.run):
                continue
            try:
                self._begin(move)
                self._has_moved = True
            except DriveLost:
                raise
            except AgentXError as error:
                self._set_aside(move.task, error)
                waits.append(move)
        return waits

    def _has_room(self, run: Run) -> bool:
        own = self._desk.drive.checkout
        at_work = [each for each in run.lanes.values() if each.open and each.checkout in ("", own)]
        return len(at_work) < self._desk.request.bounds.lanes

    def _begin(self, move: Move) -> None:
        desk = self._desk
        by = Saying(run_id=desk.run_id, task=move.task, lane=move.lane)
        match move.act:
            case NextAct.OPEN:
                opened = open_lane(desk.project, by).lane
                assert opened is not None, "it was opened"
                title = desk.run.tasks[move.task].contract.title
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
                self._merge(move)
            case _:
                raise AssertionError(f"{move.act} is nothing to begin")

    def _give(self, move: Move) -> None:
        desk, request = self._desk, self._desk.request
        run = desk.run
        lane_folder(desk.project, run, move.lane)
        for line in make_ready(desk.project, run, move.lane, request.setup, request.copies):
            desk.news(NewsOf.LANE, line, task=move.task, lane=move.lane)
        give_turn(desk, move)

    def _merge(self, move: Move) -> None:
        desk = self._desk
        desk.drive.require()
        told = merge_lane(desk.project, Saying(run_id=desk.run_id, lane=move.lane))
        if told.conflict is not None:
            text = f"does not go together with the work in {', '.join(told.conflict.files)}"
            desk.news(NewsOf.MERGE, text, task=move.task, lane=move.lane)
            return
        desk.news(NewsOf.MERGE, "merged into the work branch", task=move.task, lane=move.lane)
        for remark in told.told.remarks:
            if not remark.endswith(_WAITS_STILL):  # which was said when it was asked
                desk.news(NewsOf.RUN, remark)

    def _hear(self) -> None:
        """Wait for something to end."""
        ended = self._jobs.wait()
        if ended is None:
            return
        task, error = ended
        if isinstance(error, DriveLost):
            raise error
        if error is not None:
            self._set_aside(task, error)

    def _set_aside(self, task: str, error: AgentXError) -> None:
        why = f"{error.message} ({error.hint})" if error.hint else error.message
        self._stuck[task] = why
        self._desk.news(NewsOf.LANE, f"set aside: {why}", task=task)

    def _wait_or_end(self, waits: list[Move]) -> Driven | None:
        """Wait for a person's answer; None where it is time to look again."""
        desk = self._desk
        is_asked = any(move.act is NextAct.WAIT for move in waits)
        if is_asked and desk.request.waits:
            time.sleep(_LOOK_S)
            return None
        if is_asked:
            return self._end(DriveEnd.WAITS, "a person is asked")
        why = list(self._stuck.values())
        why += [move.text for move in waits if move.act is NextAct.LEAVE]
        return self._end(DriveEnd.STUCK, "; ".join(why) or "no task can be begun")

    def _finish(self) -> Driven | None:
        """Take the run one step nearer to its end; None where there is more to do."""
        desk = self._desk
        step = go_on(desk)
        match step.stage:
            case EndStage.OVER:
                self._pushed = step.pushed
                return self._end(DriveEnd.DONE, "")
            case EndStage.WAITS if not desk.request.waits:
                return self._end(DriveEnd.WAITS, step.text)
            case EndStage.WAITS:
                time.sleep(_LOOK_S)
            case EndStage.MORE:
                pass
        return None

    def _end(self, ended: DriveEnd, reason: str) -> Driven:
        desk = self._desk
        run = desk.run
        taken = add_up(run)
        # A conflict of a lane is its agent's to mend.
        mended = {each.escalation for each in run.conflicts.values() if each.lane}
        asked = [
            one
            for one in list_run_questions(desk.project)
            if one.run_id == run.id and one.asked.id not in mended
        ]
        undecided: tuple[str, ...] = ()
        with suppress(AgentXError):
            undecided = list_undecided(desk) if run.over else ()
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
            usd=taken.usd,
            is_estimated=taken.is_estimated,
            pushed=self._pushed,
            waits_for=tuple(f"{one.asked.id}: {one.asked.question}" for one in asked),
            remarks=undecided,
            next=tuple(self._list_next(ended, run, [one.command for one in asked])),
        )

    def _list_next(self, ended: DriveEnd, run: Run, answers: list[str]) -> list[str]:
        again = f"agentx run drive {shorten_run(run.id)}"
        if ended is DriveEnd.DONE:
            return [f"agentx run pr {shorten_run(run.id)}"]
        return [*answers, again]
