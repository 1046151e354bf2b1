"""The nouns of work: issues, agents and what they are doing, workflows and their steps.

Nothing happens here. `statuses` says which moves of an issue are legal,
`agent_states` what may become of an agent, `workflow_file` what a step may say.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agentx.kernel.clock import Millis


class Status(StrEnum):
    """How far an issue has come."""

    BACKLOG = "Backlog"
    READY = "Ready"
    IN_PROGRESS = "In Progress"
    IN_REVIEW = "In Review"
    VALIDATING = "Validating"
    DONE = "Done"


class IssueState(StrEnum):
    """Whether an issue still counts."""

    OPEN = "open"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """What somebody said on an issue."""

    body: str
    created_ms: Millis
    author: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """A piece of work."""

    number: int
    title: str
    body: str = ""
    labels: tuple[str, ...] = ()
    status: Status = Status.BACKLOG
    state: IssueState = IssueState.OPEN
    created_ms: Millis
    updated_ms: Millis
    comments: tuple[Comment, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it still counts."""
        return self.state is IssueState.OPEN


class AgentState(StrEnum):
    """What an agent is doing."""

    IDLE = "idle"
    WORKING = "working"
    CLARIFYING = "clarifying"
    BLOCKED_CLARIFICATION = "blocked-clarification"
    DONE = "done"
    STUCK = "stuck"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStatus:
    """What one agent is doing, on which issue, and for whom it waits or answers.

    `returns_to` is what a clarifying agent was before it was asked, or None.
    """

    agent: str
    state: AgentState = AgentState.IDLE
    issue: int | None = None
    last_activity_ms: Millis | None = None
    clarification_id: str | None = None
    waiting_on: str | None = None
    responding_to: str | None = None
    returns_to: AgentState | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a workflow: who does it, when, and whom they may ask."""

    id: str
    title: str
    agent: str
    needs: tuple[str, ...] = ()
    optional: bool = False
    condition: str = ""
    status_on_start: Status | None = None
    status_on_complete: Status | None = None
    output: str = ""
    template: str = ""
    iterate: bool = False
    max_iterations: int = 1
    completion_criteria: str = ""
    can_clarify: tuple[str, ...] = ()
    clarify_max_rounds: int | None = None
    clarify_sla_minutes: int = 30
    clarify_blocking_allowed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """The steps that a kind of issue goes through, in the order they were written."""

    name: str
    description: str = ""
    steps: tuple[Step, ...]
    source: str = ""  # the file it was read from

    def step(self, step_id: str) -> Step | None:
        """Return one step, or None."""
        return next((step for step in self.steps if step.id == step_id), None)

    def steps_of(self, agent: str) -> tuple[Step, ...]:
        """Return the steps that an agent does."""
        return tuple(step for step in self.steps if step.agent == agent)
