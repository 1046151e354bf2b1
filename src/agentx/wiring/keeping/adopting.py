"""What was kept in the store's folder, moved to where it belongs once that is ours.

In a repository that is not trusted our own observations live apart from whatever lies in its
`.agentx/memory`. When a person trusts it, and git does not track that folder, the two are one.
"""

from __future__ import annotations

import os
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import is_file, read_bytes, remove, remove_tree
from agentx.project.project import Project
from agentx.project.trust.private import AGENT_STATUS


def adopt_private(project: Project) -> int:
    """Move what is ours into the repository's folder; return how many observations moved.

    Raises: UnavailableError, LockHeld.
    """
    tracked, apart = project.private.list_tracked(), project.store.private
    if AGENT_STATUS not in tracked and is_file(apart / AGENT_STATUS):
        _move_statuses(apart / AGENT_STATUS, project.paths.agent_status)
    if "memory" in tracked or not os.path.lexists(apart / "memory"):
        return 0
    return _move_observations(project, apart / "memory")


def _move_statuses(apart: Path, place: Path) -> None:
    if not os.path.lexists(place):
        replace_file(place, read_bytes(apart))
    remove(apart)


def _move_observations(project: Project, apart: Path) -> int:
    # Few repositories are trusted after they were worked in: only they wait for the stores.
    from agentx.observations.store.migration import copy_all  # noqa: PLC0415  see above
    from agentx.wiring.observations import open_store_in  # noqa: PLC0415  see above

    source = open_store_in(project, apart)
    target = open_store_in(project, project.paths.observations)
    try:
        source.settle()
        count = source.get_stats().total_observations
        copy_all(source, target)
    finally:
        source.close()
        target.close()
    remove_tree(apart)
    return count
