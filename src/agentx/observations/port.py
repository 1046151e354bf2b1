"""What the house asks of a store of observations; JSON files and SQLite both are one.

What a store can say by its other verbs stands here, once for both.

Law: what `store` returned from is on disk. A reader sees every acknowledged observation,
whichever process stored it. An id that is stored twice is stored once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from agentx.observations.limits import OBSERVATION_SEARCH_LIMIT
from agentx.observations.model import (
    Category,
    CompactionResult,
    DropList,
    Marking,
    Observation,
    ObservationIndex,
    SearchFilters,
    StoreFault,
    StoreStats,
)


class DroppedStore(Protocol):
    """What a person dropped."""

    def read(self) -> DropList:
        """Return the list as it is now; not to be changed."""
        ...

    def changing(self) -> AbstractContextManager[DropList]:
        """Give the list to be changed in place; return after it is on disk."""
        ...


class ObservationStore(Protocol):
    """Observations per issue, with an index over all of them."""

    @property
    def drops(self) -> DroppedStore:
        """What a person dropped; beside the observations, in either kind of store."""
        ...

    def store(self, observations: Sequence[Observation]) -> None:
        """Keep observations; return after they are on disk.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        ...

    def amend(self, observations: Sequence[Observation]) -> None:
        """Write anew what is known about stored observations; those not stored are left out."""
        ...

    def mark(self, markings: Sequence[Marking]) -> tuple[Observation, ...]:
        """Write what a person said of stored observations; return these as they are now.

        Each is written into what is on disk then: what others say of the same one stays.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        ...

    def get_by_issue(self, issue_number: int) -> tuple[Observation, ...]:
        """Return the observations of an issue, oldest first."""
        ...

    def get_by_id(self, observation_id: str) -> Observation | None:
        """Return one observation, or None."""
        return next(iter(self.get_by_ids((observation_id,))), None)

    def get_by_ids(self, observation_ids: Iterable[str]) -> tuple[Observation, ...]:
        """Return those that are there, in the order asked for; reads only the issues needed."""
        ...

    def search(
        self, query: str, limit: int = OBSERVATION_SEARCH_LIMIT
    ) -> tuple[ObservationIndex, ...]:
        """Return what fits the words best, best first."""
        ...

    def list_by_agent(self, agent: str) -> tuple[ObservationIndex, ...]:
        """Return everything of one agent, newest first."""
        return self.search_by_filters(SearchFilters(agent=agent))

    def list_by_category(self, category: Category) -> tuple[ObservationIndex, ...]:
        """Return everything of one category, newest first."""
        return self.search_by_filters(SearchFilters(category=category))

    def search_by_filters(self, filters: SearchFilters) -> tuple[ObservationIndex, ...]:
        """Return what passes every filter, newest first."""
        ...

    def find_ids(self, short_id: str) -> tuple[str, ...]:
        """Return the ids that are named so for short."""
        ...

    def count_standing(self) -> int:
        """Return how many observations nothing has replaced."""
        ...

    def increment_recall_count(self, *observation_ids: str) -> None:
        """Count one recall of each, in one write."""
        ...

    def compact(self, issue_number: int, *, before_ms: int | None = None) -> CompactionResult:
        """Merge related observations of an issue that are older than `before_ms`.

        The originals go to the archive. None means older than the archive threshold.
        """
        ...

    def put_away(self, observation_ids: Iterable[str]) -> None:
        """Put observations into the archive, merged into nothing; those not there are passed over.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        ...

    def note_dropped(
        self,
        observation_ids: Iterable[str],  # noqa: ARG002  for who knows more than the list
        *,
        is_dropped: bool = True,  # noqa: ARG002  as above
    ) -> None:
        """Note that a person drops observations, before they are put away; or wants them back.

        Nothing but the list of what was dropped, unless a store knows better who did.

        Raises: LockHeld, UnavailableError.
        """
        return

    def is_taken_away(self, observation_id: str) -> bool:
        """Tell whether a person took an observation away."""
        return observation_id in self.drops.read().dropped

    def bring_back(self, observation_ids: Iterable[str]) -> None:
        """Put originals from the archive into the store again.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        ...

    def remove(self, observation_id: str) -> bool:
        """Take one away for good, with all it was merged from; tell whether it was there."""
        ...

    def forget(self, observation_ids: Iterable[str]) -> tuple[str, ...]:
        """Take observations out of every file, the archive and what was merged of them too.

        The other originals of a merged one come back. Return the ids that are gone.
        """
        ...

    def get_stats(self) -> StoreStats:
        """Count what is there."""
        ...

    def issues(self) -> tuple[int, ...]:
        """Return the numbers of the issues that have observations."""
        ...

    def everything(self) -> Iterator[Observation]:
        """Yield every observation, issue by issue."""
        for issue in self.issues():
            yield from self.get_by_issue(issue)

    def get_archived(self, observation_id: str) -> Observation | None:
        """Return an original that was merged into another, or None."""
        ...

    def archive(self) -> Iterator[Observation]:
        """Yield every original that was merged into another."""
        ...

    def settle(self) -> int:
        """Bring every file up to date with what was stored; return how many records moved."""
        ...

    def faults(self) -> tuple[StoreFault, ...]:
        """Say what had to be mended or stepped over since this store was opened."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...
