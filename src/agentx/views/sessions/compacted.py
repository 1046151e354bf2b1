"""From `context-compacted` on the bus to observations: the way of sessions without a log.

The agentic loop keeps its own conversation; when it compacts it, the summary is all there is.
A session that is in the log is captured from its events instead, which prove what they tell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agentx.observations.events import ContextCompacted
from agentx.observations.extract.sections import parse_sections
from agentx.observations.ids import agent_name
from agentx.observations.model import Observation
from agentx.views.sessions.findings import observe

if TYPE_CHECKING:
    from agentx.observations.service import Observations


def capture_compacted(
    room: Observations, fact: ContextCompacted, issue: int = 0
) -> tuple[Observation, ...]:
    """Keep what a compaction's summary tells; return what was kept."""
    number = fact.issue_number or issue
    agent = agent_name(fact.agent)
    source = fact.session_id or "compaction"
    found = parse_sections(fact.summary, at_ms=fact.timestamp_ms, event_id=source)
    made = tuple(
        observe(
            replace(finding, event_ids=()),  # no event proves it
            agent=agent,
            issue=number,
            session_id=fact.session_id,
            seed=(source, str(place), finding.content),
        )
        for place, finding in enumerate(found)
    )
    return room.capture(made, agent=agent, issue=number) or ()
