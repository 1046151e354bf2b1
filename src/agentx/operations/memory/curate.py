"""What a person says of single memories: tell this one always."""

from __future__ import annotations

from contextlib import closing

from agentx.kernel.errors import ConflictError
from agentx.kernel.values import frozen
from agentx.observations.limits import OBSERVATIONS_PINNED_TOLD_MAX
from agentx.observations.model import Marking, Observation, SearchFilters
from agentx.project.project import Project
from agentx.wiring.observations import open_observations


@frozen
class PinReply:
    """What is pinned now."""

    id: str
    pinned: bool
    summary: str
    total: int  # pinned in this project
    told_max: int  # of them, as many as are told at the start of every session


def memory_pin(project: Project, observation_id: str, *, pinned: bool = True) -> PinReply:
    """Have an observation told always, never merged and never faded; or no longer.

    Raises: NotFound, InvalidValue, ConflictError, LockHeld, UnavailableError.
    """
    now = _mark(project, Marking(id=observation_id, pinned=pinned))
    with closing(open_observations(project)) as room:
        total = len(room.store.search_by_filters(SearchFilters(pinned=True)))
    return PinReply(
        id=now.id,
        pinned=now.pinned,
        summary=now.summary,
        total=total,
        told_max=OBSERVATIONS_PINNED_TOLD_MAX,
    )


def _mark(project: Project, marking: Marking) -> Observation:
    with closing(open_observations(project)) as room:
        found, archived = room.get(marking.id)
        marked = () if archived else room.store.mark((marking,))
    if not marked:
        raise ConflictError(
            f"{found.id} was merged into another observation",
            hint="`agentx memory search` finds that one by the same words",
        )
    return marked[0]
