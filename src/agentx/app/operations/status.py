"""Say what is remembered and what is running."""

from __future__ import annotations

from dataclasses import dataclass

from agentx.app.memory import Memory, MemoryStatus
from agentx.app.operations.installed import installed_harnesses
from agentx.app.operations.setup import SetupInputs
from agentx.app.project import Project
from agentx.app.retrieval import IndexReport


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusReply:
    """One look at the project's memory."""

    project_id: str
    root: str
    rule: str
    store: str
    memory: MemoryStatus
    indexes: IndexReport
    hooks: tuple[str, ...]


def status(project: Project, memory: Memory, inputs: SetupInputs) -> StatusReply:
    """Say what is remembered of this project, and what is running."""
    return StatusReply(
        project_id=project.id,
        root=str(project.root),
        rule=project.identity.rule,
        store=str(project.store.root),
        memory=memory.status(),
        indexes=memory.index_report(),
        hooks=installed_harnesses(project, inputs),
    )
