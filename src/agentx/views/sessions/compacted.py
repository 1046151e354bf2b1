"""From `context-compacted` on the bus to observations: the way of sessions without a log.

The agentic loop keeps its own conversation; when it compacts it, the summary is all there is.
A session that is in the log is captured from its events instead, which prove what they tell.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from agentx.kernel.ids import digest
from agentx.kernel.tokens import estimate
from agentx.observations.events import ContextCompacted
from agentx.observations.extract.sections import parse_sections
from agentx.observations.ids import agent_name, observation_id
from agentx.observations.model import Observation


class Keeper(Protocol):
    """What keeps observations."""

    def capture(
        self, observations: Iterable[Observation], *, agent: str, issue: int
    ) -> tuple[Observation, ...]: ...


def capture_compacted(
    room: Keeper, fact: ContextCompacted, issue: int = 0
) -> tuple[Observation, ...]:
    """Keep what a compaction's summary tells; return what was kept."""
    number = fact.issue_number or issue
    agent = agent_name(fact.agent)
    source = fact.session_id or "compaction"
    found = parse_sections(fact.summary, at_ms=fact.timestamp_ms, event_id=source)

    def observation(place: int) -> Observation:
        finding = found[place]
        name = observation_id(
            agent,
            number,
            fact.timestamp_ms,
            lambda size: digest(source, str(place), finding.content, size=size),
        )
        return Observation(
            id=name,
            agent=agent,
            issue_number=number,
            category=finding.category,
            content=finding.content,
            summary=finding.summary,
            tokens=estimate(finding.content),
            timestamp_ms=fact.timestamp_ms,
            session_id=fact.session_id,
            files=finding.files,
        )

    made = tuple(observation(place) for place in range(len(found)))
    return room.capture(made, agent=agent, issue=number)
