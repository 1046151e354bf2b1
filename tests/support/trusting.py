"""Trust a project as a person would with `agentx trust`: for tests that write its files by hand."""

from __future__ import annotations

from pathlib import Path

from agentx.operations.setup.trust import give_trust, look_at_trust
from agentx.project.project import Project


def trusted(project: Project) -> Project:
    """Trust what lies in a project's repository now, and whatever data comes later."""
    _, files = look_at_trust(project)
    give_trust(project, files)
    return project


def read_if_there(path: Path) -> bytes | None:
    """Read a file that acts as if everything were trusted."""
    return path.read_bytes() if path.is_file() else None
