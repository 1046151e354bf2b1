"""What an agent is to work on: the issue, the step of its workflow, and all that it is told."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from agentx.agents.hub.artifacts import artifacts_of
from agentx.agents.runners.port import Ask, Reference, Wants
from agentx.kernel.errors import IllegalTransition, NotFound
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.limits import AGENT_RECALL_TOKENS, AGENT_WORK_WAIT_MS
from agentx.operations.recall.origins import origin_of_data
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallRequest
from agentx.project.project import Project
from agentx.wiring.hub import open_issues, run_monitor
from agentx.wiring.runners import role_texts
from agentx.wiring.walking.walks import find_template
from agentx.wiring.work import position
from agentx.work.model import Edit, Issue, Position, Stage, Status, Step
from agentx.work.progress import output_of


@frozen
class RunRequest:
    """Who is to work on what."""

    role: str
    issue: int
    runner: str = ""  # empty takes the setting
    task: str = ""  # empty takes the issue's step
    model: str = ""
    script: Path | None = None
    advance: bool = True  # move the issue on when the step is done
    time_limit_ms: int = AGENT_WORK_WAIT_MS
    turns: int = 0  # of the loop; 0 takes the usual bound, as below
    tokens: int = 0
    usd: float = 0.0


@frozen
class LoopReply:
    """How a sitting of the loop ended."""

    ended: str  # as `LoopEnd` has it
    reason: str
    model: str
    turns: int
    calls: int
    tokens: int
    usd: float
    changed: tuple[str, ...]
    waits_for: str = ""
    next: str = ""  # what a person may do now


@frozen
class RunReply:
    """What came of it."""

    role: str
    issue: int
    runner: str
    step: str
    report: str
    session_id: str
    took_ms: int
    issue_status: str
    agent_status: str
    loop: LoopReply | None = None  # of the loop: how it ended, and what it took


@frozen
class Assignment:
    """An agent's work, begun."""

    role: str
    issue: Issue
    step: Step | None
    ask: Ask


def assign(project: Project, request: RunRequest, open_memory: Callable[[], Memory]) -> Assignment:
    """Begin the issue's step, and gather what the agent is told.

    Raises: NotFound, InvalidValue, IllegalTransition when the issue cannot be begun.
    """
    roles = role_texts(project)
    role = roles.name_role(request.role)
    run_monitor(project)
    where = position(project, request.issue)
    if not where.issue.is_open:
        raise IllegalTransition(
            f"#{request.issue} is closed", hint=f"agentx issue reopen {request.issue}"
        )
    step = _step(where, role)
    issue = move_issue(project, where.issue, step.status_on_start if step else None)
    ask = Ask(
        role=role,
        instructions=roles.text(role),
        question=request.task or _task(project, issue, step),
        issue=issue.number,
        artifacts=_artifacts(project, where),
        recalled=_recall(project, open_memory, role, issue),
        wants=Wants.WORK,
        time_limit_ms=request.time_limit_ms,
    )
    return Assignment(role=role, issue=issue, step=step, ask=ask)


def _step(where: Position, role: str) -> Step | None:
    """Return the step that a role can do now; other work is done without moving the issue."""
    return next((each.step for each in where.next if each.step.agent == role), None)


def move_issue(project: Project, issue: Issue, status: Status | None) -> Issue:
    """Move an issue to a status, if it is in another."""
    if status is None or status is issue.status:
        return issue
    return open_issues(project).edit(issue.number, Edit(status=status))


def _task(project: Project, issue: Issue, step: Step | None) -> str:
    what = f"{step.title}." if step else "Do what your role does for it."
    criteria = (
        f" It is done when {step.completion_criteria}." if step and step.completion_criteria else ""
    )
    output = f" Write it to {output_of(step, issue.number)}." if step and step.output else ""
    named = step.template if step else ""
    template = ""
    if named:
        with suppress(NotFound):  # then its name may say enough
            template = find_template(project, named).strip()
    parts = f"\n\nIt has all parts of this template, each filled in:\n\n{template}"
    follow = parts if template else f" Follow the template {named}." if named else ""
    return f"Issue #{issue.number}: {issue.title}\n\n{what}{output}{criteria}{follow}"


def _artifacts(project: Project, where: Position) -> tuple[Reference, ...]:
    issue = where.issue
    said = "".join(f"\n\n[{each.author or 'comment'}] {each.body}" for each in issue.comments)
    text = f"{issue.title}\n\n{issue.body}{said}".strip()
    outputs = (
        output_of(each.step, issue.number) for each in where.steps if each.stage is Stage.DONE
    )
    origin = origin_of_data(project)
    name = f"issue #{issue.number}, {origin}" if origin else f"issue #{issue.number}"
    own = Reference(name=name, text=text)
    return (own, *artifacts_of(project.paths, issue.number, outputs))


def _recall(project: Project, open_memory: Callable[[], Memory], role: str, issue: Issue) -> str:
    with open_memory() as memory:
        memory.drain()
        memory.catch_up()
        request = RecallRequest(
            agent=role,
            issue=issue.number,
            context=issue.title,
            budget_tokens=AGENT_RECALL_TOKENS,
        )
        return recall(project, memory, request).text
