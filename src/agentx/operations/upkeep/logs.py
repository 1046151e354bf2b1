"""Read AgentX's own structured log."""

from __future__ import annotations

from agentx.conversation.limits import EVENTS_PAGE_MAX
from agentx.host.files.logfile import read_records
from agentx.project.project import Project


def logs(project: Project, *, limit: int, event: str = "") -> tuple[dict[str, object], ...]:
    """Return the newest records, oldest of them first; `event` picks one name."""
    wanted = EVENTS_PAGE_MAX if event else limit
    records = [
        record
        for record in read_records(project.log_path, wanted)
        if not event or record.get("event") == event
    ]
    return tuple(records[-limit:])
