"""What a person asks for when an issue is to be carried along its workflow, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Event

from agentx.kernel.bus import Say
from agentx.kernel.clock import MINUTE_MS
from agentx.kernel.values import frozen
from agentx.operations.bounds import find_bound
from agentx.operations.limits import WALK_MINUTES, WALK_TOKENS, WALK_USD
from agentx.project.project import Project
from agentx.work.model import Status, Step
from agentx.work.walk.model import WalkEvent, WalkSpent


@frozen
class WalkBounds:
    """What all agents together may take: time of this sitting, tokens and dollars of the way."""

    minutes: int = WALK_MINUTES
    turns: int = 0  # replies of one agent at one go; 0 takes the loop's own bound
    tokens: int = WALK_TOKENS
    usd: float = WALK_USD


@frozen
class WalkRequest:
    """What is to be done."""

    issue: int
    workflow: str = ""  # empty takes the issue's own
    runner: str = ""  # who plays the roles; empty takes the setting
    model: str = ""
    checks: tuple[str, ...] = ()  # commands that must pass after a step that builds
    optional: tuple[str, ...] = ()  # optional steps that are done too
    is_default_allowed: bool = False  # commit to the default branch
    bounds: WalkBounds = WalkBounds()


class WalkEnd(StrEnum):
    """How a sitting ended."""

    DONE = "done"
    WAITS = "waits"  # for a person
    BOUND = "bound"
    STUCK = "stuck"  # at a step that a person must look at


@frozen
class WalkRow:
    """How one step stands."""

    id: str
    role: str
    title: str
    stage: str
    doing: str = ""  # what is next for it
    session: str = ""
    commit: str = ""


@frozen
class WalkReply:
    """What came of a sitting, or how an issue stands."""

    issue: int
    workflow: str
    ended: str
    reason: str
    status: str
    steps: tuple[WalkRow, ...]
    tokens: int
    usd: float
    waits_for: tuple[str, ...] = ()  # questions
    next: tuple[str, ...] = ()  # what a person may do now


@dataclass(slots=True)
class WalkDesk:
    """What one sitting works with."""

    project: Project
    request: WalkRequest
    told: Say
    began_ms: int
    append: Callable[[WalkEvent], None]
    read: Callable[[], tuple[WalkEvent, ...]]  # what happened on the way
    status: Status | None = None  # to which the issue was brought last, on its way
    stop: Event = field(default_factory=Event)

    @property
    def left_ms(self) -> int:
        """How long this sitting may still take."""
        until_ms = self.began_ms + self.request.bounds.minutes * MINUTE_MS
        return until_ms - self.project.clock.now_ms()

    def find_bound(self, spent: WalkSpent) -> str:
        """Return at which bound the way is; nothing where there is room."""
        took_ms = self.project.clock.now_ms() - self.began_ms
        return find_bound(self.request.bounds, took_ms, spent.tokens, spent.micro_usd)


def builds(step: Step) -> bool:
    """Tell whether a step works on the code: it names no document that it writes."""
    return not step.output
