"""Read AgentX's own structured log, and the audit log of all projects."""

from __future__ import annotations

from pathlib import Path

from agentx.conversation.limits import EVENTS_PAGE_MAX
from agentx.host.files.logfile import read_records
from agentx.project.project import Project


def logs(project: Project, *, limit: int, event: str = "") -> tuple[dict[str, object], ...]:
    """Return the newest records, oldest of them first; `event` picks one name."""
    return _pick(project.store.log, limit, event)


def audit(project: Project, *, limit: int, event: str = "") -> tuple[dict[str, object], ...]:
    """Return the newest records of the audit log, of every project, oldest of them first."""
    return _pick(project.data.audit, limit, event)


def _pick(path: Path, limit: int, event: str) -> tuple[dict[str, object], ...]:
    wanted = EVENTS_PAGE_MAX if event else limit
    records = [
        record for record in read_records(path, wanted) if not event or record.get("event") == event
    ]
    return tuple(records[-limit:])
