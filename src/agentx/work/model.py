"""The nouns of work: issues, agents and what they are doing, workflows and their steps.

Nothing happens here. `statuses` says which moves of an issue are legal,
`agent_states` what may become of an agent, `workflow_file` what a step may say.
"""

from __future__ import annotations

from enum import StrEnum

from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue
from agentx.kernel.limits import ISSUE_NUMBER_MAX
from agentx.kernel.values import frozen


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


@frozen
class Comment:
    """What somebody said on an issue."""

    body: str
    created_ms: Millis
    author: str = ""


@frozen
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


@frozen
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


@frozen
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


@frozen
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


@frozen
class Edit:
    """What to change; None leaves a field as it is."""

    title: str | None = None
    body: str | None = None
    status: Status | None = None
    add_labels: tuple[str, ...] = ()
    remove_labels: tuple[str, ...] = ()


def issue_number(text: str) -> int:
    """Read an issue's number as people type it: `7` or `#7`.

    Raises: InvalidValue.
    """
    digits = text.strip().removeprefix("#")
    if digits.isascii() and digits.isdigit() and 0 < int(digits[:12]) <= ISSUE_NUMBER_MAX:
        return int(digits)
    raise InvalidValue(f"{text[:40]!r} is not an issue's number", hint="such as 7 or #7")


@frozen
class NewIssue:
    """An issue that has no number yet."""

    title: str
    body: str = ""
    labels: tuple[str, ...] = ()
    status: Status = Status.BACKLOG


def parse_status(text: str) -> Status:
    """Read a status as people type it: `in-progress`, `In Progress`, `inprogress`.

    Raises: InvalidValue.
    """
    wanted = _letters(text)
    for status in Status:
        if _letters(status) == wanted:
            return status
    raise InvalidValue(
        f"{text[:40]!r} is not a status", hint="one of: " + ", ".join(status for status in Status)
    )


def _letters(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalpha())


class Stage(StrEnum):
    """How far one step has come."""

    DONE = "done"
    SKIPPED = "skipped"
    NEXT = "next"
    LATER = "later"


@frozen
class StepStage:
    """One step and how far it has come."""

    step: Step
    stage: Stage
    waits_for: tuple[str, ...] = ()


@frozen
class Problem:
    """What is wrong in a workflow file, where, and the mend."""

    file: str
    line: int
    field: str
    message: str
    mend: str

    def __str__(self) -> str:
        """Return it as one sentence."""
        field = f"{self.field}: " if self.field else ""
        return f"{self.file}, line {self.line}: {field}{self.message}"


@frozen
class IssueChanged:
    """What the room tells the bus: an issue was made or changed, and is kept."""

    number: int
    was: Status | None = None  # where one that was there before stood
    now: Status | None = None


@frozen
class IssueView:
    """An issue as programs see it: the fields of its file, and what its labels say."""

    number: int
    title: str
    body: str
    labels: tuple[str, ...]
    status: str
    state: str
    created: str
    updated: str
    comments: tuple[dict[str, str], ...]
    type: str
    priority: str


@frozen
class Position:
    """Where an issue stands in its workflow."""

    issue: Issue
    workflow: Workflow
    steps: tuple[StepStage, ...]

    @property
    def next(self) -> tuple[StepStage, ...]:
        """The steps that can be done now."""
        return tuple(each for each in self.steps if each.stage is Stage.NEXT)


@frozen
class PullThere:
    """A pull request on GitHub."""

    number: int
    url: str
    is_open: bool
    is_merged: bool = False
    is_new: bool = False  # it was opened just now

    @property
    def state(self) -> str:
        """How it stands, in a word."""
        return "open" if self.is_open else "merged" if self.is_merged else "closed"


@frozen
class WantedPull:
    """A pull request that is to be there."""

    branch: str
    base: str
    title: str
    body: str


@frozen
class SaidOnPull:
    """Something that a person said of a pull request, or that a check of it printed."""

    id: str
    author: str  # a login; of a check its name
    text: str
    path: str = ""
    where: str = ""  # the file and line, or the check
