"""What counts as done on an issue's way though no agent did it there, and that it is said."""

from __future__ import annotations

from collections.abc import Sequence

from agentx.operations.walking.asked import WalkDesk
from agentx.operations.walking.checking import read_document
from agentx.work.model import Position, Stage, Step
from agentx.work.progress import output_of
from agentx.work.walk.model import Walked, WalkEvent
from agentx.work.walk.outputs import JUDGES


def count_documents(desk: WalkDesk, where: Position) -> list[WalkEvent]:
    """Return what a way begins with: which documents that lie there are done, or must be mended.

    They count where the issue's status does not decide, and nothing before them is left to do. What
    judges was said of other work.
    """
    found = []
    passed = {each.step.id for each in where.steps if each.stage is Stage.SKIPPED}
    passed |= {each.step.id for each in where.steps if each.step.optional}
    for each in where.steps:
        step = each.step
        if each.stage is not Stage.DONE:
            continue
        if step.status_on_complete is not None:
            passed.add(step.id)
        elif step.output and step.agent not in JUDGES and passed.issuperset(step.needs):
            event = _look_at(desk, step)
            if event is not None:
                found.append(event)
                passed |= {step.id} if event.kind is Walked.STEP_DONE else set()
    return found


def _look_at(desk: WalkDesk, step: Step) -> WalkEvent | None:
    path = output_of(step, desk.request.issue)
    text, errors = read_document(desk, step)
    if text is None:
        return None
    kind = Walked.STEP_CHECKED if errors else Walked.STEP_DONE
    said = f"not passed: {errors[0]}" if errors else f"counts as done: {path} is there, and whole"
    desk.told(f"[{step.id}] {said}")
    return WalkEvent(
        kind=kind,
        at_ms=desk.project.clock.now_ms(),
        step=step.id,
        role=step.agent,
        errors=tuple(errors),
    )


def tell_counted(desk: WalkDesk, where: Position, events: Sequence[WalkEvent]) -> None:
    """Say which steps count as done by the issue's status alone."""
    issue = where.issue
    shown = {each.step for each in events if each.kind is Walked.STEP_DONE}
    status = issue.status if issue.is_open else f"closed ({issue.status})"
    for each in where.steps:
        if each.stage is not Stage.DONE or each.step.id in shown:
            continue
        errors = read_document(desk, each.step)[1] if each.step.output else ["no agent did it here"]
        why = f"; {errors[0]}" if errors else ""
        desk.told(f"[{each.step.id}] counts as done, as #{issue.number} is {status}{why}")
