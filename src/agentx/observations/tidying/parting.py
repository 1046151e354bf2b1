"""Takes apart what earlier versions merged of people's words and agents': each stands by itself."""

from __future__ import annotations

from agentx.kernel.roles import PERSON_ROLE
from agentx.observations.model import SearchFilters
from agentx.observations.port import ObservationStore


def part_persons(store: ObservationStore) -> int:
    """Bring back the originals of what was merged of a person's words; return how many.

    Raises: InvalidValue, LockHeld, UnavailableError.
    """
    persons = {one.id for one in store.archive() if one.agent == PERSON_ROLE}
    if not persons:
        return 0
    rows = store.search_by_filters(SearchFilters())
    merged = [one for one in store.get_by_ids(row.id for row in rows) if one.sources]
    mixed = [one for one in merged if persons.intersection(one.sources)]
    originals = [each for one in mixed for each in one.sources]
    store.bring_back(originals)
    store.forget(one.id for one in mixed)
    return len(originals)
