"""What the events of tasks, lanes and git mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentx.kernel.text import compile_late, name_some
from agentx.kernel.vouching.standing import UNVERIFIED
from agentx.runs.asked import Escalation
from agentx.runs.model import (
    Conflict,
    Contract,
    Lane,
    LaneStatus,
    Rebased,
    RunEvent,
    Task,
    TaskStatus,
    is_git_name,
)
from agentx.runs.rules.claim_lines import find_said
from agentx.runs.rules.draft import (
    RunDraft,
    entry_of,
    free_name,
    lane_named,
    name_question,
    settle_question,
    task_meant,
)

_CHECKOUT = compile_late(r"[0-9a-f]{4}")

# --- tasks ----------------------------------------------------------------------------------


def contract_in(event: RunEvent) -> Contract:
    """Return the contract that an event holds."""
    return Contract(
        title=event.text("title"),
        goal=event.text("goal"),
        scope=event.text("scope"),
        files=event.texts("files"),
        acceptance=event.texts("acceptance"),
        depends_on=event.texts("depends_on"),
        checks=event.texts("checks"),
    )


def settle_checks(
    event: RunEvent, before: tuple[str, ...], doubted: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the checks that hold after an event, and those of them that nobody vouches for.

    What nobody vouches for takes none away, and what it asks for is run only by who names it.
    """
    if "checks" not in event.detail:
        return before, doubted
    declared = event.texts("checks")
    if not event.is_doubtful:
        return declared, ()
    new = tuple(each for each in declared if each not in before)
    return (*before, *new), (*doubted, *new)


def _task_added(draft: RunDraft, event: RunEvent) -> None:
    contract = contract_in(event)
    _, doubted = settle_checks(event, (), ())
    known = draft.tasks.get(event.task)
    if known is not None and known.born == "":
        # It was spoken of before it was written down.
        draft.tasks[event.task] = replace(
            known,
            born=event.id,
            contracts=(contract,),
            contracted_ms=(event.at_ms,),
            doubted=doubted,
        )
        draft.births[event.id] = event.task
        return
    if known is not None and known.contracts[0] == contract:
        draft.births[event.id] = event.task
        return
    name = event.task if known is None else free_name(event.task, draft.tasks)
    draft.births[event.id] = name
    draft.tasks[name] = Task(
        id=name,
        born=event.id,
        contracts=(contract,),
        contracted_ms=(event.at_ms,),
        doubted=doubted,
    )


def _task_revised(draft: RunDraft, event: RunEvent) -> None:
    task = task_meant(draft, event)
    if task is not None:
        checks, doubted = settle_checks(event, task.contract.checks, task.doubted)
        contract = replace(contract_in(event), checks=checks)
        first = task.born == ""
        draft.tasks[task.id] = replace(
            task,
            contracts=(contract,) if first else (*task.contracts, contract),
            contracted_ms=(event.at_ms,) if first else (*task.contracted_ms, event.at_ms),
            doubted=doubted,
        )


def _task_started(draft: RunDraft, event: RunEvent) -> None:
    task = task_meant(draft, event)
    if task is None:
        return
    retried = event.kind == "task-retried"
    lane = lane_named(draft, event) or _find_own_lane(draft, task, event)
    now = replace(
        task,
        status=TaskStatus.IN_PROGRESS,
        reopened_ms=event.at_ms if retried else task.reopened_ms,
        started_ms=task.started_ms or event.at_ms,
        ended_ms=None,
        attempts=task.attempts + 1,
        lane=_choose_lane(draft, task, lane, event),
        reason=event.text("reason"),
    )
    draft.put_task(now)
    draft.current_task = task.id


def _choose_lane(draft: RunDraft, task: Task, name: str, event: RunEvent) -> str:
    """Return the lane in which a task is worked on: that of who holds it, who may have none."""
    named, known = draft.lanes.get(name), draft.lanes.get(task.lane)
    if named is not None:
        return task.lane if _is_others(named, _find_holder(task, event)) else name
    if known is not None and known.open and _is_others(known, _find_beginner(task, event)):
        return ""
    return name or task.lane


def _find_holder(task: Task, event: RunEvent) -> str:
    """Return the checkout that held a task when something was said; empty where none did."""
    claim = task.find_claim(find_said(event)) if task.claims else None
    return "" if claim is None else claim.checkout


def _find_beginner(task: Task, event: RunEvent) -> str:
    """Return who begins a task; a beginning without a claim is by who claimed it before, at the
    remote, whatever the clocks say."""
    claim = task.settled.claim if task.claims else None
    return event.text("checkout") or ("" if claim is None else claim.checkout)


def _is_others(lane: Lane, checkout: str) -> bool:
    return bool(checkout) and lane.checkout not in ("", checkout)


