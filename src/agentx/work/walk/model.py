"""What happened on an issue's way through its workflow, as events: nothing else is kept of it."""

from __future__ import annotations

from enum import StrEnum

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen
from agentx.work.model import Step


class Walked(StrEnum):
    """What happened."""

    BEGAN = "workflow-began"  # a new way: what was before it counts no more
    SITTING = "sitting-began"  # a person lets it go on
    STEP_BEGAN = "step-began"  # before its agent is woken
    STEP_ENDED = "step-ended"  # how its agent left off
    STEP_CHECKED = "step-checked"  # what its output is worth
    STEP_DONE = "step-done"  # it is committed, and the issue is moved
    SENT_BACK = "sent-back"  # whoever judges it wants it changed
    ENDED = "workflow-ended"  # every step is done


ASTRAY = "astray"  # how an agent ended that left something else behind than its work


class StepVerdict(StrEnum):
    """What who judges says."""

    APPROVED = "approved"
    CHANGES = "changes needed"


@frozen
class WalkEvent:
    """One thing that happened. What a kind does not say is empty."""

    kind: Walked
    at_ms: Millis
    workflow: str = ""
    branch: str = ""
    commit: str = ""  # where it began, or what came of it
    before: str = ""  # the digest of the document of who judges, as it lay there before
    step: str = ""
    role: str = ""
    runner: str = ""
    session: str = ""
    ended: str = ""  # empty where the agent says that it is done
    reason: str = ""
    report: str = ""
    waits_for: str = ""  # a question
    tokens: int = 0  # of the session so far
    micro_usd: int = 0
    checks: tuple[str, ...] = ()  # commands that a person named, of a sitting
    errors: tuple[str, ...] = ()  # of a check: none where it passed
    verdict: str = ""
    is_again: bool = False  # another round is due


class Deed(StrEnum):
    """What is to be done for a step now."""

    BEGIN = "begin"
    RESUME = "resume"
    CHECK = "check"
    FINISH = "finish"
    STOP = "stop"  # nothing, until a person lets it go on


@frozen
class Due:
    """What is next for a step, and what it goes by."""

    step: Step
    deed: Deed
    last: WalkEvent | None = None
    errors: tuple[str, ...] = ()  # what its agent is told to mend
    reason: str = ""


@frozen
class WalkSpent:
    """What a way has cost, over all sittings."""

    tokens: int = 0
    micro_usd: int = 0
