"""An agent at work on an issue: its role, the issue, what was learnt before, and who plays it."""

from __future__ import annotations

from collections.abc import Callable

from agentx.agents.happenings import AgentCompleted, AgentError, AgentStarted
from agentx.agents.hub.boundary import finishing, starting
from agentx.agents.runners.agent_cli import AgentCli
from agentx.agents.runners.port import Ask, Reply, Runner
from agentx.kernel.errors import AgentUnavailable, InvalidValue
from agentx.memory.port import Memory
from agentx.operations.agents.assignment import RunReply, RunRequest, assign, move_issue
from agentx.project.project import Project
from agentx.wiring.hub import open_bus
from agentx.wiring.runners import (
    LOOP,
    RUNNERS,
    find_player_name,
    role_texts,
    runner_named,
    runner_of,
)
from agentx.wiring.work import open_agents
from agentx.work.agent_states import fail
from agentx.work.model import AgentState


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
    role = role_texts(project).name_role(request.role)
    if LOOP in (request.runner, "" if request.runner else find_player_name(project, role)):
        from agentx.operations.agents.loop import begin_loop  # noqa: PLC0415  few runs are the loop's

        return begin_loop(project, request, open_memory, told)
    chosen = _runner(project, role, request)
    work = assign(project, request, open_memory)
    issue, step, ask = work.issue, work.step, work.ask
    told(f"{role} ({chosen.name}) works on #{issue.number}")
    status = open_agents(project).get(role, issue.number)
    if status.state is AgentState.BLOCKED_CLARIFICATION:
        who = status.waiting_on or "an answer"
        told(f"{role} is blocked: {status.clarification_id} waits for {who}")
    reply = _work(project, ask, chosen.run)
    state = open_agents(project).get(role, issue.number).state
    if step is not None and request.advance and state is AgentState.DONE:
        issue = move_issue(project, issue, step.status_on_complete)
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
