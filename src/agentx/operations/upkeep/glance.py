"""One look at everything: what is remembered, what waits for a person, what happened lately."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from agentx.conversation.model import Session, SessionQuery
from agentx.conversation.toc_model import Bullet, TocNode
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InputError
from agentx.kernel.periods import day_period, local_day, start_ms, week_period
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.upkeep.status import StatusReply, status
from agentx.project.project import Project

GLANCE_WEEKS = 4
_SESSIONS_SHOWN = 6
_LINES_SHOWN = 5


@frozen
class GlanceReply:
    """What somebody sees who says nothing but `agentx`."""

    status: StatusReply
    days: tuple[int, ...]  # events of each day, oldest first; the last is today
    since_ms: Millis  # when yesterday began
    sessions: tuple[Session, ...]  # since then, newest first; else the last one there was
    has_more: bool  # sessions since then
    lines: tuple[Bullet, ...]  # the weightiest since then, newest first


def glance(
    project: Project, memory: Memory, zone: tzinfo, *, short_ids: bool = True
) -> GlanceReply:
    """Look at what is remembered, what waits, and what happened since yesterday.

    Short names of sessions are found out by reading the names of all.
    """
    now_ms = project.clock.now_ms()
    today = local_day(now_ms, zone)
    since_ms = start_ms(day_period(today - timedelta(days=1)), zone)
    found = memory.sessions(
        SessionQuery(since_ms=since_ms, limit=_SESSIONS_SHOWN + 1, short_ids=short_ids)
    )
    lately = found or memory.sessions(SessionQuery(limit=1, short_ids=short_ids))
    known = _list_days(memory, now_ms, zone)
    newest = [node for node in known.values() if node.end_ms >= since_ms]
    told = {bullet.text: bullet for node in newest for bullet in node.bullets}
    best = sorted(told.values(), key=lambda bullet: -bullet.weight)[:_LINES_SHOWN]
    days = (today - timedelta(days=back) for back in range(7 * GLANCE_WEEKS - 1, -1, -1))
    counts = (known.get(day_period(day).node_id) for day in days)
    return GlanceReply(
        status=status(project, memory),
        days=tuple(node.event_count if node is not None else 0 for node in counts),
        since_ms=since_ms,
        sessions=lately[:_SESSIONS_SHOWN],
        has_more=len(lately) > _SESSIONS_SHOWN,
        lines=tuple(sorted(best, key=lambda bullet: -bullet.timestamp_ms)),
    )


def _list_days(memory: Memory, now_ms: Millis, zone: tzinfo) -> dict[str, TocNode]:
    """Return the days of the last weeks, as far as they are summed up."""
    at = datetime.fromtimestamp(now_ms / 1000, tz=zone)
    found: dict[str, TocNode] = {}
    for back in range(GLANCE_WEEKS + 1):
        iso = (at - timedelta(weeks=back)).isocalendar()
        try:
            page = memory.browse(week_period(iso.year, iso.week).node_id)
        except InputError:
            continue  # nobody worked in that week
        found.update({node.node_id: node for node in page.nodes})
    return found
