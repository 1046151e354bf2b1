"""What the room tells the bus. The doorbell carries ids; the ledger has the story."""

from __future__ import annotations

from agentx.clarification.model import Clarification
from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen


@frozen
class ClarificationEvent:
    """What every one of them says."""

    clarification_id: str
    issue: int
    asker: str
    to: str
    topic: str
    blocking: bool
    at_ms: Millis
    round: int
    status: str


@frozen
class ClarificationRequested(ClarificationEvent):
    """A question was put, the first or a further one."""


@frozen
class ClarificationAnswered(ClarificationEvent):
    """An answer was kept."""


@frozen
class ClarificationStale(ClarificationEvent):
    """An answer is overdue."""


@frozen
class ClarificationResolved(ClarificationEvent):
    """It is settled."""


@frozen
class ClarificationEscalated(ClarificationEvent):
    """A person was called; the summary says for what."""

    reason: str
    summary: str


@frozen
class LedgerLocked:
    """A ledger's lock was got, after waiting so long."""

    file: str
    agent: str
    duration_ms: int


@frozen
class LedgerReleased:
    """A ledger's lock was given back, after being held so long."""

    file: str
    agent: str
    duration_ms: int


@frozen
class MonitorRan:
    """The monitor looked at every ledger."""

    stale: int
    stuck: int
    deadlocked: int
    abandoned: int
    damaged: int
    behind: int = 0  # ledgers that a merge changed since anybody looked


NAMES: dict[type[ClarificationEvent], str] = {
    ClarificationRequested: "clarification-requested",
    ClarificationAnswered: "clarification-answered",
    ClarificationStale: "clarification-stale",
    ClarificationResolved: "clarification-resolved",
    ClarificationEscalated: "clarification-escalated",
}


def event_of(
    kind: type[ClarificationEvent], state: Clarification, at_ms: Millis
) -> ClarificationEvent:
    """Return what is told of a clarification."""
    told = {
        "clarification_id": state.id,
        "issue": state.issue,
        "asker": state.asker,
        "to": state.to,
        "topic": state.topic,
        "blocking": state.blocking,
        "at_ms": at_ms,
        "round": state.round,
        "status": str(state.status),
    }
    if kind is ClarificationEscalated:
        told |= {"reason": str(state.reason or ""), "summary": state.summary}
    return kind(**told)  # type: ignore[arg-type]  # one table for five classes of the same fields
