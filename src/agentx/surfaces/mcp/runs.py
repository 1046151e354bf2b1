"""The run that goes on: where it stands, what a task needs, and what an agent did for it.

The same verbs as `agentx run`. An agent of any CLI can take a run up and write to it.
"""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from agentx.kernel.limits import RUN_TEXT_CHARS_MAX
from agentx.operations.runs.read import RunOverview, show_run
from agentx.operations.runs.write import EVENT_TYPES, Saying, record_event
from agentx.runs.model import CANDIDATE_KINDS
from agentx.surfaces.mcp.answer import Row, answer, fence
from agentx.surfaces.mcp.desk import OpenProject
from agentx.surfaces.mcp.offering import offer

_TOKENS_MAX = 6_000
_CONTEXT_TOKENS = 12_000

RunName = Annotated[str, Field(description="A run id; empty: the active one", max_length=80)]


def register(server: MCPServer, opened: OpenProject) -> None:
    """Offer `run_status`, `run_task_context`, `run_event` and `propose_lesson`."""
    _offer_status(server, opened)
    _offer_context(server, opened)
    _offer_event(server, opened)
    _offer_lesson(server, opened)


def _offer_status(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, opened=opened, title="Where the run stands")
    def run_status(run: RunName = "") -> CallToolResult:
        """Show the run that goes on here: phase, tasks, lanes, what blocks it, what to do next.

        Look when you begin work, and before you say that something is done.
        """
        found = show_run(opened(), run)
        head = f"{found.run_id}: {found.title}\n{found.phase}, {found.status}"
        return answer(
            _rows(found),
            budget=_TOKENS_MAX,
            head=head,
            more="`agentx run show` has the rest.",
            run_id=found.run_id,
            phase=found.phase,
            status=found.status,
            current_task=found.current_task,
        )


def _rows(found: RunOverview) -> list[Row]:
    rows = [
        Row(text=f"next: {step.text} ({step.command})", data={"next": step}) for step in found.next
    ]
    rows += [
        Row(text=f"blocked by {asked.id}: {asked.question}", data={"blocker": asked.id})
        for asked in found.blockers
    ]
    for task in found.tasks:
        note = "ready" if task.ready else ", ".join(task.waits_for) and "waits"
        line = f"{task.task_id} {task.status} {task.title} {note or ''} {task.lane}".strip()
        rows.append(Row(text=line, data={"task": task}))
    rows += [
        Row(text=f"{lane.id} {lane.status} {lane.task} {lane.branch}", data={"lane": lane})
        for lane in found.lanes
    ]
    rows += [Row(text=f"lately: {line}", data={"lately": line}) for line in found.recent]
    return rows


def _offer_context(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, opened=opened, title="What a task needs")
    def run_task_context(
        *,
        task: Annotated[str, Field(description="A task; empty: the current one")] = "",
        budget_tokens: Annotated[int, Field(ge=200, le=100_000)] = _CONTEXT_TOKENS,
        run: RunName = "",
    ) -> CallToolResult:
        """Give what a task needs: its contract, the rules of the run, its work log, its files.

        Call it before you begin a task of a run.
        """
        # Every session pays for the server's start, few ask for this.
        from agentx.operations.runs.context import run_context  # noqa: PLC0415  see above
        from agentx.runs.rendering import as_text as context_text  # noqa: PLC0415  see above

        return fence(context_text(run_context(opened(), run, task, budget_tokens)))


def _offer_event(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, opened=opened, title="Say what you did", reads_only=False)
    def run_event(
        *,
        type: Annotated[str, Field(description=f"One of {', '.join(EVENT_TYPES)}")],  # noqa: A002  what the agent reads
        actor: Annotated[str, Field(description="Your role, such as executor", max_length=64)],
        task: Annotated[str, Field(description="The task it is about", max_length=64)] = "",
        lane: Annotated[str, Field(description="The lane it is about", max_length=64)] = "",
        text: Annotated[str, Field(description="What you say", max_length=RUN_TEXT_CHARS_MAX)] = "",
        detail: Annotated[
            dict[str, Any] | None, Field(description="Further fields of that type")
        ] = None,
        run: RunName = "",
    ) -> CallToolResult:
        """Record what happened in the run, so that whoever takes it up next knows.

        Use task-started, task-progressed (with text), task-completed, task-failed (detail.reason),
        decision-made, checkpoint-made, escalation-raised (detail.question) or note.
        """
        by = Saying(run_id=run, actor=actor, task=task, lane=lane)
        told = record_event(opened(), by, type, detail or {}, words=text)
        rows = [
            Row(text=f"{event.id} {event.kind} {event.task}", data={"event_id": event.id})
            for event in told.added
        ]
        head = f"recorded in {told.run.id}: {told.run.phase}, {told.run.status}"
        return answer(rows, budget=_TOKENS_MAX, head=head, run_id=told.run.id)


def _offer_lesson(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, opened=opened, title="Offer a lesson", reads_only=False)
    def propose_lesson(
        *,
        text: Annotated[
            str, Field(description="The lesson, in one sentence", max_length=RUN_TEXT_CHARS_MAX)
        ],
        kind: Annotated[str, Field(description=f"One of {', '.join(CANDIDATE_KINDS)}")],
        actor: Annotated[str, Field(description="Your role, such as executor", max_length=64)],
        evidence: Annotated[
            list[str] | None, Field(description="What proves it: files, tests, event ids")
        ] = None,
        files: Annotated[list[str] | None, Field(description="Files it is about")] = None,
        contradicts: Annotated[
            list[str] | None, Field(description="Known lessons it speaks against, such as PAT-001")
        ] = None,
        confidence: Annotated[str, Field(description="LOW, MEDIUM or HIGH")] = "MEDIUM",
        run: RunName = "",
    ) -> CallToolResult:
        """Offer what the run taught to long-term memory: later runs are told, if it is accepted.

        A pattern that works, an error and its mend, a decision, a debt. Saying again what is
        known makes it surer. Only what the next agent would not find out by itself.
        """
        lists = {"evidence": evidence, "files": files, "contradicts": contradicts}
        given: dict[str, Any] = {"kind": kind, "text": text, "confidence": confidence}
        given.update({name: each for name, each in lists.items() if each})
        by = Saying(run_id=run, actor=actor)
        told = record_event(opened(), by, "candidate-proposed", given)
        name = list(told.run.candidates)[-1]
        head = f"{name} is offered by {told.run.id}; a person or the run's end decides"
        return answer([], budget=_TOKENS_MAX, head=head, run_id=told.run.id, candidate_id=name)
