"""What happened in a stretch of time or in one session: its main lines, its parts, its sessions.

A stretch is told in words (today, last week, in March), as a date of any length (2026-03-02,
2026-W10, 2026-03, 2026), or not at all: then it is all there is, newest first. Where the words
mean a period of the table of contents, its lines come with it. Sessions come a page at a time.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo

from agentx.conversation.model import Event, EventQuery, Session, SessionQuery
from agentx.conversation.toc_model import TocNode
from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.errors import InputError, InvalidValue, NotFound
from agentx.kernel.periods import (
    Level,
    Period,
    day_period,
    end_ms,
    local_day,
    month_period,
    parent,
    period_at,
    start_ms,
    week_period,
    year_period,
)
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.limits import SESSION_EVENTS_SHOWN, STRETCH_PARTS_MAX, STRETCH_SESSIONS_SHOWN
from agentx.recall.question.when import spans

_WRITTEN = compile_late(r"(\d{4})(?:-W(\d\d)|-(\d\d)(?:-(\d\d))?)?", re.ASCII)
# How ids begin that agent CLIs give to sessions: no time is told like that.
_NAME = compile_late(r"[0-9a-f]{8}-|\S{20}|[a-z]{2,5}_", re.IGNORECASE)
_DAYS_OF_DAYS = 14
_DAYS_OF_WEEKS = 92
_SESSIONS_LOOKED_AT = 1_000
_EVENTS_READ = 500


@frozen
class TimeStretch:
    """A stretch of time: its node and parts where it has some, and a page of its sessions."""

    words: str
    since_ms: Millis | None = None
    until_ms: Millis | None = None
    node: TocNode | None = None
    parts: tuple[TocNode, ...] = ()
    sessions: tuple[Session, ...] = ()
    page: int = 1
    has_more: bool = False

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing was then."""
        return not self.sessions and not self.parts and self.node is None


@frozen
class SessionPage:
    """A session, and a page of what was said in it."""

    session: Session
    events: tuple[Event, ...]
    page: int
    has_more: bool


def find_session(memory: Memory, name: str) -> Session | None:
    """Return the session of a name, or the only one whose name begins so.

    Raises: InvalidValue when several begin so.
    """
    if not name:
        return None
    try:
        first = memory.events(EventQuery(session_id=name, limit=1)).events
    except NotFound:
        return None
    if not first:
        return None
    found, at_ms = first[0], first[0].timestamp_ms
    then = SessionQuery(
        harness=found.harness,
        since_ms=at_ms,
        until_ms=Millis(at_ms + 1),
        limit=_SESSIONS_LOOKED_AT,
    )
    known = memory.sessions(then)
    return next((each for each in known if each.session_id == found.session_id), None)


def read_session(memory: Memory, session: Session, page: int) -> SessionPage:
    """Return a page of a session's events that say something, in order.

    Raises: NotFound when there is no such page.
    """
    wanted_from = (page - 1) * SESSION_EVENTS_SHOWN
    said: list[Event] = []
    cursor = ""
    while len(said) <= wanted_from + SESSION_EVENTS_SHOWN:
        found = memory.events(
            EventQuery(
                session_id=session.session_id,
                harness=session.harness,
                limit=_EVENTS_READ,
                cursor=cursor,
            )
        )
        said += [event for event in found.events if event.text.strip()]
        cursor = found.next
        if not cursor:
            break
    shown = tuple(said[wanted_from : wanted_from + SESSION_EVENTS_SHOWN])
    if not shown and page > 1:
        raise _no_page(page)
    has_more = len(said) > wanted_from + SESSION_EVENTS_SHOWN
    return SessionPage(session=session, events=shown, page=page, has_more=has_more)


def read_stretch(
    memory: Memory, words: str, *, now_ms: Millis, zone: tzinfo, page: int = 1
) -> TimeStretch | None:
    """Return what happened in the time that words mean; None when they mean none.

    Raises: NotFound when there is no such page, InvalidValue for a date that cannot be.
    """
    said = words.strip()
    span = _read_span(said, now_ms, zone) if said else (None, None, None)
    if span is None:
        return None
    since_ms, until_ms, period = span
    first = (page - 1) * STRETCH_SESSIONS_SHOWN
    found = memory.sessions(
        SessionQuery(since_ms=since_ms, until_ms=until_ms, limit=first + STRETCH_SESSIONS_SHOWN + 1)
    )
    shown = found[first : first + STRETCH_SESSIONS_SHOWN]
    if not shown and page > 1:
        raise _no_page(page)
    node, parts = (None, ()) if page > 1 else _contents(memory, since_ms, until_ms, period, zone)
    return TimeStretch(
        words=said,
        since_ms=since_ms,
        until_ms=until_ms,
        node=node,
        parts=parts,
        sessions=shown,
        page=page,
        has_more=len(found) > first + STRETCH_SESSIONS_SHOWN,
    )


