"""A run and what it is made of: phases, tasks, lanes, and the events they add up from.

    run-started -> PLANNING -> EXECUTION -> VERIFICATION -> CLEANUP -> PR_PREP -> run-completed
                                    ^______________|

An event is a fact: written once, by one actor. A `Run` is a view: the fold of all
events in the order of (time, id), whoever wrote them and wherever they were merged
from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from agentx.kernel.clock import Millis
from agentx.kernel.roles import UNCONFIRMED
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.kernel.vouching.standing import SAID_FOR_PERSON, UNVERIFIED, Vouching
from agentx.runs.asked import Escalation
from agentx.runs.holding.settling import ClaimLine, SettledClaims, TaskClaim, settle
from agentx.runs.parts.said import Checkpoint, LogEntry
from agentx.runs.parts.taught import Candidate
from agentx.runs.parts.turns import AgentTurn

Detail = Mapping[str, object]

_NEVER = Millis(0)
_GIT_NAME = compile_late(r"""(?!-)[^\s"'`$\\;&|<>(){}*?!~\x00-\x1f]{1,250}""")


class Phase(StrEnum):
    """The stretches of a run, in order."""

    PLANNING = "PLANNING"
    EXECUTION = "EXECUTION"
    VERIFICATION = "VERIFICATION"
    CLEANUP = "CLEANUP"
    PR_PREP = "PR_PREP"


PHASES = tuple(Phase)


class RunStatus(StrEnum):
    """How a run, or a phase of it, stands."""

    PENDING = "PENDING"  # a phase only
    IN_PROGRESS = "IN_PROGRESS"
    BLOCKED = "BLOCKED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


class TaskStatus(StrEnum):
    """How a task stands."""

    PENDING = "PENDING"
    IN_PROGRESS = "IN_PROGRESS"
    BLOCKED = "BLOCKED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    DROPPED = "DROPPED"


class LaneStatus(StrEnum):
    """How a lane stands."""

    ACTIVE = "ACTIVE"
    FINISHED = "FINISHED"
    CONFLICT = "CONFLICT"
    MERGED = "MERGED"
    FAILED = "FAILED"
    REASSIGNED = "REASSIGNED"


class Verdict(StrEnum):
    """What a verification says."""

    PASSED = "PASSED"
    PASSED_WITH_WARNINGS = "PASSED_WITH_WARNINGS"
    FAILED = "FAILED"


@frozen
class Happening:
    """Something an actor says happened: an event that has no time and no id yet."""

    kind: str
    actor: str
    task: str = ""
    lane: str = ""
    detail: Detail = field(default_factory=dict)


def is_git_name(text: str) -> bool:
    """Tell whether a text may name a branch or a commit."""
    return _GIT_NAME.fullmatch(text) is not None