def _find_own_lane(draft: RunDraft, task: Task, event: RunEvent) -> str:
    """Return the open lane of a task that who begins it has, where the task's own is not open, or
    is another's."""
    known, checkout = draft.lanes.get(task.lane), _find_beginner(task, event)
    if known is None or (known.open and not _is_others(known, checkout)):
        return ""
    lanes = (each for each in draft.lanes.values() if each.task == task.id and each.open)
    return next((each.id for each in lanes if checkout and each.checkout == checkout), "")


def _find_merged_lane(draft: RunDraft, task: Task) -> str:
    """Return the lane by which a task is completed: the last that was merged for it."""
    lanes = (each for each in draft.lanes.values() if each.task == task.id)
    merged = [each for each in lanes if each.status is LaneStatus.MERGED]
    since = [each for each in merged if each.changed_ms >= task.reopened_ms]
    return max(since, key=lambda each: (each.changed_ms, each.id)).id if since else task.lane


def _task_reopened(draft: RunDraft, event: RunEvent) -> None:
    task = task_meant(draft, event)
    if task is not None:
        # Who knew that it is worked on would not have said so: that goes on.
        is_begun = task.status is TaskStatus.IN_PROGRESS
        now = replace(
            task,
            status=task.status if is_begun else TaskStatus.PENDING,
            reopened_ms=event.at_ms,
            ended_ms=None,
            reason=event.text("reason"),
        )
        draft.put_task(now)


def _task_progressed(draft: RunDraft, event: RunEvent) -> None:
    task = task_meant(draft, event)
    if task is not None:
        draft.logs.setdefault(task.id, []).append(entry_of(event, event.text("text")))


_TASK_ENDS = {
    "task-completed": TaskStatus.COMPLETED,
    "task-failed": TaskStatus.FAILED,
    "task-dropped": TaskStatus.DROPPED,
    "task-blocked": TaskStatus.BLOCKED,
}


def _task_ended(draft: RunDraft, event: RunEvent) -> None:
    task = task_meant(draft, event)
    if task is None:
        return
    status = _TASK_ENDS[event.kind]
    now = replace(
        task,
        status=status,
        reason=event.text("reason"),
        ended_ms=None if status is TaskStatus.BLOCKED else event.at_ms,
        lane=_find_merged_lane(draft, task) if status is TaskStatus.COMPLETED else task.lane,
    )
    draft.put_task(now)
    if event.text("text"):
        draft.logs.setdefault(task.id, []).append(entry_of(event, event.text("text")))
    if draft.current_task == task.id and status is not TaskStatus.BLOCKED:
        going = (name for name, each in draft.tasks.items() if each.status == "IN_PROGRESS")
        draft.current_task = next(going, "") if draft.at_work else ""


# --- lanes, git, conflicts ------------------------------------------------------------------


def _lane_opened(draft: RunDraft, event: RunEvent) -> None:
    known = draft.lanes.get(event.lane)
    name = event.lane if known is None else free_name(event.lane, draft.lanes)
    draft.births[event.id] = name
    task = task_meant(draft, event)
    draft.lanes[name] = Lane(
        id=name,
        born=event.id,
        branch=event.git_name("branch"),
        task="" if task is None else task.id,
        actor=event.actor,
        checkout=event.text("checkout") or _find_checkout(event.lane),
        start_commit=event.git_name("commit"),
        commit=event.git_name("commit"),
        opened_ms=event.at_ms,
        changed_ms=event.at_ms,
    )
    if task is not None:
        lane = _choose_lane(draft, task, name, event)
        draft.tasks[task.id] = replace(draft.tasks[task.id], lane=lane)


def _find_checkout(lane: str) -> str:
    """Return the checkout that a lane's name carries."""
    end = lane.rpartition("-")[2]
    return end if _CHECKOUT.fullmatch(end) else ""


def _lane_taken(draft: RunDraft, event: RunEvent) -> None:
    lane = draft.lanes.get(lane_named(draft, event))
    if lane is not None:
        draft.lanes[lane.id] = replace(
            lane,
            checkout=event.text("checkout"),
            commit=event.git_name("commit") or lane.commit,
            changed_ms=event.at_ms,
        )


_LANE_STEPS = {
    "lane-finished": LaneStatus.FINISHED,
    "lane-merged": LaneStatus.MERGED,
    "lane-failed": LaneStatus.FAILED,
    "lane-retried": LaneStatus.ACTIVE,
    "lane-reassigned": LaneStatus.REASSIGNED,
}


def _lane_changed(draft: RunDraft, event: RunEvent) -> None:
    lane = draft.lanes.get(lane_named(draft, event))
    if lane is None:
        return
    draft.lanes[lane.id] = replace(
        lane,
        status=_LANE_STEPS[event.kind],
        reason=event.text("reason"),
        commit=event.git_name("commit") or lane.commit,
        merged_as=event.git_name("commit") if event.kind == "lane-merged" else lane.merged_as,
        attempts=lane.attempts + (event.kind == "lane-retried"),
        changed_ms=event.at_ms,
    )
    if event.kind == "lane-merged" and event.git_name("commit"):
        draft.git = replace(draft.git, latest_commit=event.git_name("commit"))


