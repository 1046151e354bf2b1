"""The spool of a project: what hooks left, and how it is known whose it is."""

from __future__ import annotations

from functools import partial

from agentx.capture.drain import Spool
from agentx.host.files.plain import is_folder
from agentx.project.project import Project, locate


def open_spool(project: Project) -> Spool:
    """Return what hooks have spooled for a project's store."""
    return Spool(
        roots=project.environment.spools,
        store=project.store,
        clock=project.clock,
        locate=partial(_locate, project),
        active_run=partial(_active_run, project),
    )


def _locate(project: Project, directory: str) -> tuple[str, str]:
    identity, store = locate(directory, project.environment)
    return str(store.root), identity.id


def _active_run(project: Project) -> str:
    if not is_folder(project.paths.runs):
        return ""
    from agentx.wiring.runs import active_run  # noqa: PLC0415  most projects have no runs

    return active_run(project)
