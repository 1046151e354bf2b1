"""The run that goes on: where it stands, what a task needs, and what an agent did for it.

The same verbs as `agentx run`. An agent of any CLI can take a run up and write to it.
"""

from __future__ import annotations

from typing import Any

from agentx.kernel.text import hang
from agentx.operations.runs.context import run_context
from agentx.operations.runs.read import RunOverview, show_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import record_event
from agentx.project.roles.caller import find_caller
from agentx.runs.rendering import as_text as context_text
from agentx.runs.rendering import tell_answered
from agentx.surfaces.mcp.answer import answer, fence
from agentx.surfaces.mcp.desk import Desk
from agentx.surfaces.mcp.hints import speak_command


def run_status(desk: Desk, *, run: str = "") -> str:
    """Show the run that goes on here: phase, tasks, lanes, what blocks it, what to do next."""
    project = desk.project()
    found = show_run(project, run, caller=find_caller(project, by_mcp=True))
    head = f"{found.run_id}: {found.title}\n{found.phase}, {found.status}"
    current = f", current task {found.current_task}" if found.current_task else ""
    rows = [*map(hang, _rows(found))]
    return answer(rows, head=head + current, more="These matter first.")


def _rows(found: RunOverview) -> list[str]:
    rows = [f"next: {step.text}{speak_command(step.command)}" for step in found.next]
    rows += [tell_answered(asked) for asked in found.answered]
    rows += found.unverified
    rows += [f"blocked by {asked.id}: {asked.question}" for asked in found.blockers]
    for task in found.tasks:
        note = "ready" if task.ready else ", ".join(task.waits_for) and "waits"
        held = f"held by {task.holder}: {task.held}" if task.held else ""
        words = (task.task_id, task.status, task.title, note, task.lane, held)
        rows.append(" ".join(word for word in words if word))
    lost = {each.lane: f", but {each.why}" for each in found.unmerged}
    rows += [
        f"{lane.id} {lane.status} {lane.task} {lane.branch}{lost.get(lane.id, '')}"
        for lane in found.lanes
    ]
    rows += [f"lately: {line}" for line in found.recent]
    return rows


def run_task_context(
    desk: Desk, *, task: str = "", budget_tokens: int = 12_000, run: str = ""
) -> str:
    """Give what a task needs: its contract, the rules of the run, its work log, its files."""
    return fence(context_text(run_context(desk.project(), run, task, budget_tokens)))


def run_event(
    desk: Desk,
    *,
    type: str,  # noqa: A002  what the agent reads
    actor: str,
    task: str = "",
    lane: str = "",
    text: str = "",
    detail: dict[str, Any] | None = None,
    run: str = "",
) -> str:
    """Record what happened in the run, so that whoever takes it up next knows."""
    by = Saying(run_id=run, actor=actor, task=task, lane=lane)
    project = desk.project()
    caller = find_caller(project, by_mcp=True)
    told = record_event(
        project, by, type, detail or {}, words=text, caller=caller, takes_checks=False
    )
    rows = [f"{event.id} {event.kind} {event.task}" for event in told.added]
    rows += [f"note: {remark}" for remark in told.remarks]
    return answer(rows, head=f"recorded in {told.run.id}: {told.run.phase}, {told.run.status}")


def propose_lesson(
    desk: Desk,
    *,
    text: str,
    kind: str,
    actor: str,
    evidence: tuple[str, ...] = (),
    files: tuple[str, ...] = (),
    contradicts: tuple[str, ...] = (),
    confidence: str = "MEDIUM",
    run: str = "",
) -> str:
    """Offer what the run taught to long-term memory: later runs are told, if it is accepted."""
    lists = {"evidence": evidence, "files": files, "contradicts": contradicts}
    given: dict[str, Any] = {"kind": kind, "text": text, "confidence": confidence}
    given.update({name: list(each) for name, each in lists.items() if each})
    project, by = desk.project(), Saying(run_id=run, actor=actor)
    caller = find_caller(project, by_mcp=True)
    told = record_event(project, by, "candidate-proposed", given, caller=caller)
    name = list(told.run.candidates)[-1]
    return answer([f"{name} is offered by {told.run.id}; a person or the run's end decides"])