@frozen
class RunEvent:
    """One thing that happened in a run.

    `task_of` and `lane_of` hold the id of the event that made the task or the lane: two clones
    that each made a TASK-003 mean two tasks, and every later event still means its own.

    `standing` says whether somebody vouches for it, where that matters; None where it does not.
    What claims a person and is vouched for by nobody is by nobody: its actor is `unverified`.
    """

    id: str
    at_ms: Millis
    run: str
    actor: str
    kind: str
    task: str = ""
    task_of: str = ""
    lane: str = ""
    lane_of: str = ""
    detail: Detail = field(default_factory=dict)
    writer: str = ""  # the checkout that signed it
    key: str = ""
    signature: str = ""
    standing: Vouching | None = None
    owner: str = ""  # whose key it is, as far as that is known here

    @property
    def is_doubtful(self) -> bool:
        """Whether somebody would have to vouch for it, and nobody does."""
        return self.standing not in (None, Vouching.SIGNED)

    @property
    def is_claim(self) -> bool:
        """Whether it claims a person, and nobody vouches for that."""
        return self.actor == UNVERIFIED and self.is_doubtful

    @property
    def is_unconfirmed(self) -> bool:
        """Whether a program said it for a person, and nobody saw that person."""
        return not self.is_claim and self.text("via") == UNCONFIRMED

    @property
    def speaker(self) -> str:
        """Who said it, as it is shown."""
        return f"{self.actor} ({UNCONFIRMED})" if self.is_unconfirmed else self.actor

    @property
    def doubt(self) -> str:
        """What must be told with what it says; mostly nothing."""
        if self.is_claim:
            by = f" by {self.writer}" if self.writer else ""
            return f"claims a person, {self.standing}{by}: it settles nothing"
        return SAID_FOR_PERSON if self.is_unconfirmed else ""

    def text(self, name: str) -> str:
        """Return a field of the detail that is a text; empty when there is none."""
        found = self.detail.get(name, "")
        return found if isinstance(found, str) else ""

    def git_name(self, name: str) -> str:
        """Return a field of the detail that names a branch or a commit; empty where it is none.

        Others wrote it: it is given to git, and stands in commands that people copy.
        """
        found = self.text(name)
        return found if is_git_name(found) else ""

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a field of the detail that is a list of texts; a lone text is a list of one."""
        found = self.detail.get(name, ())
        if isinstance(found, str):
            return (found,) if found else ()
        if not isinstance(found, list | tuple):
            return ()
        return tuple(str(each) for each in found)


@frozen
class Contract:
    """What a task is: agreed once, changed only by a new version."""

    title: str
    goal: str = ""
    scope: str = ""
    files: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()  # commands that must pass


@frozen
class Check:
    """One thing that was checked, how it went, and what proves it."""

    name: str
    passed: bool
    evidence: str = ""
    command: str = ""  # what was executed; empty where somebody only said so
    exit_code: int | None = None
    output: str = ""


@frozen
class Report:
    """A verification: of a task, or of the whole run."""

    at_ms: Millis
    actor: str
    verdict: Verdict
    checks: tuple[Check, ...]
    summary: str
    event_id: str = ""
    commit: str = ""  # what was checked out
    dirty: tuple[str, ...] = ()  # files that were not committed then
    was_executed: bool = False
    is_vouched: bool = True

    @property
    def passed(self) -> bool:
        """Whether it did not fail."""
        return self.verdict is not Verdict.FAILED


@frozen
class Task:
    """A piece of work."""

    id: str
    born: str  # the event that made it
    contracts: tuple[Contract, ...]
    contracted_ms: tuple[Millis, ...] = ()
    status: TaskStatus = TaskStatus.PENDING
    lane: str = ""
    reason: str = ""
    started_ms: Millis | None = None
    ended_ms: Millis | None = None
    attempts: int = 0
    log: tuple[LogEntry, ...] = ()
    reports: tuple[Report, ...] = ()
    reopened_ms: Millis = _NEVER  # what was verified before counts no more
    doubted: tuple[str, ...] = ()  # checks that nobody vouches for: they are not run unasked
    claims: tuple[ClaimLine, ...] = ()  # what was said of who holds it, in order

    @property
    def settled(self) -> SettledClaims:
        """Who holds it, and whose claims gave way."""
        return settle(self.claims)

    def find_claim(self, at_ms: int) -> TaskClaim | None:
        """Return the claim that holds it at a time, if one does."""
        found = self.settled.claim
        return found if found is not None and found.holds_at(at_ms) else None

    @property
    def contract(self) -> Contract:
        """The newest version."""
        return self.contracts[-1]

    @property
    def version(self) -> int:
        """Which version of the contract holds."""
        return len(self.contracts)

    @property
    def over(self) -> bool:
        """Whether nothing is left to do."""
        return self.status in (TaskStatus.COMPLETED, TaskStatus.DROPPED)


@frozen
class Lane:
    """A branch of its own on which a task is worked on while others are."""

    id: str
    born: str
    branch: str
    task: str = ""
    status: LaneStatus = LaneStatus.ACTIVE
    actor: str = ""
    checkout: str = ""  # where it is worked on
    start_commit: str = ""
    commit: str = ""
    merged_as: str = ""  # the commit of the work branch that holds it
    attempts: int = 1
    reason: str = ""
    opened_ms: Millis
    changed_ms: Millis

    @property
    def open(self) -> bool:
        """Whether it still has to be merged or given up."""
        return self.status in (LaneStatus.ACTIVE, LaneStatus.FINISHED, LaneStatus.CONFLICT)


@frozen
class Conflict:
    """Two changes that git could not put together."""

    id: str
    at_ms: Millis
    operation: str  # merge, rebase
    lane: str
    files: tuple[str, ...]
    escalation: str
    resolution: str = ""
    resolved_ms: Millis | None = None

    @property
    def open(self) -> bool:
        """Whether it is still there."""
        return self.resolved_ms is None


@frozen
class Artifact:
    """The newest version of a page that was written for the run."""

    name: str
    at_ms: Millis
    actor: str
    task: str
    text: str
    event_id: str
    versions: int


@frozen
class PhaseEntry:
    """When a phase began and ended, the last time it did."""

    status: RunStatus = RunStatus.PENDING
    entered_ms: Millis | None = None
    completed_ms: Millis | None = None


@frozen
class Rebased:
    """A rebase of the work branch: what it was, and what took that over."""

    before: str
    commit: str
    took: tuple[str, ...] = ()  # where branches of merged lanes were, all of which it holds
    is_vouched: bool = True  # somebody vouches for it: else git alone tells what it holds
    writer: str = ""  # who signed it


@frozen
class GitState:
    """Which branches the run is about."""

    base_branch: str = ""
    base_commit: str = ""
    work_branch: str = ""
    latest_commit: str = ""
    rebased: tuple[Rebased, ...] = ()


@frozen
class DoubtedEnd:
    """What says that a run is over, and nobody whom the reader trusts vouches for."""

    actor: str
    outcome: RunStatus
    why: Vouching
    writer: str = ""
    counts: bool = False  # the run is over by it


@frozen
class Run:
    """Where a run stands: the fold of its events."""

    id: str
    title: str = ""
    description: str = ""
    requester: str = ""
    started: bool = False
    created_ms: Millis = _NEVER
    updated_ms: Millis = _NEVER
    ended_ms: Millis | None = None
    outcome: RunStatus = RunStatus.IN_PROGRESS  # what was said last: going on, COMPLETED, FAILED
    outcome_reason: str = ""
    doubted_end: DoubtedEnd | None = None  # what was said last of its end, if nobody vouches for it
    phase: Phase = Phase.PLANNING
    phases: Mapping[Phase, PhaseEntry] = field(default_factory=dict)
    current_task: str = ""
    tasks: Mapping[str, Task] = field(default_factory=dict)
    lanes: Mapping[str, Lane] = field(default_factory=dict)
    escalations: Mapping[str, Escalation] = field(default_factory=dict)
    conflicts: Mapping[str, Conflict] = field(default_factory=dict)
    reports: tuple[Report, ...] = ()
    checks: tuple[str, ...] = ()  # commands that the whole run must pass
    doubted: tuple[str, ...] = ()
    candidates: Mapping[str, Candidate] = field(default_factory=dict)
    artifacts: Mapping[str, Artifact] = field(default_factory=dict)
    decisions: tuple[LogEntry, ...] = ()
    checkpoint: Checkpoint | None = None
    git: GitState = field(default_factory=GitState)
    births: Mapping[str, str] = field(default_factory=dict)  # event -> the task or lane it made
    turns: tuple[AgentTurn, ...] = ()  # of agents that a driver gave work to
    drives: tuple[ClaimLine, ...] = ()  # what was said of who drives it, in order
    events: int = 0
    last_event_id: str = ""
    by_kind: Mapping[str, int] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether it was completed or given up."""
        return self.outcome is not RunStatus.IN_PROGRESS

    @property
    def blockers(self) -> tuple[Escalation, ...]:
        """The questions without whose answer it cannot go on."""
        return tuple(each for each in self.escalations.values() if each.open and each.blocking)

    @property
    def holding(self) -> tuple[Escalation, ...]:
        """Those of the blockers that ask something; a conflict is ended by whoever mends it."""
        mended = {each.escalation for each in self.conflicts.values()}
        return tuple(each for each in self.blockers if each.id not in mended)

    @property
    def status(self) -> RunStatus:
        """How it stands: a run that waits for a person is blocked."""
        if self.over:
            return self.outcome
        return RunStatus.BLOCKED if self.blockers else RunStatus.IN_PROGRESS


ORCHESTRATOR = "orchestrator"
BY_HAND = "by-hand"  # who changed a file of the run

CANDIDATE_KINDS = ("pattern", "error-pattern", "solution", "decision", "tech-debt", "learning")

CONFIDENCES = ("LOW", "MEDIUM", "HIGH")
