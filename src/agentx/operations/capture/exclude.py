"""Folders and projects that are never captured."""

from __future__ import annotations

from agentx.kernel.values import frozen
from agentx.project.exclusion import exclude, include, is_left_out, list_excluded
from agentx.project.project import Project
from agentx.wiring.trust.persons_word import require_person


@frozen
class ExcludeReply:
    """What is never captured, and what changed in that."""

    excluded: tuple[str, ...]
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def exclude_from_capture(project: Project, what: str, *, remove: bool) -> ExcludeReply:
    """Exclude a folder or a project from capture, or take that back; with nothing, list them.

    Raises: InvalidValue, NotFound, LimitError; NotThePerson for an agent that would change it.
    """
    if what:
        hint = f"agentx exclude {'--remove ' if remove else ''}{what}"
        require_person(project, "what is never captured", hint=hint, about="exclude")
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    if what and remove:
        removed = include(project.data, what, here=project.directory)
    elif what:
        added = exclude(project.data, what, here=project.directory)
    return ExcludeReply(excluded=list_excluded(project.data), added=added, removed=removed)


def is_project_excluded(project: Project) -> bool:
    """Tell whether nothing of this project is captured."""
    return is_left_out(project, str(project.directory), project.id)
