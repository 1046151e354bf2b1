"""What is told on the bus of agents at work, whoever plays them and whichever room it concerns.

Rooms tell their own events; these belong to none. The names and payloads are those that
other tools know.
"""

from __future__ import annotations

from dataclasses import fields

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen


@frozen
class AgentNews:
    """Something that happened while agents were at work."""

    timestamp: Millis


@frozen
class AgentStarted(AgentNews):
    """A session of an agent began."""

    agent: str
    issue_number: int | None = None


@frozen
class AgentCompleted(AgentNews):
    """A session of an agent ended."""

    agent: str
    duration_ms: int
    issue_number: int | None = None


@frozen
class AgentError(AgentNews):
    """An agent met an error."""

    agent: str
    error: str
    issue_number: int | None = None


@frozen
class ToolInvoked(AgentNews):
    """An agent used a tool."""

    agent: str
    tool: str
    status: str
    detail: str = ""


@frozen
class HandoffTriggered(AgentNews):
    """Work went from one agent to the next."""

    from_agent: str
    to_agent: str
    issue_number: int | None = None


@frozen
class ValidationResult(AgentNews):
    """An agent's work was checked."""

    agent: str
    passed: bool
    errors: tuple[str, ...] = ()
    issue_number: int | None = None


@frozen
class ThinkingLog(AgentNews):
    """What an agent is about, for a person who watches."""

    agent: str
    kind: str
    label: str
    detail: str = ""


@frozen
class TaskFired(AgentNews):
    """A scheduled task began."""

    task_id: str
    schedule: str
    description: str


@frozen
class ChannelMessage(AgentNews):
    """Something was said on a channel."""

    channel_id: str
    direction: str
    content: str


@frozen
class StateChange(AgentNews):
    """Something is in another state than before."""

    source: str
    new_state: str
    old_state: str = ""


HAPPENINGS: dict[type[AgentNews], str] = {
    AgentStarted: "agent-started",
    AgentCompleted: "agent-completed",
    AgentError: "agent-error",
    ToolInvoked: "tool-invoked",
    HandoffTriggered: "handoff-triggered",
    ValidationResult: "validation-result",
    ThinkingLog: "thinking-log",
    TaskFired: "task-fired",
    ChannelMessage: "channel-message",
    StateChange: "state-change",
}


def payload(happening: AgentNews) -> dict[str, object]:
    """Return a happening as other tools know it, without what it does not say."""
    told = {field.name: getattr(happening, field.name) for field in fields(happening)}
    return {
        _camel(name): list(value) if isinstance(value, tuple) else value
        for name, value in told.items()
        if value is not None and value != ""
    }


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
