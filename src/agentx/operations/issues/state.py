"""What agents are doing."""

from __future__ import annotations

from typing import Any

from agentx.host.files.plain import is_folder
from agentx.project.project import Project
from agentx.wiring.clarifications import hold_status, list_unread
from agentx.wiring.work import open_agents, shape_status
from agentx.work.model import AgentStatus


def state(project: Project) -> tuple[AgentStatus, ...]:
    """Return every agent that was ever at work; whom a question holds is not, whatever was noted.

    Raises: CorruptRecord after moving a damaged file aside.
    """
    return tuple(hold_status(project, status) for status in open_agents(project).all())


def list_unread_questions(project: Project) -> tuple[str, ...]:
    """Return of which issues nobody knows what waits: no status here tells that."""
    return list_unread(project) if any(map(is_folder, project.asked)) else ()


def describe_agent(status: AgentStatus) -> dict[str, Any]:
    """Return an agent's status for a program: as its file holds it, with its name."""
    return shape_status(status)
