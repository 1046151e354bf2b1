"""What is next on an issue's way through its workflow, read from the events alone. Pure.

    -begun-> agent at work -ended-> checked -passed-> done
                  ^                    |
                  '----- what to mend -'    a bounded number of times, then a person is asked

Law: a step whose output did not pass is not done; nothing after it begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentx.work.limits import WALK_SENT_BACK_MAX, WALK_TRIES_MAX
from agentx.work.model import Step, Workflow
from agentx.work.walk.model import ASTRAY, Deed, Due, Walked, WalkEvent, WalkSpent

Events = Sequence[WalkEvent]


def cut_to_way(events: Events) -> tuple[WalkEvent, ...]:
    """Return the events of the way that an issue is on; none where it is on none."""
    if events and events[-1].kind is Walked.ENDED:
        return ()
    begins = [at for at, each in enumerate(events) if each.kind is Walked.BEGAN]
    return tuple(events[begins[-1] :]) if begins else ()


def list_shown(workflow: Workflow, events: Events) -> dict[str, bool]:
    """Return of each step whether it is done: a file that lies there may be half, or anybody's.

    Where work was sent back, what was judged is not done, nor what comes after that.
    """
    shown = {step.id: False for step in workflow.steps}
    for each in events:
        if each.kind is Walked.STEP_DONE:
            shown[each.step] = True
        elif each.kind is Walked.SENT_BACK:
            judge = workflow.step(each.step)
            shown |= dict.fromkeys(_list_after(workflow, judge.needs if judge else ()), False)
    return shown


def list_at_work(events: Events) -> frozenset[str]:
    """Return the steps that agents began and have not finished, whatever the issue's status says.

    Where one stopped, and a person lets the way go on, the status counts: they may have done it.
    """
    back, sat = _after_last(events, Walked.SENT_BACK), _after_last(events, Walked.SITTING)
    last = {each.step: at for at, each in enumerate(events) if at >= back and each.step}
    return frozenset(
        step
        for step, at in last.items()
        if events[at].kind is not Walked.STEP_DONE and (at >= sat or not _has_stopped(events[at]))
    )


def find_checks(events: Events) -> tuple[str, ...]:
    """Return the commands that a person named last: they hold until others are named."""
    return next((each.checks for each in reversed(events) if each.checks), ())


def find_astray_end(events: Events) -> str:
    """Return why nothing more is done in this sitting: what an agent left behind; or nothing."""
    sitting = events[_after_last(events, Walked.SITTING) :]
    return next((f"{each.step}: {each.reason}" for each in sitting if each.ended == ASTRAY), "")


def find_begun(events: Events, step: str) -> WalkEvent | None:
    """Return how a step that is not done was begun: the first time since work was sent back."""
    mine = [each for each in events[_after_last(events, Walked.SENT_BACK) :] if each.step == step]
    done = max((at + 1 for at, each in enumerate(mine) if each.kind is Walked.STEP_DONE), default=0)
    return next((each for each in mine[done:] if each.kind is Walked.STEP_BEGAN), None)


def find_due(step: Step, events: Events) -> Due:
    """Return what is to be done for a step that can be done now."""
    back, sat = _after_last(events, Walked.SENT_BACK), _after_last(events, Walked.SITTING)
    mine = [at for at, each in enumerate(events) if at >= back and each.step == step.id]
    sitting = [events[at] for at in mine if at >= sat]
    last = events[mine[-1]] if mine else None
    match last.kind if last else None:
        case Walked.STEP_BEGAN:
            return Due(step=step, deed=Deed.RESUME, last=last)
        case Walked.STEP_ENDED if last is not None:
            if not last.ended:
                return Due(step=step, deed=Deed.CHECK, last=last)
            deed = Deed.STOP if mine[-1] >= sat else Deed.RESUME
            return Due(step=step, deed=deed, last=last, reason=last.reason)
        case Walked.STEP_CHECKED if last is not None:
            return _judge(step, last, sitting)
        case _:
            return _begin(step, events)


def sum_spent(events: Events) -> WalkSpent:
    """Return what a way has cost: of each session what it said last."""
    last = {each.session: each for each in events if each.session and each.tokens}
    return WalkSpent(
        tokens=sum(each.tokens for each in last.values()),
        micro_usd=sum(each.micro_usd for each in last.values()),
    )


def _has_stopped(last: WalkEvent) -> bool:
    is_faulty = bool(last.ended or last.errors or last.is_again)
    return is_faulty and last.kind is not Walked.STEP_BEGAN


def _list_after(workflow: Workflow, needs: Sequence[str]) -> set[str]:
    """Return some steps, and all that need one of them, directly or not."""
    found = set(needs)
    for _ in workflow.steps:
        found |= {step.id for step in workflow.steps if found & set(step.needs)}
    return found


def _begin(step: Step, events: Events) -> Due:
    back = events[_after_last(events, Walked.SITTING) :]
    times = sum(each.kind is Walked.SENT_BACK for each in back)
    if times > WALK_SENT_BACK_MAX:
        return Due(step=step, deed=Deed.STOP, reason=f"it was sent back {times} times")
    return Due(step=step, deed=Deed.BEGIN)


def _judge(step: Step, last: WalkEvent, sitting: Events) -> Due:
    if last.errors:
        tries = sum(each.kind is Walked.STEP_CHECKED and bool(each.errors) for each in sitting)
        why = f"its output did not pass {tries} times: {last.errors[0]}"
        is_over = tries >= WALK_TRIES_MAX
    elif last.is_again:
        rounds = sum(each.kind is Walked.STEP_CHECKED and each.is_again for each in sitting)
        why = f"{rounds} rounds were made, as many as it may, and its criteria are not met"
        is_over = rounds >= step.max_iterations
    else:
        return Due(step=step, deed=Deed.FINISH, last=last)
    if is_over:
        return Due(step=step, deed=Deed.STOP, last=last, reason=why)
    return Due(step=step, deed=Deed.RESUME, last=last, errors=last.errors)


def _after_last(events: Events, kind: Walked) -> int:
    return max((at + 1 for at, each in enumerate(events) if each.kind is kind), default=0)
