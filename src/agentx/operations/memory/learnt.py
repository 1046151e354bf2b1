"""What one session taught."""

from __future__ import annotations

from contextlib import closing

from agentx.observations.model import Observation
from agentx.project.project import Project
from agentx.wiring.kept.following import follow_ledgers
from agentx.wiring.observations import open_observations


def list_learnt(project: Project, session_id: str) -> tuple[Observation, ...]:
    """Return what is kept of a session, in the order it was learnt; also what was replaced since.

    Every issue is read: nothing says by itself which of them a session spoke of.
    """
    follow_ledgers(project)
    with closing(open_observations(project)) as room:
        found = [one for one in room.store.everything() if one.session_id == session_id]
    return tuple(sorted(found, key=lambda one: (one.timestamp_ms, one.id)))
