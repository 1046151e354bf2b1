"""What may happen next: `decide` takes what an actor says happened and returns what follows.

Pure. It refuses what cannot be, with the reason and the way out, and adds what an event
brings with it: a merged lane ends its task and its conflicts, a failed one fails them.
It judges by the state the actor sees; what two clones decided apart is put together by
`evolve`, which refuses nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentx.kernel.errors import IllegalTransition, InvalidValue, LimitError, NotFound
from agentx.kernel.ids import shorten_run
from agentx.kernel.limits import RUN_TITLE_CHARS_MAX
from agentx.runs.limits import RUN_LANES_OPEN_MAX, RUN_TASKS_MAX
from agentx.runs.model import PHASES, Happening, Lane, LaneStatus, Phase, Run, Task, TaskStatus
from agentx.runs.rules.catalogue import KINDS, actor_named, detail_checked, name_checked
from agentx.runs.rules.claim_lines import CLAIMED, RELEASED
from agentx.runs.rules.gates import (
    NOTHING_MOVED,
    Tell,
    check_done,
    check_verified,
    check_wanted,
)
from agentx.runs.rules.graph import cycle_in, graph_of, waits_for
from agentx.runs.rules.words import WORD_RULES

_AFTER_THE_END = frozenset(
    {"note", "run-reopened", "candidate-proposed", "session-attached", "artifact-written"}
    | {"drive-ended"}
)
# From which status a task may be brought where.
TASK_STEPS: dict[str, frozenset[TaskStatus]] = {
    "task-started": frozenset(
        {TaskStatus.PENDING, TaskStatus.FAILED, TaskStatus.BLOCKED, TaskStatus.IN_PROGRESS}
    ),
    "task-blocked": frozenset({TaskStatus.PENDING, TaskStatus.IN_PROGRESS}),
    "task-completed": frozenset({TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED, TaskStatus.PENDING}),
    "task-failed": frozenset({TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED, TaskStatus.PENDING}),
    "task-dropped": frozenset(TaskStatus),
    "task-reopened": frozenset({TaskStatus.COMPLETED, TaskStatus.DROPPED, TaskStatus.FAILED}),
    "task-retried": frozenset({TaskStatus.COMPLETED, TaskStatus.DROPPED, TaskStatus.FAILED}),
}
LANE_STEPS: dict[str, frozenset[LaneStatus]] = {
    "lane-finished": frozenset({LaneStatus.ACTIVE, LaneStatus.CONFLICT, LaneStatus.FINISHED}),
    "lane-merged": frozenset(  # once more where commits came after
        {LaneStatus.ACTIVE, LaneStatus.FINISHED, LaneStatus.CONFLICT, LaneStatus.MERGED}
    ),
    "lane-failed": frozenset({LaneStatus.ACTIVE, LaneStatus.FINISHED, LaneStatus.CONFLICT}),
    "lane-retried": frozenset({LaneStatus.FAILED, LaneStatus.CONFLICT}),
    "lane-reassigned": frozenset({LaneStatus.FAILED, LaneStatus.ACTIVE, LaneStatus.CONFLICT}),
}


def decide(run: Run, said: Happening, tell: Tell = NOTHING_MOVED) -> tuple[Happening, ...]:
    """Return what happens because of what was said, itself first; `tell` asks what git has now.

    Raises: InvalidValue, NotFound, IllegalTransition, LimitError.
    """
    said = _check(said)
    if said.kind == "run-started":
        if run.started:
            raise IllegalTransition(f"{run.id} was started already")
        return (said,)
    if not run.started:
        raise NotFound(f"{run.id}: no such run", hint="`agentx run list` shows the runs")
    if run.over and said.kind not in _AFTER_THE_END:
        why = f" ({run.outcome_reason[:80]})" if run.outcome_reason else ""
        raise IllegalTransition(
            f"{run.id} is {run.status}{why}: {said.kind} cannot happen any more",
            hint=f"`agentx run event --type run-reopened --run {shorten_run(run.id)}` "
            "takes it up again; its lanes keep their commits",
        )
    rule = _RULES.get(said.kind)
    follows = (said,) if rule is None else rule(run, said)
    gate = _GATES.get(said.kind)
    if gate is not None:
        gate(run, said, tell)
    return follows


def _check(said: Happening) -> Happening:
    shape = KINDS.get(said.kind)
    if shape is None:
        raise InvalidValue(f"{said.kind!r} is not a type of event")
    if shape.of_task and not said.task:
        raise InvalidValue(f"{said.kind} is about a task", hint="name it with --task")
    if shape.of_lane and not said.lane:
        raise InvalidValue(f"{said.kind} is about a lane", hint="name it with --lane")
    detail = detail_checked(said.kind, said.detail)
    _check_title(str(detail.get("title", "")))
    return replace(
        said,
        actor=actor_named(said.actor),
        task=name_checked(said.task, "a task") if said.task else "",
        lane=name_checked(said.lane, "a lane") if said.lane else "",
        detail=detail,
    )


def _check_title(title: str) -> None:
    """Refuse a title that is none; what others wrote is read all the same.

    Raises: InvalidValue.
    """
    if len(title) > RUN_TITLE_CHARS_MAX:
        raise InvalidValue(
            f"a title has at most {RUN_TITLE_CHARS_MAX} characters, and this one {len(title):,}",
            hint="say the rest as the run's --description or the task's --goal",
        )


# --- run and phases -------------------------------------------------------------------------


def _phase_entered(run: Run, said: Happening) -> tuple[Happening, ...]:
    wanted = Phase(str(said.detail["phase"]))
    here, there = PHASES.index(run.phase), PHASES.index(wanted)
    if there == here:
        raise IllegalTransition(f"{run.id} is in {wanted} already")
    if there > here + 1:
        raise IllegalTransition(
            f"{run.id} is in {run.phase}: {wanted} is not next",
            hint=f"`agentx run phase {PHASES[here + 1]}` is; phases are {', '.join(PHASES)}",
        )
    if there == here + 1:
        _may_leave(run)
    return (said,)


def _may_leave(run: Run) -> None:
    if run.phase is not Phase.PLANNING:
        undone = [name for name, task in run.tasks.items() if not task.over]
        if undone:
            many = "1 task that is" if len(undone) == 1 else f"{len(undone)} tasks that are"
            raise IllegalTransition(
                f"{run.id} has {many} not done: {', '.join(undone[:5])}",
                hint="complete or drop them: `agentx run task done TASK`, "
                '`agentx run task drop TASK "REASON"`',
            )
        unmerged = [lane.id for lane in run.lanes.values() if lane.open]
        if unmerged:
            raise IllegalTransition(
                f"{run.id} has lanes that are not merged: {', '.join(unmerged[:5])}",
                hint="`agentx run lane merge LANE`, "
                'or `agentx run lane fail LANE "REASON"` to give one up',
            )


def _run_completed(run: Run, said: Happening) -> tuple[Happening, ...]:
    if run.phase is not Phase.PR_PREP:
        raise IllegalTransition(
            f"{run.id} is in {run.phase}: it is completed from PR_PREP",
            hint="`agentx run phase next` takes it on; "
            "`agentx run phase fail --reason WHY` gives it up",
        )
    _may_leave(run)
    if run.blockers:
        raise IllegalTransition(
            f"{run.id} waits for an answer to {run.blockers[0].id}",
            hint=f"`agentx run escalate --resolve {run.blockers[0].id} ANSWER`",
        )
    return (said,)


def _run_reopened(run: Run, said: Happening) -> tuple[Happening, ...]:
    if not run.over:
        raise IllegalTransition(f"{run.id} is {run.status}: there is nothing to reopen")
    return (said,)


# --- tasks ----------------------------------------------------------------------------------


def _task_added(run: Run, said: Happening) -> tuple[Happening, ...]:
    if said.task in run.tasks and run.tasks[said.task].born:
        raise IllegalTransition(
            f"{said.task} is there already: {run.tasks[said.task].contract.title}",
            hint="a contract is not changed; `agentx run task revise` makes a new version",
        )
    if len(run.tasks) >= RUN_TASKS_MAX:
        raise LimitError(f"{run.id} has {RUN_TASKS_MAX} tasks: no more fit")
    _no_circle(run, said)
    return (said,)


def _task_revised(run: Run, said: Happening) -> tuple[Happening, ...]:
    _find_task(run, said)
    _no_circle(run, said)
    return (said,)


def _no_circle(run: Run, said: Happening) -> None:
    waits = said.detail.get("depends_on", [])
    assert isinstance(waits, list)
    for name in waits:
        name_checked(name, "a task")
        if name not in run.tasks and name != said.task:
            raise NotFound(
                f"{said.task} waits for {name}, which is no task",
                hint=f"add {name} first; `agentx run task list` shows the tasks",
            )
    circle = cycle_in({**graph_of(run.tasks), said.task: tuple(waits)})
    if circle:
        raise InvalidValue(
            f"tasks would wait in a circle: {' -> '.join(circle)}",
            hint="leave out one of these dependencies",
        )


def _find_task(run: Run, said: Happening) -> Task:
    task = run.tasks.get(said.task)
    if task is None:
        raise NotFound(
            f"{said.task}: no such task in {run.id}",
            hint="`agentx run task list` shows them, `agentx run task add TITLE` makes one",
        )
    return task


def _task_step(run: Run, said: Happening) -> tuple[Happening, ...]:
    task = run.tasks.get(said.task)
    if task is None:
        # Another tool may speak of a task before its contract is here.
        return (said,)
    if task.status not in TASK_STEPS[said.kind]:
        raise IllegalTransition(
            f"{task.id} is {task.status}: {said.kind} cannot happen",
            hint="`agentx run task list` shows how the tasks stand",
        )
    if said.kind in ("task-started", "task-retried"):
        waits = waits_for(run, task)
        if waits:
            raise IllegalTransition(
                f"{task.id} waits for {', '.join(waits)}",
                hint="do those first; `agentx run task list` shows what is ready",
            )
    if said.kind in _TAKES_BACK and PHASES.index(run.phase) > PHASES.index(Phase.EXECUTION):
        detail = {"phase": str(Phase.EXECUTION), "reason": f"{task.id} is taken up again"}
        detail |= {"without": str(said.detail["without"])} if "without" in said.detail else {}
        return (said, Happening(kind="phase-entered", actor=said.actor, detail=detail))
    return (said,)


def _gate_task(run: Run, said: Happening, tell: Tell) -> None:
    """See that what a contract asks for is so before a task is completed."""
    task = run.tasks.get(said.task)
    if task is not None and task.status in TASK_STEPS["task-completed"]:
        check_done(run, task, tell)


def _gate_lane(run: Run, said: Happening, tell: Tell) -> None:
    """See the same before a lane is merged: that completes its task."""
    lane = run.lanes.get(said.lane)
    task = None if lane is None else run.tasks.get(lane.task)
    if lane is not None and lane.open and task is not None:
        check_wanted(run, lane)
        if said.kind == "lane-merged":
            late = f"{lane.id} cannot be merged, though {task.id} is done"
            check_done(run, task, tell, refusing=late if task.over else "")


def _gate_phase(run: Run, said: Happening, tell: Tell) -> None:
    """See that a run that goes on from its verification is verified."""
    here = PHASES.index(run.phase)
    there = len(PHASES)
    if said.kind == "phase-entered":
        there = PHASES.index(Phase(str(said.detail["phase"])))
    if here >= PHASES.index(Phase.VERIFICATION) and there == here + 1:
        check_verified(run, tell)


_GATES: dict[str, Callable[[Run, Happening, Tell], None]] = {
    "phase-entered": _gate_phase,
    "run-completed": _gate_phase,
    "task-completed": _gate_task,
    **dict.fromkeys(("lane-finished", "lane-merged"), _gate_lane),
}
# What makes work of a task that was over.
_TAKES_BACK = ("task-reopened", "task-retried")


def _task_held(run: Run, said: Happening) -> tuple[Happening, ...]:
    task = _find_task(run, said)
    if said.kind == CLAIMED and task.over:
        raise IllegalTransition(
            f"{task.id} is {task.status}: there is nothing to hold",
            hint=f"`agentx run task reopen {task.id} REASON` takes it up again",
        )
    return (said,)


# --- lanes ----------------------------------------------------------------------------------


def _lane_opened(run: Run, said: Happening) -> tuple[Happening, ...]:
    if said.lane in run.lanes:
        raise IllegalTransition(
            f"{said.lane} is there already and is {run.lanes[said.lane].status}",
            hint="choose another name, or none: the next number is taken then",
        )
    busy = [lane for lane in run.lanes.values() if lane.open]
    if len(busy) >= RUN_LANES_OPEN_MAX:
        raise LimitError(
            f"{run.id} has {len(busy)} lanes open, at most {RUN_LANES_OPEN_MAX}",
            hint="merge or fail some first",
        )
    if not said.task:
        return (said,)
    task = _find_task(run, said)
    at_work = next((lane for lane in busy if lane.task == said.task), None)
    if at_work is not None:
        raise IllegalTransition(
            f"{said.task} is worked on in {at_work.id}",
            hint=f"`agentx run lane reassign {at_work.id}` gives it to another lane",
        )
    if task.status is TaskStatus.IN_PROGRESS:
        return (said,)
    started = Happening(kind="task-started", actor=said.actor, task=said.task, lane=said.lane)
    return (said, *_task_step(run, started))


def _lane_taken(run: Run, said: Happening) -> tuple[Happening, ...]:
    lane = find_lane(run, said.lane)
    if not lane.open:
        raise IllegalTransition(
            f"{lane.id} is {lane.status}: there is nothing to take",
            hint="`agentx run lane list` shows how the lanes stand",
        )
    return (said,)


def _lane_step(run: Run, said: Happening) -> tuple[Happening, ...]:
    lane = find_lane(run, said.lane)
    if lane.status not in LANE_STEPS[said.kind]:
        raise IllegalTransition(
            f"{lane.id} is {lane.status}: {said.kind} cannot happen",
            hint="`agentx run lane list` shows how the lanes stand",
        )
    task = run.tasks.get(lane.task)
    actor = said.actor
    follows: list[Happening] = []
    if said.kind == "lane-merged":
        follows += _conflicts_resolved(run, lane, said)
        if lane.open and task is not None and not task.over:
            follows.append(Happening(kind="task-completed", actor=actor, task=task.id))
    if said.kind == "lane-failed" and task is not None and _is_work_of(task, lane):
        reason = {"reason": f"{lane.id} failed: {said.detail['reason']}"}
        follows.append(Happening(kind="task-failed", actor=actor, task=task.id, detail=reason))
    if said.kind == "lane-retried" and task is not None and not task.over:
        follows.append(Happening(kind="task-started", actor=actor, task=task.id, lane=lane.id))
    if said.kind in ("lane-failed", "lane-retried", "lane-reassigned"):
        follows += _conflicts_resolved(run, lane, said)
    return (said, *follows)


def _is_work_of(task: Task, lane: Lane) -> bool:
    """Tell whether a task fails with a lane: not where another checkout holds it."""
    claim = task.settled.claim
    return not task.over and (claim is None or claim.checkout == lane.checkout)


def find_lane(run: Run, name: str) -> Lane:
    """Return a lane by its name, or by the beginning of it where only one begins so.

    Raises: NotFound, InvalidValue where several begin so.
    """
    lane = run.lanes.get(name)
    if lane is not None:
        return lane
    near = [each for each in run.lanes.values() if name and each.id.startswith(f"{name}-")]
    if len(near) == 1:
        return near[0]
    if near:
        raise InvalidValue(
            f"{name} means {len(near)} lanes of {run.id}",
            hint=f"say which: {', '.join(each.id for each in near[:5])}",
        )
    raise NotFound(f"{name}: no such lane in {run.id}", hint="`agentx run lane list` shows them")


def _conflicts_resolved(run: Run, lane: Lane, said: Happening) -> list[Happening]:
    """Return what ends the conflicts of a lane that is merged or given up."""
    return [
        _resolve(conflict.id, said.actor, f"{said.kind} {lane.id}")
        for conflict in run.conflicts.values()
        if conflict.open and conflict.lane == lane.id
    ]


def _resolve(conflict: str, actor: str, how: str) -> Happening:
    detail = {"conflict": conflict, "resolution": how}
    return Happening(kind="conflict-resolved", actor=actor, detail=detail)


def _commit_given_up(run: Run, said: Happening) -> tuple[Happening, ...]:
    lane = run.lanes.get(said.lane)
    task = None if lane is None else run.tasks.get(lane.task)
    if lane is None or lane.open or task is None or task.status is not TaskStatus.COMPLETED:
        return (said,)
    # It counts where the give-up does: `without` says from which it follows.
    detail = {"reason": f"what {lane.id} was merged by is gone", "without": said.detail["commit"]}
    again = Happening(kind="task-reopened", actor=said.actor, task=task.id, detail=detail)
    return (said, *_task_step(run, again))


def _work_rebased(run: Run, said: Happening) -> tuple[Happening, ...]:
    follows = [
        _resolve(conflict.id, said.actor, "the work branch was rebased")
        for conflict in run.conflicts.values()
        if conflict.open and conflict.operation == "rebase"
    ]
    return (said, *follows)


def _conflict_resolved(run: Run, said: Happening) -> tuple[Happening, ...]:
    name = str(said.detail["conflict"])
    found = run.conflicts.get(name)
    if found is None or not found.open:
        raise NotFound(f"{name}: no open conflict of that name in {run.id}")
    return (said,)


_RULES: dict[str, Callable[[Run, Happening], tuple[Happening, ...]]] = {
    "phase-entered": _phase_entered,
    "run-completed": _run_completed,
    "run-reopened": _run_reopened,
    "task-added": _task_added,
    "task-revised": _task_revised,
    **dict.fromkeys(TASK_STEPS, _task_step),
    **dict.fromkeys((CLAIMED, RELEASED), _task_held),
    "lane-opened": _lane_opened,
    "lane-taken": _lane_taken,
    **dict.fromkeys(LANE_STEPS, _lane_step),
    "commit-given-up": _commit_given_up,
    "work-rebased": _work_rebased,
    "conflict-resolved": _conflict_resolved,
    **WORD_RULES,
}
