"""The branches of a project, opened: how far what was learnt on them reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agentx.host.git.heads import read_checkout
from agentx.observations.model import Observation, SearchFilters
from agentx.project.project import Project
from agentx.recall.branches.history import BranchHistory
from agentx.recall.branches.marks import Reaches
from agentx.recall.branches.reach import Reach

if TYPE_CHECKING:
    from agentx.observations.service import Observations

# Who waits for an answer waits no longer for git; what is prepared beforehand may take longer, but
# without a daemon a command prepares it.
READER_WAIT_MS = 1_500
PREPARER_WAIT_MS = 3_000
_REPLACED_MAX = 200


def open_reaches(project: Project, *, wait_ms: int = READER_WAIT_MS) -> Reaches | None:
    """Return what says how far memories reach; None outside of git."""
    common = project.trust.common
    if common is None:
        return None
    history = BranchHistory(project.root, common, project.store.branches)
    return Reaches(history, lambda: find_here(project), project.clock, wait_ms)


def find_here(project: Project) -> str:
    """Return the branch that is checked out where the user is, or the commit; empty for neither."""
    found = read_checkout(project.directory)
    return found.branch or found.commit if found is not None else ""


def find_reaches(
    project: Project, memories: Sequence[Observation], here: str | None = None
) -> Mapping[str, Reach]:
    """Return how far memories reach that are bound to a branch, by their ids."""
    reaches = open_reaches(project) if any(one.branch for one in memories) else None
    return reaches.find(memories, here) if reaches is not None else {}


def list_restored(
    room: Observations, reaches: Reaches, here: str | None
) -> dict[str, tuple[Observation, Reach]]:
    """Return what holds here and was replaced on a branch that does not reach here, by its id.

    Each with how far that reaches which replaced it.
    """
    rows = room.store.search_by_filters(SearchFilters(superseded=True, limit=_REPLACED_MAX))
    newer = room.store.get_by_ids({row.superseded_by for row in rows})
    apart = {name: reach for name, reach in reaches.find(newer, here).items() if reach.mark}
    older = room.store.get_by_ids(row.id for row in rows if row.superseded_by in apart)
    gone = {name for name, reach in reaches.find(older, here).items() if reach.mark}
    return {one.id: (one, apart[one.superseded_by]) for one in older if one.id not in gone}
