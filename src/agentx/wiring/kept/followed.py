"""What a user dropped in one checkout, dropped in their others too; and brought back likewise.

Each checkout has a memory of its own. What a question came to is the same in all of them, and what
the user dropped of it stands in their own folder (`vouched.taken_away`).
"""

from __future__ import annotations

from agentx.observations.tidying.dropping import drop, undrop
from agentx.project.project import Project
from agentx.wiring.vouched.outcomes import find_question
from agentx.wiring.vouched.store import VouchedStore


def follow_drops(project: Project, store: VouchedStore) -> None:
    """Drop here, or bring back, what the user did elsewhere; what they wrote anew here stays.

    Raises: LockHeld, UnavailableError.
    """
    store.witness.look_again()
    for one in store.plain.everything():
        if find_question(one) and not one.mended_ms:
            outcome = store.witness.find_outcome(one)
            if outcome is not None and store.taken_away.has_dropped(*outcome):
                drop(store, one, why="", at_ms=project.clock.now_ms())
    for name, noted in store.drops.read().dropped.items():
        outcome = None if noted.is_returning else store.witness.find_outcome_by_id(name)
        if outcome is not None and store.taken_away.has_brought_back(*outcome):
            undrop(store, name)
