"""What a run taught, offered to long-term memory."""

from __future__ import annotations

from collections.abc import Mapping

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen
from agentx.kernel.vouching.standing import SaidWords


@frozen
class Candidate(SaidWords):
    """What the run taught, offered to long-term memory."""

    id: str
    at_ms: Millis
    actor: str
    kind: str  # pattern, decision, tech-debt, learning
    evidence: tuple[str, ...]
    confidence: str
    source: str
    detail: Mapping[str, object]
