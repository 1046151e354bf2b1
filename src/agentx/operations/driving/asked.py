"""What a driver is asked to do, what it says on the way, and how it ended."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from enum import StrEnum

from agentx.agents.driving.plan import PlannedTask
from agentx.kernel.values import frozen
from agentx.operations.bounds import say_bounds
from agentx.project.roles.caller import WhoCalls
from agentx.runs.driving.schedule import GivingPolicy

ROLE = "engineer"
DRIVE_LANES = 3
DRIVE_MINUTES = 8 * 60
DRIVE_TOKENS = 10_000_000
DRIVE_USD = 20.0
DRIVE_TURN_MINUTES = 30
DRIVE_TURNS = GivingPolicy().turns_max


@frozen
class DriveBounds:
    """What a drive may take: time of one sitting, all else of the run."""

    lanes: int = DRIVE_LANES
    minutes: int = DRIVE_MINUTES
    tokens: int = DRIVE_TOKENS
    usd: float = DRIVE_USD
    turn_minutes: int = DRIVE_TURN_MINUTES


@frozen
class DriveRequest:
    """Which run is driven, by whom, and how far."""

    run_id: str = ""  # or a new one:
    title: str = ""
    description: str = ""
    checks: tuple[str, ...] = ()
    plan: tuple[PlannedTask, ...] = ()  # from a file of the person's
    runners: tuple[str, ...] = ()  # tasks are dealt out to them in turn
    planner: str = ""
    role: str = ROLE
    model: str = ""
    setup: str = ""  # a command that makes a lane ready to work in
    copies: tuple[str, ...] = ()  # ignored files that a lane needs
    bounds: DriveBounds = DriveBounds()
    turns: int = DRIVE_TURNS  # of a task, before a person is asked
    is_taken: bool = False  # from who drives it elsewhere
    caller: WhoCalls | None = None
    waits: bool = True  # for a person's answer, where nothing else is to be done
    # Asked for checks that nobody approved here yet: whether they may be run.
    approve: Callable[[tuple[str, ...]], bool] = lambda _checks: False

    def say_again(self) -> str:
        """Return the options with which a run is driven on as it was, as they are typed."""
        given = [("--runner", each) for each in self.runners]
        given += [("--planner", self.planner), ("--model", self.model), ("--setup", self.setup)]
        given += [("--role", self.role if self.role != ROLE else "")]
        given += [("--copy", each) for each in self.copies]
        given += [("--turns", str(self.turns) if self.turns != DRIVE_TURNS else "")]
        given += say_bounds(self.bounds, DriveBounds())
        return "".join(f" {name} {shlex.quote(value)}" for name, value in given if value)

    @property
    def policy(self) -> GivingPolicy:
        """How often something goes back to an agent."""
        return GivingPolicy(turns_max=self.turns)


class NewsOf(StrEnum):
    """What a piece of news is of."""

    RUN = "run"
    PLAN = "plan"
    LANE = "lane"
    TURN = "turn"
    SAID = "said"  # by the agent, on the way
    CHECK = "check"
    MERGE = "merge"
    ASK = "ask"
    PUSH = "push"
    END = "end"


@frozen
class DriveNews:
    """One thing that a driver did, or saw."""

    at_ms: int
    doing: NewsOf
    text: str
    task: str = ""
    lane: str = ""
    runner: str = ""
    tokens: int = 0  # of this turn
    usd: float = 0.0


Tell = Callable[[DriveNews], None]


class DriveEnd(StrEnum):
    """How a drive ended."""

    DONE = "done"
    WAITS = "waits"  # for a person
    BOUND = "bound"
    LOST = "lost"  # somebody else drives it
    STOPPED = "stopped"
    STUCK = "stuck"  # what is left is not the driver's to do


@frozen
class Driven:
    """What came of it."""

    run_id: str
    ended: DriveEnd
    reason: str
    work_branch: str
    base_branch: str
    tasks_done: int
    tasks: int
    turns: int
    tokens: int
    usd: float
    is_estimated: bool  # part of what it took is
    pushed: str = ""  # the remote that has the branch
    pull: str = ""  # the address of its pull request
    lessons_proposed: int = 0  # that wait for a person's word
    lessons_accepted: tuple[str, ...] = ()  # that the policy took in
    waits_for: tuple[str, ...] = ()  # escalations that a person answers, with the command
    remarks: tuple[str, ...] = ()
    next: tuple[str, ...] = ()  # what a person may type now
