"""What recall tells the house."""

from __future__ import annotations

from dataclasses import dataclass

from agentx.kernel.clock import Millis


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecalled:
    """A session was told what was remembered, by the ids of what it was told."""

    project: str
    harness: str
    session_id: str
    at_ms: Millis
    doc_ids: tuple[str, ...]
