"""What the beginning and the end of a session mean for an agent's status.

A session may begin while its agent waits or is asked, and end so too: the boundary is
kept in mind, and what others must see stays.
"""

from __future__ import annotations

from dataclasses import replace

from agentx.kernel.clock import Millis
from agentx.work.agent_states import began, finish
from agentx.work.model import AgentState, AgentStatus


def starting(status: AgentStatus, *, issue: int, at_ms: Millis) -> AgentStatus:
    """Return the status of an agent whose session on an issue begins."""
    match status.state:
        case AgentState.BLOCKED_CLARIFICATION:
            return replace(status, last_activity_ms=at_ms)
        case AgentState.CLARIFYING:
            return replace(
                status, issue=issue, returns_to=AgentState.WORKING, last_activity_ms=at_ms
            )
        case AgentState.IDLE | AgentState.WORKING | AgentState.DONE | AgentState.STUCK:
            return began(status, issue=issue, at_ms=at_ms)


def finishing(status: AgentStatus, *, issue: int, at_ms: Millis) -> AgentStatus:
    """Return the status of an agent whose session on an issue ends."""
    match status.state:
        case AgentState.BLOCKED_CLARIFICATION:
            return replace(status, last_activity_ms=at_ms)
        case AgentState.CLARIFYING:
            return replace(status, issue=issue, returns_to=AgentState.DONE, last_activity_ms=at_ms)
        case AgentState.IDLE | AgentState.WORKING | AgentState.DONE | AgentState.STUCK:
            working = began(status, issue=issue, at_ms=at_ms)
            return finish(working, at_ms=at_ms)
