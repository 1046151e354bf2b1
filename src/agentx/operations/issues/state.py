"""What agents are doing."""

from __future__ import annotations

from agentx.project.project import Project
from agentx.wiring.work import open_agents
from agentx.work.model import AgentStatus


def state(project: Project) -> tuple[AgentStatus, ...]:
    """Return every agent that was ever at work.

    Raises: CorruptRecord after moving a damaged file aside.
    """
    return open_agents(project).all()
