"""What can happen to a clarification."""

from __future__ import annotations

from agentx.clarification.model import HUB, UNJUDGED, AnswerWorth, Reason
from agentx.clarification.ways import is_from_memory
from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen


@frozen
class Asked:
    """The asker put a question, the first or a further one."""

    at_ms: Millis
    by: str
    body: str


@frozen
class Answered:
    """The target, or a person, answered."""

    at_ms: Millis
    by: str
    body: str
    via: str = ""
    worth: AnswerWorth = UNJUDGED

    @property
    def is_known(self) -> bool:
        """Whether the hub tells what memory knew, and its asker took."""
        return self.by == HUB and is_from_memory(self.via)


@frozen
class Resolved:
    """The asker, or a person, is content."""

    at_ms: Millis
    by: str
    body: str = ""
    via: str = ""


@frozen
class WentStale:
    """Nobody answered in time."""

    at_ms: Millis


@frozen
class Retried:
    """The target is asked once more, by whoever plays it."""

    at_ms: Millis
    runner: str = ""


@frozen
class Escalated:
    """A person was called."""

    at_ms: Millis
    reason: Reason
    by: str = HUB
    body: str = ""
    text: str = ""  # what the person was told then; made from the thread where there is none


@frozen
class Abandoned:
    """Nobody wants to know any more."""

    at_ms: Millis
    reason: Reason


Fact = Asked | Answered | Resolved | WentStale | Retried | Escalated | Abandoned
