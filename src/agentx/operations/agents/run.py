"""An agent at work on an issue: its role, the issue, what was learnt before, and who plays it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agentx.agents.happenings import AgentCompleted, AgentError, AgentStarted
from agentx.agents.hub.artifacts import artifacts_of
from agentx.agents.hub.boundary import finishing, starting
from agentx.agents.runners.agent_cli import AgentCli
from agentx.agents.runners.port import Ask, Reference, Reply, Runner, Wants
from agentx.kernel.errors import AgentUnavailable, IllegalTransition, InvalidValue
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.limits import AGENT_RECALL_TOKENS, AGENT_WORK_WAIT_MS
from agentx.operations.recall.origins import origin_of_data
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallRequest
from agentx.project.project import Project
from agentx.wiring.hub import open_bus, open_issues, run_monitor
from agentx.wiring.runners import RUNNERS, role_texts, runner_named, runner_of
from agentx.wiring.work import open_agents, position
from agentx.work.agent_states import fail
from agentx.work.model import AgentState, Edit, Issue, Position, Stage, Status, Step
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


def list_runners() -> tuple[str, ...]:
    """Return who may play a role, by name."""
    return RUNNERS


def run_agent(
    project: Project,
    request: RunRequest,
    open_memory: Callable[[], Memory],
    told: Callable[[str], None] = lambda _line: None,
) -> RunReply:
    """Let an agent work on an issue, and return its report.

    Raises: NotFound, InvalidValue, IllegalTransition when the issue cannot be begun,
        AgentUnavailable when the agent gave no report; it is then shown as stuck.
    """
    roles = role_texts(project)
    role = roles.name_role(request.role)
    chosen = _runner(project, role, request)
    run_monitor(project)
    where = position(project, request.issue)
    if not where.issue.is_open:
        raise IllegalTransition(
            f"#{request.issue} is closed", hint=f"agentx issue reopen {request.issue}"
        )
    step = _step(where, role)
    issue = _move(project, where.issue, step.status_on_start if step else None)
    ask = Ask(
        role=role,
        instructions=roles.text(role),
        question=request.task or _task(issue, step),
        issue=issue.number,
        artifacts=_artifacts(project, where),
        recalled=_recall(project, open_memory, role, issue),
        wants=Wants.WORK,
        time_limit_ms=request.time_limit_ms,
    )
    told(f"{role} ({chosen.name}) works on #{issue.number}")
    status = open_agents(project).get(role, issue.number)
    if status.state is AgentState.BLOCKED_CLARIFICATION:
        who = status.waiting_on or "an answer"
        told(f"{role} is blocked: {status.clarification_id} waits for {who}")
    reply = _work(project, ask, chosen.run)
    state = open_agents(project).get(role, issue.number).state
    if step is not None and request.advance and state is AgentState.DONE:
        issue = _move(project, issue, step.status_on_complete)
    return RunReply(
        role=role,
        issue=issue.number,
        runner=reply.runner or chosen.name,
        step=step.id if step else "",
        report=reply.text or reply.answer,
        session_id=reply.session_id,
        took_ms=reply.took_ms,
        issue_status=issue.status,
        agent_status=state,
    )


def _runner(project: Project, role: str, request: RunRequest) -> Runner:
    if request.runner:
        found: Runner | None = runner_named(
            project, request.runner, script=request.script, model=request.model
        )
    else:
        found = runner_of(project, role)
    if isinstance(found, AgentCli):
        found.program()  # what is not installed must leave no trace of a try
    if found is None:
        raise InvalidValue(
            f"nobody plays {role}",
            hint="name one: --runner claude-code, or agentx config set agents.runner claude-code",
        )
    return found


def _work(project: Project, ask: Ask, run: Callable[[Ask], Reply]) -> Reply:
    """Keep the agent's status true while it works, and tell the log."""
    assert ask.issue is not None, "work is on an issue"
    issue, agents, bus = ask.issue, open_agents(project), open_bus(project)
    began = project.clock.now_ms()
    agents.change(ask.role, lambda now: starting(now, issue=issue, at_ms=began), issue)
    bus.tell(AgentStarted(timestamp=began, agent=ask.role, issue_number=issue))
    try:
        reply = run(ask)
    except AgentUnavailable as error:
        at = project.clock.now_ms()
        agents.change(
            ask.role,
            lambda now: fail(now, at_ms=at) if now.state is AgentState.WORKING else now,
            issue,
        )
        bus.tell(AgentError(timestamp=at, agent=ask.role, error=error.message, issue_number=issue))
        raise
    ended = project.clock.now_ms()
    agents.change(ask.role, lambda now: finishing(now, issue=issue, at_ms=ended), issue)
    bus.tell(
        AgentCompleted(
            timestamp=ended, agent=ask.role, duration_ms=ended - began, issue_number=issue
        )
    )
    return reply


def _step(where: Position, role: str) -> Step | None:
    """Return the step that a role can do now; other work is done without moving the issue."""
    return next((each.step for each in where.next if each.step.agent == role), None)


def _move(project: Project, issue: Issue, status: Status | None) -> Issue:
    if status is None or status is issue.status:
        return issue
    return open_issues(project).edit(issue.number, Edit(status=status))


def _task(issue: Issue, step: Step | None) -> str:
    what = f"{step.title}." if step else "Do what your role does for it."
    criteria = (
        f" It is done when {step.completion_criteria}." if step and step.completion_criteria else ""
    )
    output = f" Write it to {output_of(step, issue.number)}." if step and step.output else ""
    template = f" Follow the template {step.template}." if step and step.template else ""
    return f"Issue #{issue.number}: {issue.title}\n\n{what}{output}{template}{criteria}"


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
