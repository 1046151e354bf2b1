"""Where an issue stands in its workflow: read from what is there, never written down.

A step that names `status_on_complete` is done when the issue has come that far, so
that work sent back by a review is work again. A step that names only an output is
done when the file exists. What a step that is done has needed is done too. A step
whose condition does not hold is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from agentx.work.labels import type_of
from agentx.work.model import Issue, Stage, Status, Step, StepStage, Workflow
from agentx.work.store.workflow_file import CONDITION

_ORDER = tuple(Status)
# What is written for issues without a type, and for types that have no workflow of their own.
USUAL = "story"
ITERATIVE = "iterative-loop"

Exists = Callable[[str], bool]  # whether a path of the project exists


def workflow_name(issue: Issue, names: Iterable[str]) -> str:
    """Return the name of the workflow that an issue follows."""
    known = set(names)
    if "needs:iteration" in issue.labels and ITERATIVE in known:
        return ITERATIVE
    kind = type_of(issue.labels)
    return kind if kind in known else USUAL


def stages(
    workflow: Workflow,
    issue: Issue,
    exists: Exists,
    shown: Mapping[str, bool] | None = None,
    at_work: Collection[str] = (),
) -> tuple[StepStage, ...]:
    """Say of each step whether it is done, skipped, next or later.

    Of a step that names no status `shown` knows better than its file, where it says anything. What
    agents are `at_work` on is not done, whatever the status says.
    """
    skipped = {step.id for step in workflow.steps if not holds(step.condition, issue)}
    done = _list_done(workflow, issue, exists, shown or {}) - skipped - set(at_work)
    # An optional step is offered, and holds nobody up.
    passed = done | skipped | {step.id for step in workflow.steps if step.optional}
    found = []
    for step in workflow.steps:
        waits_for = tuple(need for need in step.needs if need not in passed)
        if step.id in skipped:
            stage = Stage.SKIPPED
        elif step.id in done:
            stage = Stage.DONE
        else:
            stage = Stage.LATER if waits_for else Stage.NEXT
        found.append(StepStage(step=step, stage=stage, waits_for=waits_for))
    return tuple(found)


def step_for(workflow: Workflow, agent: str, found: Iterable[StepStage]) -> Step | None:
    """Return the step that an agent is at: its next one, else its last that was begun."""
    mine = [each for each in found if each.step.agent == agent]
    for stage in (Stage.NEXT, Stage.DONE, Stage.LATER, Stage.SKIPPED):
        at_stage = [each.step for each in mine if each.stage is stage]
        if at_stage:
            return at_stage[-1] if stage is Stage.DONE else at_stage[0]
    assert not workflow.steps_of(agent), "every step of the agent has a stage"
    return None


def holds(condition: str, issue: Issue) -> bool:
    """Tell whether a step's condition holds; none always does."""
    found = CONDITION.fullmatch(condition)
    return found is None or found[1].strip() in issue.labels


def output_of(step: Step, issue: int) -> str:
    """Return the path of a step's output for one issue."""
    return step.output.replace("{issue}", str(issue))


def _list_done(
    workflow: Workflow, issue: Issue, exists: Exists, shown: Mapping[str, bool]
) -> set[str]:
    if not issue.is_open:
        return {step.id for step in workflow.steps}
    come = _ORDER.index(issue.status)
    done: set[str] = set()
    for step in workflow.steps:
        if step.status_on_complete is not None:
            reached = come >= _ORDER.index(step.status_on_complete)
        elif step.id in shown:
            reached = shown[step.id]
        else:
            reached = bool(step.output) and exists(output_of(step, issue.number))
        if reached:
            done |= {step.id, *_before(workflow, step)}
    return done


def _before(workflow: Workflow, step: Step) -> set[str]:
    """Return every step that a step needs, directly or not."""
    found: set[str] = set()
    waiting = list(step.needs)
    while waiting:
        need = waiting.pop()
        if need not in found:
            found.add(need)
            earlier = workflow.step(need)
            waiting.extend(earlier.needs if earlier is not None else ())
    return found
