"""What is shown of ledgers elsewhere, brought up to date after every change: the notices that
sessions begin with, and the threads on GitHub where issues live there.

The ledger is the fact and both are views of it: GitHub out of reach, or not set up, is
noted in the log and mended by the next change or by `agentx sync`.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.clarification.model import Check, Clarification
from agentx.kernel.errors import AgentXError
from agentx.project.project import Project
from agentx.wiring.section import renew_notices
from agentx.wiring.work import is_github


def mirrored(project: Project, state: Clarification) -> Clarification:
    """Return a clarification that has just changed, once what shows it is up to date."""
    mirror_issues(project, (state.issue,))
    return state


def mirror_found(project: Project, found: Check) -> None:
    """Bring up to date what shows the clarifications that the monitor has changed."""
    changed = (*found.stale, *found.stuck, *found.deadlocked, *found.abandoned)
    mirror_issues(project, {state.issue for state in changed})


def mirror_issues(project: Project, issues: Iterable[int]) -> None:
    """Bring the notices, and the threads of some issues on GitHub, up to date."""
    wanted = tuple(issues)
    if wanted:
        renew_notices(project)
        _mirror(project, wanted)


def mirror_all(project: Project) -> None:
    """Send what waits, and bring every thread up to date; nothing in local mode."""
    _mirror(project, ())


def _mirror(project: Project, wanted: tuple[int, ...]) -> None:
    if not is_github(project):
        return
    from agentx.wiring.listeners.mirror import mirror  # noqa: PLC0415  only GitHub mode pays for HTTP

    try:
        mirror(project, wanted)
    except AgentXError as error:
        project.log.record("warning", "clarification-mirror", message=error.message, issues=wanted)