def _conflict_found(draft: RunDraft, event: RunEvent) -> None:
    """Keep the conflict, and ask a person: nothing else can put two changes together."""
    lane = draft.lanes.get(lane_named(draft, event))
    files, operation = event.texts("files"), event.text("operation")
    asked = name_question(draft, event)
    name = f"CON-{event.id[-6:]}"
    draft.conflicts[name] = Conflict(
        id=name,
        at_ms=event.at_ms,
        operation=operation,
        lane="" if lane is None else lane.id,
        files=files,
        escalation=asked,
    )
    what, other = (
        (lane.id, "the work branch") if lane is not None else ("the work branch", "its base")
    )
    draft.escalations[asked] = Escalation(
        id=asked,
        at_ms=event.at_ms,
        actor=event.actor,
        question=f"{what} does not go together with {other}: {name_some(files)}",
        task="" if lane is None else lane.task,
        lane="" if lane is None else lane.id,
        tried=(f"git {operation}",),
        needed="a person who puts the changes together",
    )
    if lane is not None:
        draft.lanes[lane.id] = replace(lane, status=LaneStatus.CONFLICT, changed_ms=event.at_ms)


def _conflict_resolved(draft: RunDraft, event: RunEvent) -> None:
    found = draft.conflicts.get(event.text("conflict"))
    if found is None or not found.open:
        return
    how = event.text("resolution") or "resolved"
    lane = draft.lanes.get(found.lane)
    if event.is_claim or (event.is_doubtful and lane and lane.status is LaneStatus.CONFLICT):
        settle_question(draft, replace(event, actor=UNVERIFIED), found.escalation, how)
        return
    draft.conflicts[found.id] = replace(found, resolved_ms=event.at_ms, resolution=how)
    settle_question(draft, event, found.escalation, how)
    if lane is not None and lane.status is LaneStatus.CONFLICT:
        draft.lanes[lane.id] = replace(lane, status=LaneStatus.FINISHED, changed_ms=event.at_ms)


def _branch_made(draft: RunDraft, event: RunEvent) -> None:
    draft.git = replace(draft.git, work_branch=event.git_name("branch"))


def _commit_made(draft: RunDraft, event: RunEvent) -> None:
    lane = draft.lanes.get(lane_named(draft, event))
    if lane is not None:
        draft.lanes[lane.id] = replace(lane, commit=event.git_name("commit"))
    else:
        draft.git = replace(draft.git, latest_commit=event.git_name("commit"))


def _commit_given_up(draft: RunDraft, event: RunEvent) -> None:
    """Stand on what is left; a lane that was merged by what is gone is to be merged again."""
    gone, instead = event.git_name("commit"), event.git_name("instead")
    lane = draft.lanes.get(lane_named(draft, event))
    if event.is_claim:
        return
    if lane is None:
        if draft.git.latest_commit == gone:
            draft.git = replace(draft.git, latest_commit=instead)
    elif lane.status is LaneStatus.MERGED and lane.merged_as == gone:
        draft.lanes[lane.id] = replace(
            lane,
            status=LaneStatus.FINISHED,
            commit=instead,
            merged_as="",
            changed_ms=event.at_ms,
        )
    elif lane.commit == gone:
        draft.lanes[lane.id] = replace(lane, commit=instead)


def _work_rebased(draft: RunDraft, event: RunEvent) -> None:
    """Keep the new commit, also as the one that holds the lanes which were there before."""
    commit, before = event.git_name("commit"), event.git_name("before")
    done = Rebased(
        before=before,
        commit=commit,
        took=tuple(each for each in event.texts("took") if is_git_name(each)),
        is_vouched=not event.is_doubtful,
        writer=event.writer,
    )
    draft.git = replace(draft.git, latest_commit=commit, rebased=(*draft.git.rebased, done))
    held = event.texts("holds") if "holds" in event.detail else None
    for lane in list(draft.lanes.values()):
        is_held = lane.status is LaneStatus.MERGED if held is None else lane.born in held
        if is_held:
            draft.lanes[lane.id] = replace(lane, merged_as=commit)


WORK_STEPS: dict[str, Callable[[RunDraft, RunEvent], None]] = {
    "task-added": _task_added,
    "task-revised": _task_revised,
    "task-started": _task_started,
    "task-retried": _task_started,
    "task-reopened": _task_reopened,
    "task-progressed": _task_progressed,
    **dict.fromkeys(_TASK_ENDS, _task_ended),
    "lane-opened": _lane_opened,
    "lane-taken": _lane_taken,
    **dict.fromkeys(_LANE_STEPS, _lane_changed),
    "conflict-found": _conflict_found,
    "conflict-resolved": _conflict_resolved,
    "branch-made": _branch_made,
    "commit-made": _commit_made,
    "commit-given-up": _commit_given_up,
    "work-rebased": _work_rebased,
}
