"""What happened lately, as somebody sees it who comes back: since the last visit, else a day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import date, timedelta, tzinfo

from agentx.conversation.model import Session, SessionQuery
from agentx.conversation.toc_model import Bullet
from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.periods import day_period, local_day, start_ms
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.observations.model import Category, ObservationIndex, SearchFilters
from agentx.operations.memory.stats import Counter, memory_stats
from agentx.operations.recall.branches import mark_memories
from agentx.operations.upkeep.glance import GLANCE_WEEKS, glance
from agentx.operations.upkeep.status import StatusReply
from agentx.project.project import Project
from agentx.wiring.kept.following import follow_ledgers
from agentx.wiring.observations import open_observations

_SESSIONS_COUNTED = 2_000
_SESSIONS_SHOWN = 8
_MEMORIES_SHOWN = 8
_WEEK_MS = 7 * DAY_MS


@frozen
class DayActivity:
    """How much was done on a day, by agent CLI."""

    day: date
    events: Mapping[str, int]

    @property
    def total(self) -> int:
        """Of all agent CLIs together."""
        return sum(self.events.values())


@frozen
class LatelyReply:
    """One look for who comes back."""

    status: StatusReply
    since_ms: Millis
    is_new: bool  # something happened since the last visit; else it is the last week there was
    sessions: tuple[Session, ...]  # since then, newest first
    has_more: bool
    lines: tuple[Bullet, ...]  # the weightiest, newest first
    decided: tuple[ObservationIndex, ...]
    broken: tuple[ObservationIndex, ...]  # what failed, most with what mended it
    marks: Mapping[str, str]  # what is to be told of those that hold elsewhere, by their ids
    days: tuple[DayActivity, ...]  # oldest first; the last is today, or the last there was
    recalls: Counter  # what sessions were told lately, and what it cost


def look_lately(
    project: Project, memory: Memory, zone: tzinfo, *, since_ms: Millis | None
) -> LatelyReply:
    """Return what happened since a time, or since yesterday began where that is earlier."""
    seen = glance(project, memory, zone, short_ids=False)
    begin_ms = min(seen.since_ms, since_ms) if since_ms is not None else seen.since_ms
    last_ms = max((each.last_ms for each in seen.sessions), default=begin_ms)
    is_new = last_ms >= begin_ms
    if not is_new:
        begin_ms = Millis(last_ms - _WEEK_MS)
    query = SessionQuery(since_ms=begin_ms, limit=_SESSIONS_SHOWN + 1)
    sessions = memory.sessions(query)
    follow_ledgers(project)
    with closing(open_observations(project)) as room:
        find = room.store.search_by_filters
        decided = find(_filter_kept(Category.DECISION, begin_ms))
        broken = find(_filter_kept(Category.ERROR, begin_ms))
    bound = [row.id for row in (*decided, *broken) if row.branch]
    return LatelyReply(
        status=seen.status,
        since_ms=begin_ms,
        is_new=is_new,
        sessions=sessions[:_SESSIONS_SHOWN],
        has_more=len(sessions) > _SESSIONS_SHOWN,
        lines=seen.lines,
        decided=decided,
        broken=broken,
        marks=mark_memories(project, bound),
        days=_count_days(memory, last_ms, project.clock.now_ms(), zone),
        recalls=memory_stats(project).recalls,
    )


def _filter_kept(category: Category, since_ms: Millis) -> SearchFilters:
    return SearchFilters(
        category=category, since_ms=since_ms, superseded=False, limit=_MEMORIES_SHOWN
    )


def _count_days(
    memory: Memory, last_ms: int, now_ms: Millis, zone: tzinfo
) -> tuple[DayActivity, ...]:
    """Return the last weeks; where nobody worked in them, those before the last session."""
    is_lately = now_ms - last_ms < GLANCE_WEEKS * _WEEK_MS
    last = local_day(now_ms if is_lately else last_ms, zone)
    days = [last - timedelta(days=back) for back in range(7 * GLANCE_WEEKS - 1, -1, -1)]
    first_ms = start_ms(day_period(days[0]), zone)
    sessions = memory.sessions(SessionQuery(since_ms=first_ms, limit=_SESSIONS_COUNTED))
    counted = _count_events(sessions, zone)
    return tuple(DayActivity(day=day, events=dict(counted.get(day, {}))) for day in days)


def _count_events(sessions: Iterable[Session], zone: tzinfo) -> dict[date, dict[str, int]]:
    """Return the events of sessions by the day on which each was last seen, and agent CLI."""
    counted: dict[date, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for session in sessions:
        counted[local_day(session.last_ms, zone)][session.harness] += session.events
    return counted
