"""A memory in other words, as a memory of its own: what is left of one, or what is added to it."""

from __future__ import annotations

from dataclasses import replace

from agentx.kernel.ids import digest
from agentx.kernel.tokens import estimate
from agentx.observations.ids import observation_id
from agentx.observations.model import Observation


def reword(one: Observation, content: str) -> Observation:
    """Return a memory that says something else, as its session would have said it."""

    def suffix(size: int) -> bytes:
        return digest(one.id, content, size=size)

    return replace(
        one,
        id=observation_id(one.agent, one.issue_number, one.timestamp_ms, suffix),
        content=content,
        summary=content,
        tokens=estimate(content),
    )
