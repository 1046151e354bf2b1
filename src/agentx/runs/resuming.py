"""After an interruption: what happened, where it stopped, what to do next.

Pure. Three things interrupt a run: a session that ended in the middle of a task, a lane
that failed, a merge that git could not make. Each has its way on; so has a run that was
merely left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agentx.kernel.ids import shorten_run
from agentx.kernel.text import name_some
from agentx.kernel.values import frozen
from agentx.runs.asked import Escalation
from agentx.runs.claiming.done_twice import list_done_twice
from agentx.runs.claiming.telling import list_lost, say_end, tell_lost
from agentx.runs.holding.settling import TaskClaim, say_holder, say_party
from agentx.runs.model import (
    PHASES,
    Lane,
    LaneStatus,
    Phase,
    Run,
    RunEvent,
    Task,
    TaskStatus,
    is_git_name,
)
from agentx.runs.rendering import event_line, list_answered, say_doubted_end, tell_answered
from agentx.runs.replies import REOPEN, Interruption, NextStep, Resumption
from agentx.runs.rules.gates import (
    NOTHING_MOVED,
    Missing,
    Tell,
    list_doubted_of_task,
    list_missing_of_task,
    list_unready,
    tell_unwanted,
)
from agentx.runs.rules.graph import ready, waits_for

_HAPPENED_MAX = 8
_OF_RESUMING = ("run-resumed", "session-attached")
_MISSING_MAX = 3
_READY_MAX = 10
_SHORT = 10


FindClaim = Callable[[Task], TaskClaim | None]  # which holds a task now, as seen from here
Folder = Callable[[str], str]  # the name of a lane, or of the work branch -> where its files are


@frozen
class WhoGoesOn:
    """Who wants to go on, and when."""

    checkout: str = ""
    now_ms: int = 0
    folder: Folder = str
    find_claim: FindClaim = lambda _task: None
    tell: Tell = NOTHING_MOVED


def resumption(run: Run, events: tuple[RunEvent, ...], here: WhoGoesOn) -> Resumption:
    """Return how to go on with a run."""
    task = run.tasks.get(run.current_task)
    point = run.checkpoint
    happened = [each for each in events if each.kind not in _OF_RESUMING][-_HAPPENED_MAX:]
    return Resumption(
        run_id=run.id,
        interruption=_interruption(run),
        phase=run.phase,
        status=run.status,
        current_task=run.current_task,
        happened=tuple(event_line(each, run) for each in happened),
        stopped_at=_tell_stop(run),
        last_checkpoint="" if point is None else (point.told or point.commit or "made"),
        last_log=task.log[-1].told if task is not None and task.log else "",
        next=tuple(_steps(run, here)),
        answered=tuple(map(tell_answered, list_answered(run)))[-_HAPPENED_MAX:],
    )


def _interruption(run: Run) -> Interruption:
    if run.over:
        return Interruption.OVER
    if any(each.open for each in run.conflicts.values()):
        return Interruption.CONFLICT
    if _list_failed_lanes(run):
        return Interruption.LANE
    if run.blockers:
        return Interruption.QUESTION
    if any(task.status is TaskStatus.IN_PROGRESS for task in run.tasks.values()):
        return Interruption.TASK
    return Interruption.NONE


def _tell_stop(run: Run) -> str:
    if run.over:
        return f"{run.status}{': ' + run.outcome_reason if run.outcome_reason else ''}"
    going = [task for task in run.tasks.values() if task.status is TaskStatus.IN_PROGRESS]
    if going:
        names = ", ".join(f"{task.id} ({task.contract.title})" for task in going[:3])
        return f"in {run.phase}, at {names}"
    return f"in {run.phase}, between tasks"


def _list_failed_lanes(run: Run) -> list[str]:
    return [
        lane.id
        for lane in run.lanes.values()
        if lane.status is LaneStatus.FAILED
        and not (lane.task in run.tasks and run.tasks[lane.task].over)
        and not any(
            other.task == lane.task and other.open for other in run.lanes.values() if lane.task
        )
    ]


def _steps(run: Run, here: WhoGoesOn) -> Iterator[NextStep]:
    if run.over:
        for lane in run.lanes.values():
            if here.checkout and lane.open and lane.checkout == here.checkout:
                yield NextStep(
                    text=f"{lane.id} is open here: to go on in it take the run up again",
                    command=REOPEN,
                )
        yield _close(run)
        return
    yield from _tell_lost(run, here)
    yield from _conflict_steps(run, here)
    for name in _list_failed_lanes(run):
        lane = run.lanes[name]
        yield NextStep(
            text=f"{name} failed ({lane.reason}): try it again, with what is on its branch",
            command=f"agentx run lane retry {name}",
        )
        yield NextStep(
            text="or begin anew in another lane", command=f"agentx run lane reassign {name}"
        )
    in_conflict = {each.escalation for each in run.conflicts.values() if each.open}
    for asked in run.escalations.values():
        if asked.open and asked.id not in in_conflict:
            yield NextStep(
                text=f"{asked.id} waits for a person's answer: {asked.question}",
                command=name_answer(run, asked),
                is_persons=True,
                holds=asked.blocking,
            )
    yield from _lane_steps(run, here)
    yield from _tell_twice(run, here)
    yield from _task_steps(run, here)
    yield from _phase_steps(run, here.tell)


def _close(run: Run) -> NextStep:
    """Return what is left to do with a run that is over."""
    end = run.doubted_end
    if end is None:
        text = "it is over; archiving keeps what it taught"
        return NextStep(text=text, command="agentx run archive")
    return NextStep(
        text=f"{say_doubted_end(run)}: look at it, then believe them, or go on "
        f"({REOPEN} --run {shorten_run(run.id)})",
        command=name_belief(end.writer),
        takes=True,
    )


def name_belief(writer: str) -> str:
    """Return the command by which a person believes a writer; anybody may have made that up."""
    return f"agentx trust --writer {writer}" if is_git_name(writer) else "agentx trust --show"


def _tell_lost(run: Run, here: WhoGoesOn) -> Iterator[NextStep]:
    """Yield what to do about tasks that somebody else holds though they were begun here."""
    for task, lost in list_lost(run, here.checkout):
        lane = run.lanes.get(lost.claim.lane)
        if lane is not None and lane.open and lane.checkout == here.checkout:
            yield NextStep(
                text=tell_lost(run, task, lost, here.now_ms),
                command=f'agentx run lane fail {lane.id} "REASON"',
            )


def _lane_steps(run: Run, here: WhoGoesOn) -> Iterator[NextStep]:
    """Yield what to do with lanes that are done, and with those that no task speaks of any more."""
    for lane in run.lanes.values():
        task, why = run.tasks.get(lane.task), tell_unwanted(run, lane)
        fail = f'agentx run lane fail {lane.id} "REASON"'
        is_own = lane.checkout in ("", here.checkout)
        if not lane.open or (lane.status is LaneStatus.CONFLICT and not why):
            continue  # what conflicts is told with its files
        if why and is_own:
            yield NextStep(text=f"{why}; {lane.id} stays with its commits: end it", command=fail)
        elif why:
            whose = say_party(() if task is None else task.claims, lane.checkout)
            yield NextStep(text=f"{why}; {lane.id} of {whose} is open: end it", command=fail)
        elif lane.status is LaneStatus.FINISHED:
            yield from _merge_steps(run, lane, f"{lane.id} is finished", here)
        elif task is None or task.over:
            done = "" if task is None else f", and {task.id} is done"
            yield from _merge_steps(run, lane, f"{lane.id} is not merged{done}", here)


def _merge_steps(run: Run, lane: Lane, says: str, here: WhoGoesOn) -> Iterator[NextStep]:
    """Yield that a lane is to be merged, or what it lacks before that: no refusal is proposed."""
    task = run.tasks.get(lane.task)
    is_others = lane.commit and lane.checkout not in ("", here.checkout)
    if is_others and not here.tell.holds(lane.commit, lane.commit):
        whose = say_party(() if task is None else task.claims, lane.checkout)
        yield NextStep(
            text=f"{says}, and not here: take in what was pushed; where it was not yet, {whose} "
            f"pushes {lane.branch} first",
            command=f"agentx run resume {run.id}",
        )
        return
    missing = () if task is None else list_missing_of_task(run, task, here.tell)
    for each in missing[:_MISSING_MAX]:
        yield NextStep(text=f"{says}; before it is merged: {each.text}", command=each.command)
    if not missing:
        yield NextStep(text=says, command=f"agentx run lane merge {lane.id}")


def _tell_twice(run: Run, here: WhoGoesOn) -> Iterator[NextStep]:
    """Yield what to do about tasks that are done more than once."""
    for done in list_done_twice(run):
        if not done.is_settled:
            ways = done.say_ways(here.folder("work"))
            yield NextStep(text=f"{done.says}; {ways}", command=done.command)


def name_answer(run: Run, asked: Escalation) -> str:
    """Return the command by which a person answers, or sees how to put changes together."""
    if any(each.open and each.escalation == asked.id for each in run.conflicts.values()):
        return f"agentx run resume {run.id}"
    return f'agentx run escalate --resolve {asked.id} "ANSWER"'


def _conflict_steps(run: Run, here: WhoGoesOn) -> Iterator[NextStep]:
    folder = here.folder
    for found in run.conflicts.values():
        if not found.open:
            continue
        files = name_some(found.files)
        if found.operation == "rebase":
            yield NextStep(
                text=f"the work branch does not go together with its base in {files}: "
                f"in {folder('work')} `git merge {run.git.base_branch}`, mend, commit, then",
                command="agentx run lane rebase",
            )
            continue
        lane = run.lanes.get(found.lane)
        if lane is not None and lane.checkout not in ("", here.checkout):
            is_held = lane.task in _list_held_elsewhere(run, here)
            how = "a person takes it first" if is_held else "take it first"
            yield NextStep(
                text=f"{found.lane} conflicts in {files}: who has it mends that; "
                f"to do so here {how}",
                command=f"agentx run lane take {found.lane}",
                takes=is_held,
            )
            continue
        yield NextStep(
            text=f"{found.lane} conflicts in {files}: in {folder(found.lane)} "
            f"`git merge {run.git.work_branch}`, mend, commit, then",
            command=f"agentx run lane merge {found.lane}",
        )


def _task_steps(run: Run, here: WhoGoesOn) -> Iterator[NextStep]:
    elsewhere = _list_held_elsewhere(run, here)
    in_conflict = {each.lane for each in run.conflicts.values() if each.open and each.lane}
    finished = {each.id for each in run.lanes.values() if each.status is LaneStatus.FINISHED}
    told = in_conflict | finished  # with its files, or to be merged
    for task in run.tasks.values():
        if task.id in elsewhere:
            continue
        if task.status is TaskStatus.IN_PROGRESS:
            where = f" in {task.lane}" if task.lane else ""
            if task.lane not in told:
                yield NextStep(
                    text=f"go on with {task.id}{where}: {task.contract.title}",
                    command=f"agentx run context --task {task.id}",
                )
            for each in list_doubted_of_task(run, task)[:_MISSING_MAX]:
                yield NextStep(text=f"before {task.id} ends: {each.text}", command=each.command)
        elif task.status is TaskStatus.BLOCKED:
            yield NextStep(
                text=f"{task.id} is blocked: {task.reason}",
                command=f"agentx run task start {task.id}",
            )
        elif task.status is TaskStatus.FAILED and not task.lane:
            yield NextStep(
                text=f"{task.id} failed: {task.reason}",
                command=f"agentx run task start {task.id}",
            )
    if run.phase in (Phase.PLANNING, Phase.EXECUTION):
        begun = {lane.task for lane in run.lanes.values() if lane.open}
        # What was taken up again comes first: it has a folder that somebody looks for.
        able = [each for each in ready(run) if each not in elsewhere]
        able.sort(key=lambda each: each not in begun)
        for name in able[:_READY_MAX]:
            yield from _ready_steps(run, run.tasks[name], here)
        if len(able) > _READY_MAX:
            more = f"{len(able) - _READY_MAX:,} more tasks are ready"
            yield NextStep(text=more, command="agentx run task list")
    for name, claim in elsewhere.items():
        if claim.lane in in_conflict:
            continue
        until = say_end(claim, here.now_ms)
        lane = run.lanes.get(claim.lane)
        what = f"task take {name}" if lane is None or not lane.open else f"lane take {lane.id}"
        yield NextStep(
            text=f"{name} is held by {say_holder(claim)}, {until}; a person may take it",
            command=f"agentx run {what}",
            takes=True,
        )


def _ready_steps(run: Run, task: Task, here: WhoGoesOn) -> Iterator[NextStep]:
    """Yield how a task is begun; one that was taken up again may have a lane that is open."""
    text, start = f"{task.id} is ready: {task.contract.title}", f"agentx run task start {task.id}"
    waited = task.contract.depends_on
    before = [each for each in run.lanes.values() if each.open and each.task in waited]
    if before:
        text += f"; {before[0].id} of {before[0].task}, for which it waited, is not merged yet"
    lanes = [lane for lane in run.lanes.values() if lane.task == task.id and lane.open]
    lanes = [lane for lane in lanes if not tell_unwanted(run, lane)]
    own = [lane for lane in lanes if lane.checkout in ("", here.checkout)]
    if own:
        text += f"; {own[0].id} is open for it: go on in {here.folder(own[0].id)}"
    elif lanes:
        (lane, *_), who = lanes, say_party(task.claims, lanes[0].checkout)
        yield NextStep(
            text=f"{text}; {lane.id} of {who} is open for it: take it",
            command=f"agentx run lane take {lane.id}",
        )
        text = "or begin it anew"
    yield NextStep(text=text, command=start)


def _list_held_elsewhere(run: Run, here: WhoGoesOn) -> dict[str, TaskClaim]:
    """Return the tasks that another checkout holds, with its claim."""
    open_tasks = (task for task in run.tasks.values() if task.claims and not task.over)
    found = {task.id: here.find_claim(task) for task in open_tasks}
    return {
        name: claim
        for name, claim in found.items()
        if claim is not None and claim.checkout != here.checkout
    }


def _phase_steps(run: Run, tell: Tell) -> Iterator[NextStep]:
    undone = [task for task in run.tasks.values() if not task.over]
    if run.phase is Phase.PLANNING and not run.tasks:
        yield NextStep(text="plan: add the tasks", command='agentx run task add "TITLE"')
        return
    if run.phase is Phase.EXECUTION and undone:
        waiting = [task for task in undone if waits_for(run, task)]
        if len(waiting) == len(undone):
            yield NextStep(text="every task waits for another", command="agentx run task list")
        return
    missing: tuple[Missing, ...] = ()
    if PHASES.index(run.phase) >= PHASES.index(Phase.VERIFICATION):
        missing = list_unready(run, tell)
        for each in missing[:_MISSING_MAX]:
            yield NextStep(text=each.text, command=each.command)
    if run.phase is Phase.VERIFICATION and not missing and not run.reports:
        yield NextStep(
            text="verify, and say what came of it",
            command="agentx run verify --verdict PASSED --check NAME=EVIDENCE",
        )
    if run.phase is Phase.PR_PREP:
        yield NextStep(text="read what the pull request says", command="agentx run pr")
    if missing or (
        run.phase is not Phase.PLANNING and any(each.open for each in run.lanes.values())
    ):
        return  # it would be refused
    if run.phase is Phase.PR_PREP:
        yield NextStep(text="when it is opened", command="agentx run phase complete")
        return
    following = PHASES[PHASES.index(run.phase) + 1]
    yield NextStep(text=f"go on to {following}", command="agentx run phase next")
