"""The boundaries of an agent's session on an issue: status, monitor, inbox, recall, capture."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TypeVar

from agentx.agents.happenings import AgentCompleted, AgentNews, AgentStarted, StateChange
from agentx.agents.hub.boundary import finishing, starting
from agentx.clarification.watch.monitor import MonitorReport
from agentx.conversation.model import Session, SessionQuery
from agentx.kernel.bus import Say
from agentx.kernel.capture import FINISHED, Channel, Draft, EventType, Role
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.observations.ids import ID_PREFIX
from agentx.observations.model import Recall
from agentx.observations.settings import MemorySettings
from agentx.operations.limits import RECALL_TOKENS_MAX
from agentx.operations.questions.routing import ask_again, watch
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallReply, RecallRequest
from agentx.project.claims import claim_data
from agentx.project.project import Project
from agentx.project.roles.played import require_role
from agentx.wiring.clarifications import hold_status, role_named
from agentx.wiring.hub import open_bus, run_monitor
from agentx.wiring.observations import open_observations
from agentx.wiring.spool import open_spool
from agentx.wiring.told.inbox_lines import inbox_lines
from agentx.wiring.work import open_agents
from agentx.work.model import AgentState, AgentStatus

Thing = TypeVar("Thing")

_AT_REST = (AgentState.IDLE, AgentState.DONE)
_UNSAID_MS = 60 * 60 * 1000
_SESSIONS_ENDED_MAX = 20


@frozen
class Boundary:
    """What is true after a session began or ended."""

    agent: str
    issue: int
    status: AgentStatus
    monitor: MonitorReport
    inbox: tuple[str, ...] = ()
    recall: str = ""  # the section: all that `agentx recall` tells of the role and the issue
    captured: int = 0  # events that hooks had left, now in the log and learnt from


def start(
    project: Project, *, agent: str, issue: int, open_memory: Callable[[], Memory] | None = None
) -> Boundary:
    """Begin an agent's session on an issue, and say what waits for it and what is remembered.

    Raises: InvalidValue for what is no role, LockHeld.
    """
    role = role_named(project, require_role(project, agent))
    claim_data(project, "hook start")
    now = project.clock.now_ms()
    begun = partial(starting, issue=issue, at_ms=now)
    told = AgentStarted(timestamp=now, agent=role, issue_number=issue)
    crossed = _cross(project, role, issue, begun, lambda _status: told)
    watch(project)  # nobody waits here until a stale question is asked again
    status = hold_status(project, crossed.status, issue)
    return replace(crossed, status=status, recall=_recall(project, role, issue, open_memory))


def finish(
    project: Project,
    *,
    agent: str,
    issue: int,
    told: Say,
    open_memory: Callable[[], Memory] | None = None,
) -> Boundary:
    """End an agent's session on an issue: what it taught is kept, given a way to the memory.

    A stale question is asked again where somebody can be.

    Raises: InvalidValue for what is no role, LockHeld.
    """
    role = role_named(project, require_role(project, agent))
    now = project.clock.now_ms()
    work = _Work(
        agent=role, issue=issue, since_ms=_find_begin(project, role, issue, now), now_ms=now
    )
    # While it is still at work: what it taught is its own, and of this issue.
    captured = _with_memory(project, open_memory, "hook-capture", partial(_learn, work=work))
    ended = partial(finishing, issue=issue, at_ms=now)

    def complete(before: AgentStatus) -> AgentNews:
        return AgentCompleted(
            timestamp=now, agent=role, issue_number=issue, duration_ms=_measure_ms(before, now)
        )

    crossed = _cross(project, role, issue, ended, complete)
    ask_again(project, crossed.monitor.active, told)
    return replace(crossed, captured=captured or 0)


def _cross(
    project: Project,
    role: str,
    issue: int,
    change: Callable[[AgentStatus], AgentStatus],
    told: Callable[[AgentStatus], AgentNews],
) -> Boundary:
    bus = open_bus(project)
    statuses = open_agents(project)
    before = statuses.get(role, issue)
    statuses.change(role, change, issue)
    found = run_monitor(project, bus)
    after = statuses.get(role, issue)
    bus.tell(told(before))
    if after.state is not before.state:
        bus.tell(
            StateChange(
                timestamp=project.clock.now_ms(),
                source=role,
                old_state=before.state,
                new_state=after.state,
            )
        )
    return Boundary(
        agent=role,
        issue=issue,
        status=after,
        monitor=found,
        inbox=inbox_lines(project, role),
    )


def _recall(
    project: Project, role: str, issue: int, open_memory: Callable[[], Memory] | None
) -> str:
    """Return the recall section; a memory that cannot be read holds no agent up."""
    budget = min(project.config.section(MemorySettings).max_tokens, RECALL_TOKENS_MAX)
    if budget <= 0:
        return ""
    request = RecallRequest(agent=role, issue=issue or None, budget_tokens=budget)

    def recall_for(memory: Memory) -> RecallReply:
        _take_in(memory)
        return recall(project, memory, request)

    reply = _with_memory(project, open_memory, "hook-recall", recall_for)
    if reply is None:
        reply = recall(project, None, request)
    learnt = [line.doc_id for line in reply.lines if line.doc_id.startswith(ID_PREFIX)]
    if learnt:
        with closing(open_observations(project)) as observations:
            observations.tell_recalled(learnt, Recall(agent=role, issue_number=issue))
    return reply.text


def _with_memory(
    project: Project,
    open_memory: Callable[[], Memory] | None,
    purpose: str,
    use: Callable[[Memory], Thing],
) -> Thing | None:
    """Use the memory; None where no session was ever captured, or it cannot be read."""
    if open_memory is None or not (project.store.db.exists() or open_spool(project).waiting()):
        return None
    try:
        with open_memory() as memory:
            return use(memory)
    except AgentXError as error:
        project.log.record("warning", purpose, message=error.message)
        return None


def _take_in(memory: Memory) -> int:
    """Take in what hooks left, and learn from it; return how many events were new."""
    stored = memory.drain().stored
    memory.catch_up()
    return stored


@frozen
class _Work:
    """What an agent ends."""

    agent: str
    issue: int
    since_ms: Millis
    now_ms: Millis


def _learn(memory: Memory, work: _Work) -> int:
    """Take in what hooks left, and learn at once from the sessions of the work that ends."""
    stored = memory.drain().stored
    going = [
        one
        for one in memory.sessions(SessionQuery(limit=_SESSIONS_ENDED_MAX))
        if not one.ended and one.last_ms >= work.since_ms and one.agent in ("", work.agent)
    ]
    memory.append([_note_end(one, work) for one in going])
    memory.catch_up()
    return stored


def _note_end(session: Session, work: _Work) -> Draft:
    return Draft(
        harness=session.harness,
        session_id=session.session_id,
        event_type=EventType.NOTE,
        timestamp_ms=max(work.now_ms, session.last_ms),
        role=Role.SYSTEM,
        text="",
        channel=Channel.API,
        source_id=f"{FINISHED}:{work.agent}:{work.issue}:{work.now_ms}",
        metadata={FINISHED: {"agent": work.agent, "issue": work.issue}},
    )


def _find_begin(project: Project, role: str, issue: int, now: Millis) -> Millis:
    """Return since when a role is at work; of one that never said so, the last hour counts."""
    before = open_agents(project).get(role, issue)
    began = before.last_activity_ms if before.state not in _AT_REST else None
    return began if began is not None else Millis(now - _UNSAID_MS)


def _measure_ms(before: AgentStatus, now: Millis) -> int:
    return 0 if before.last_activity_ms is None else max(0, now - before.last_activity_ms)
