"""A repository that git refuses since another user owns it: to us it looks like none."""

from __future__ import annotations

from agentx.host.git.command import find_refusal
from agentx.kernel.errors import UnavailableError
from agentx.project.project import Project


def find_git_refusal(project: Project) -> UnavailableError | None:
    """Return that git refuses the repository that a project lies in; None where it does not."""
    return find_refusal(project.root) if project.trust.common is None else None


def require_git(project: Project) -> None:
    """See that git shows us the repository that a project lies in, if there is one.

    Raises: UnavailableError.
    """
    refused = find_git_refusal(project)
    if refused is not None:
        raise refused
