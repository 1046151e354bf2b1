"""The digests of a project, as the view of its memory that they are."""

from __future__ import annotations

from collections.abc import Callable

from agentx.memory.port import Readable
from agentx.project.project import Project
from agentx.views.digests import Digests
from agentx.wiring.section import renew_digests


def open_digests(project: Project, reader: Readable, stamp: Callable[[], str]) -> Digests:
    """Return the digests of a project; `stamp` changes when what they are made from does."""

    def write() -> int:
        return renew_digests(project, reader)

    return Digests(store=project.store, clock=project.clock, stamp=stamp, write=write)
