"""To bring GitHub up to date with what happened here."""

from __future__ import annotations

from agentx.kernel.errors import InvalidValue
from agentx.project.project import Project
from agentx.wiring.listeners.mirror import SyncReply, mirror
from agentx.wiring.work import is_github


def sync_issues(project: Project, issues: tuple[int, ...] = ()) -> SyncReply:
    """Send what waits, and mirror the clarifications of some issues, or of all.

    Raises: InvalidValue in local mode, or without a repository or a token.
    """
    if not is_github(project):
        raise InvalidValue(
            "issues are files here: there is nothing to send",
            hint="agentx config set work.mode github",
        )
    return mirror(project, issues)
