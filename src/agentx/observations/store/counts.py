"""Choosing and counting lines of the index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice

from agentx.kernel.clock import to_iso
from agentx.observations.ids import parse_observation_id
from agentx.observations.model import SearchFilters, StoreStats
from agentx.observations.store.records import EntryRecord, moment_of


def order_lines(rows: Iterable[EntryRecord]) -> list[EntryRecord]:
    """Return lines, newest first."""
    # They lie about in the order in which they came, and that is almost this one.
    ordered = sorted(rows, key=lambda row: (row.timestamp, row.id))
    ordered.reverse()
    return ordered


def filter_lines(rows: Iterable[EntryRecord], filters: SearchFilters) -> list[EntryRecord]:
    """Return the lines that pass every filter, in their order, as many as are wanted."""
    is_of_time = _in_time(filters)
    category = None if filters.category is None else filters.category.value
    found = (
        row
        for row in rows
        if (not filters.agent or row.agent == filters.agent)
        and (filters.issue_number is None or row.issue_number == filters.issue_number)
        and (category is None or row.category == category)
        and is_of_time(row)
        and (filters.superseded is None or bool(row.superseded_by) == filters.superseded)
        and (filters.pinned is None or row.pinned == filters.pinned)
        and (filters.reviewed is None or row.reviewed == filters.reviewed)
    )
    return list(found if filters.limit is None else islice(found, max(filters.limit, 0)))


def _in_time(filters: SearchFilters) -> Callable[[EntryRecord], bool]:
    """Return what tells whether a line is of the time: of when it was made, or was seen again."""
    since = to_iso(filters.since_ms) if filters.since_ms is not None else ""
    until = to_iso(filters.until_ms) if filters.until_ms is not None else "~"  # after every time

    def is_of_time(row: EntryRecord) -> bool:
        if since <= row.timestamp < until:
            return True
        again = [parse_observation_id(each).timestamp_ms for each in row.repeats]
        return any(since <= to_iso(each) < until for each in again)

    return is_of_time


def count_lines(rows: Iterable[EntryRecord], *, archived: int, bytes_on_disk: int) -> StoreStats:
    """Return what some lines add up to."""
    every = list(rows)
    times = [row.timestamp for row in every]
    return StoreStats(
        total_observations=len(every),
        total_tokens=sum(row.tokens for row in every),
        issue_count=len({row.issue_number for row in every}),
        oldest_ms=moment_of(min(times), "manifest") if times else None,
        newest_ms=moment_of(max(times), "manifest") if times else None,
        by_category=dict(Counter(row.category for row in every).most_common()),
        by_agent=dict(Counter(row.agent for row in every).most_common()),
        superseded=sum(1 for row in every if row.superseded_by),
        stale=sum(1 for row in every if row.stale),
        recalls=sum(row.recall_count for row in every),
        archived=archived,
        bytes_on_disk=bytes_on_disk,
    )
