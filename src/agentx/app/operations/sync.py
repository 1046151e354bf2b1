"""Bring everything up to date, in one shot."""

from __future__ import annotations

from agentx.app.memory import Drained, Memory
from agentx.app.project import Project


def sync(project: Project, memory: Memory) -> Drained:
    """Take what hooks captured into the log and bring every view up to date."""
    drained = memory.drain()
    memory.catch_up()
    if drained.files:
        project.log.record(
            "info",
            "synced",
            files=drained.files,
            stored=drained.stored,
            duplicates=drained.duplicates,
            damaged=drained.damaged,
            refused=drained.refused,
        )
    return drained