def _no_page(page: int) -> NotFound:
    return NotFound(f"there is no page {page}", hint="the page before was the last")


def _read_span(
    said: str, now_ms: Millis, zone: tzinfo
) -> tuple[Millis, Millis, Period | None] | None:
    """Return from when to when words mean, and the period that this is."""
    period = _read_written(said)
    if period is not None:
        return (*_edges(period, zone), period)
    if _NAME.match(said):
        return None
    found = spans(said, now_ms=now_ms, zone=zone)
    if not found:
        return None
    since_ms, until_ms = found[0].since_ms, found[0].until_ms
    try:
        return since_ms, until_ms, _find_period(since_ms, until_ms, zone)
    except InvalidValue:
        return since_ms, until_ms, None  # beyond every calendar


def _read_written(said: str) -> Period | None:
    match = _WRITTEN.fullmatch(said.upper())
    if match is None:
        return None
    year, week, month, day = (int(part) if part else 0 for part in match.groups())
    try:
        if week:
            return week_period(year, week)
        if day:
            return day_period(datetime(year, month, day).date())  # noqa: DTZ001  a date, in no zone
        return month_period(year, month) if month else year_period(year)
    except (ValueError, InvalidValue):
        raise InvalidValue(
            f"{said} is no date", hint="use 2026-03-02, 2026-W10 or 2026-03"
        ) from None


def _edges(period: Period, zone: tzinfo) -> tuple[Millis, Millis]:
    """Return from when to when a period is; of a month and a year as calendars have them."""
    named = period.first + timedelta(days=3)
    if period.level is Level.MONTH:
        after = (named.replace(day=28) + timedelta(days=4)).replace(day=1)
        days = named.replace(day=1), after
    elif period.level is Level.YEAR:
        days = named.replace(month=1, day=1), named.replace(year=named.year + 1, month=1, day=1)
    else:
        return start_ms(period, zone), end_ms(period, zone)
    since, until = (start_ms(day_period(day), zone) for day in days)
    return since, until


def _find_period(since_ms: Millis, until_ms: Millis, zone: tzinfo) -> Period | None:
    """Return the period that lasts exactly so long."""
    day = local_day(since_ms, zone)
    week = period_at(since_ms, zone, Level.WEEK)
    known = (
        day_period(day),
        week,
        month_period(day.year, day.month),
        year_period(day.year),
    )
    return next((each for each in known if _edges(each, zone) == (since_ms, until_ms)), None)


def _contents(
    memory: Memory,
    since_ms: Millis | None,
    until_ms: Millis | None,
    period: Period | None,
    zone: tzinfo,
) -> tuple[TocNode | None, tuple[TocNode, ...]]:
    """Return the node of a period and, of a long one, its parts; else the parts of the span."""
    if since_ms is None or until_ms is None:
        return None, ()
    if period is not None:
        node = _find_node(memory, period)
        is_long = period.level in (Level.MONTH, Level.YEAR)
        return node, memory.browse(node.node_id).nodes if node and is_long else ()
    return None, _list_parts(memory, since_ms, until_ms, zone)


def _list_parts(
    memory: Memory, since_ms: Millis, until_ms: Millis, zone: tzinfo
) -> tuple[TocNode, ...]:
    length = (until_ms - since_ms) // DAY_MS
    if length > _DAYS_OF_WEEKS:
        return ()
    periods: dict[Period, None] = {}
    try:
        day, last = local_day(since_ms, zone), local_day(max(until_ms - 1, since_ms), zone)
        while day <= last:
            found = day_period(day)
            above = parent(found)
            periods[found if length <= _DAYS_OF_DAYS or above is None else above] = None
            day += timedelta(days=1)
    except InvalidValue:
        return ()  # beyond every calendar
    nodes = (_find_node(memory, each) for each in periods)
    return tuple(node for node in nodes if node is not None)[-STRETCH_PARTS_MAX:]


def _find_node(memory: Memory, period: Period) -> TocNode | None:
    try:
        return memory.toc_node(period.node_id)
    except InputError:
        return None
