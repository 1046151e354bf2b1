"""A repository that git refuses since another user owns it, or in which nobody can work."""

from __future__ import annotations

from agentx.host.git.command import ask_git, find_refusal
from agentx.kernel.errors import InvalidValue, UnavailableError
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


def require_files(project: Project) -> None:
    """See that there are files to work on here: a bare repository has none, its worktrees do.

    Raises: InvalidValue; UnavailableError as `require_git`.
    """
    require_git(project)
    said = ask_git(project.directory, "rev-parse", "--is-bare-repository")
    if said is not None and said.out.strip() == "true":
        raise InvalidValue(
            f"{project.directory} is a bare repository: there are no files to work on",
            hint="go into a clone, or a worktree of it: `git worktree list` shows them",
        )
