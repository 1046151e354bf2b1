"""To bring GitHub up to date, and the ledgers with what people replied there."""

from __future__ import annotations

from dataclasses import replace

from agentx.kernel.errors import InvalidValue
from agentx.project.project import Project
from agentx.wiring.hub import open_hub
from agentx.wiring.listeners.mirror import SyncReply, mirror
from agentx.wiring.listeners.replies import take_replies
from agentx.wiring.section import renew_late_notices
from agentx.wiring.work import is_github, take_time


def sync_issues(project: Project, issues: tuple[int, ...] = ()) -> SyncReply:
    """Take people's replies, send what waits, and mirror the clarifications of issues.

    Raises: InvalidValue in local mode, or without a repository or a token.
    """
    if not is_github(project):
        raise InvalidValue(
            "issues are files here: there is nothing to send",
            hint="agentx config set work.mode github",
        )
    project = take_time(project)
    heard = take_replies(project, open_hub(project), issues)
    if project.trust.has_data:
        renew_late_notices(project)  # a reply may have been changed
    done = mirror(project, issues)
    return replace(
        done,
        posted=done.posted + heard.posted,
        replies=heard.taken,
        unclear=heard.unclear,
        offline=done.offline or heard.offline,
    )
