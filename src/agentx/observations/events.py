"""What the room tells on the bus, with the payloads of the specification."""

from __future__ import annotations

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen


@frozen
class ContextCompacted:
    """A conversation was compacted: the cue to capture."""

    agent: str
    original_tokens: int
    compacted_tokens: int
    summary: str
    issue_number: int
    session_id: str
    timestamp_ms: Millis


@frozen
class MemoryStored:
    """Observations were captured and are on disk."""

    agent: str
    issue_number: int
    count: int
    total_tokens: int
    observation_ids: tuple[str, ...]
    timestamp_ms: Millis
    elapsed_ms: int = 0


@frozen
class MemoryRecalled:
    """Observations were put in front of an agent."""

    agent: str
    issue_number: int
    count: int
    total_tokens: int
    observation_ids: tuple[str, ...]
    timestamp_ms: Millis
    elapsed_ms: int = 0
    displaced_tokens: int = 0  # what reading the same again by hand would have cost


@frozen
class CaptureSkipped:
    """A capture stored nothing; `reason` is a sentence for the log."""

    agent: str
    issue_number: int
    level: str  # "info" or "warning"
    reason: str
    timestamp_ms: Millis
