"""What must stand still around an agent while it works: the branch, the issue, the workflow, and
the files that agent CLIs go by: the next one would run what they name.

What it changed there was checked by nobody: the way stops, and a person looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from agentx.kernel.errors import AgentXError
from agentx.kernel.text import printable
from agentx.kernel.values import frozen
from agentx.operations.walking.asked import WalkDesk
from agentx.operations.walking.standing import find_position
from agentx.wiring.walking.walk_git import WalkGit
from agentx.work.model import Position, Stage, Step, Workflow

_NAMED_MAX = 5


@frozen
class Surroundings:
    """How all stood when an agent began."""

    branch: str
    head: str
    steering: Mapping[str, str]  # what agent CLIs go by and git does not hold
    workflow: Workflow
    skipped: frozenset[str]  # steps whose condition does not hold


def look_around(desk: WalkDesk, where: Position) -> Surroundings:
    """Return how all stands now."""
    git = WalkGit(desk.project)
    return Surroundings(
        branch=git.branch,
        head=git.head,
        steering=git.look_at_steering(),
        workflow=where.workflow,
        skipped=frozenset(each.step.id for each in where.steps if each.stage is Stage.SKIPPED),
    )


def find_astray(desk: WalkDesk, step: Step, before: Surroundings) -> str:
    """Return what is not as it was when an agent began, and how to mend it; or nothing."""
    git = WalkGit(desk.project)
    if git.branch != before.branch:
        there = f"the branch {git.branch}" if git.branch else "no branch"
        return f"it left {there} checked out: git switch {before.branch}"
    if not git.holds(before.head):
        lost = before.head[:8]
        return f"{before.branch} lost {lost} while it worked: git reflog {before.branch} shows it"
    steering = git.list_steering_since(before.head, before.steering)
    if steering:
        named = ", ".join(map(printable, steering[:_NAMED_MAX]))
        return f"it changed {named}: agent CLIs go by that; look at it before you go on"
    nested = git.list_nested_since(before.head)
    if nested:
        named = ", ".join(map(printable, nested[:_NAMED_MAX]))
        return f"{named}: a repository of its own, whose files git would not commit: take its .git \
away, or let git ignore it"
    # Where the issue cannot be read now, the next look says so.
    with suppress(AgentXError):
        return _find_moved(desk, step, before)
    return ""


def _find_moved(desk: WalkDesk, step: Step, before: Surroundings) -> str:
    where = find_position(desk.project, desk.request, desk.read())
    issue, again = where.issue, f"agentx issue update {where.issue.number} --status"
    if not issue.is_open:
        return f"#{issue.number} was closed meanwhile: agentx issue reopen {issue.number}"
    if issue.status not in (desk.status, step.status_on_complete):
        was = f"{again} '{desk.status}' puts it back" if desk.status else ""
        return f"#{issue.number} was moved to {issue.status} meanwhile: {was}"
    seen = look_around(desk, where)
    if (seen.workflow, seen.skipped) != (before.workflow, before.skipped):
        return "its workflow is another now: agentx workflow show, agentx trust --show"
    return ""
