"""What was known on a day, and what stood then: memory as it would have been told."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen
from agentx.observations.model import Category, ObservationIndex, SearchFilters
from agentx.project.project import Project
from agentx.wiring.kept.following import follow_ledgers
from agentx.wiring.observations import open_observations


@frozen
class PastFilters:
    """Which memories; empty asks for nothing. Those that sum up a session are told to nobody."""

    category: Category | None = None
    agent: str = ""
    issue_number: int | None = None
    standing: bool = False  # only what stood
    pinned: bool = False
    unreviewed: bool = False


@frozen
class PastRow:
    """A memory as it was on a day."""

    row: ObservationIndex
    replaced_by: str = ""  # what had replaced it by then; what came later had not


@frozen
class PastPage:
    """Some memories of a day, newest first, and how many there were in all."""

    rows: tuple[PastRow, ...]
    known: int  # by then
    stood: int  # of these
    first_ms: Millis | None = None  # of all there are


def memory_as_of(
    project: Project, until_ms: Millis | None, filters: PastFilters, *, first: int, count: int
) -> PastPage:
    """Return what was known before a moment and fits, newest first; `None` is now.

    What a person dropped, or had forgotten, is of no day.
    """
    follow_ledgers(project)
    with closing(open_observations(project)) as room:
        every = room.store.search_by_filters(SearchFilters())
    told = [each for each in every if each.category is not Category.COMPACTION_SUMMARY]
    known = [each for each in told if until_ms is None or each.timestamp_ms < until_ms]
    since = {each.id: each.timestamp_ms for each in every}
    rows = [_look_back(each, since, until_ms) for each in known]
    fitting = sorted(_choose(rows, filters), key=lambda each: -each.row.timestamp_ms)
    return PastPage(
        rows=tuple(fitting[first : first + count]),
        known=len(known),
        stood=sum(not each.replaced_by for each in rows),
        first_ms=min((each.timestamp_ms for each in told), default=None),
    )


def list_standing(
    rows: Iterable[ObservationIndex], until_ms: Millis | None
) -> list[ObservationIndex]:
    """Return those of all memories that were known and stood before a moment; `None` is now."""
    every = tuple(rows)
    since = {each.id: each.timestamp_ms for each in every}
    known = (each for each in every if until_ms is None or each.timestamp_ms < until_ms)
    return [each for each in known if not _look_back(each, since, until_ms).replaced_by]


def _look_back(row: ObservationIndex, since: dict[str, Millis], until_ms: Millis | None) -> PastRow:
    by = row.superseded_by
    is_later = until_ms is not None and by in since and since[by] >= until_ms
    return PastRow(row=row, replaced_by="" if is_later else by)


def _choose(rows: Iterable[PastRow], filters: PastFilters) -> Iterable[PastRow]:
    for each in rows:
        row = each.row
        if (
            (filters.category is None or row.category is filters.category)
            and (not filters.agent or row.agent == filters.agent)
            and (filters.issue_number is None or row.issue_number == filters.issue_number)
            and not (filters.standing and each.replaced_by)
            and (row.pinned or not filters.pinned)
            and not (filters.unreviewed and (row.reviewed or row.pinned))
        ):
            yield each
