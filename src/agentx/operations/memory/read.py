"""Find, list and open observations."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

from agentx.kernel.values import frozen
from agentx.observations.limits import OBSERVATION_SEARCH_LIMIT
from agentx.observations.model import Observation, ObservationIndex, SearchFilters
from agentx.operations.recall.branches import LearntOn, find_learnt_on, mark_memories
from agentx.operations.recall.uses import note_use
from agentx.project.project import Project
from agentx.wiring.kept.following import follow_ledgers
from agentx.wiring.observations import open_observations


@frozen
class Shown:
    """One observation in full."""

    observation: Observation
    archived: bool  # merged into another, and this is the original; or dropped
    dropped: bool = False
    replaced: tuple[str, ...] = ()  # the ids of what it holds instead of
    learnt_on: LearntOn = LearntOn()


def memory_search(
    project: Project,
    query: str,
    *,
    filters: SearchFilters | None = None,
    limit: int = OBSERVATION_SEARCH_LIMIT,
) -> tuple[ObservationIndex, ...]:
    """Return the observations that fit the words best."""
    follow_ledgers(project)
    with closing(open_observations(project)) as room:
        return room.search(query, limit, filters)


def memory_list(project: Project, filters: SearchFilters) -> tuple[ObservationIndex, ...]:
    """Return the observations that pass the filters, newest first."""
    follow_ledgers(project)
    with closing(open_observations(project)) as room:
        return room.store.search_by_filters(filters)


def memory_show(project: Project, observation_id: str) -> Shown:
    """Return one observation in full, also one that was merged into another.

    Raises: NotFound, InvalidValue.
    """
    with closing(open_observations(project)) as room:
        observation, archived = room.get(observation_id)
        dropped = archived and observation.id in room.store.drops.read().dropped
        replaced = room.list_replaced(observation.id)
    if not archived:
        note_use(project, observation.id)
    learnt_on = find_learnt_on(project, observation)
    return Shown(
        observation=observation,
        archived=archived,
        dropped=dropped,
        replaced=replaced,
        learnt_on=learnt_on,
    )


def memory_marks(project: Project, rows: Iterable[ObservationIndex]) -> dict[str, str]:
    """Return what is said of those rows that hold on another branch only, by their ids."""
    return mark_memories(project, [row.id for row in rows if row.branch])
