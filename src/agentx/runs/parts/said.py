"""What is said of the work of a run: in its logs, at its checkpoints."""

from __future__ import annotations

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen
from agentx.kernel.vouching.standing import SaidWords


@frozen
class LogEntry(SaidWords):
    """One piece of a work log."""

    at_ms: Millis
    actor: str
    event_id: str


@frozen
class Checkpoint(SaidWords):
    """A point from which work can go on."""

    at_ms: Millis
    actor: str
    task: str
    commit: str
