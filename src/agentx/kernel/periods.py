"""The calendar of the table of contents: years, months, ISO weeks and days, in a time zone.

Everything is made of weeks, so that every period is a whole number of its parts:

    year  >  month  >  week  >  day        (and a day holds segments)

A week begins on Monday and belongs to the month and the year of its Thursday. A
month is therefore the weeks whose Thursdays it holds, and a year is the ISO year:
29 December 2025 is a day of the first week of January 2026.

A day lasts from the first moment whose local date is that date to the first moment
of the next one. So a day may have 23 or 25 hours, or none at all where a zone
skipped it (Pacific/Apia, 30 December 2011), and no moment is in two days even
where clocks were set back across midnight.

Ids of nodes are built and parsed here and nowhere else:

    toc:year:2026   toc:month:2026:01   toc:week:2026:W03   toc:day:2026-01-15
    toc:segment:2026-01-15:{ULID}
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum
from functools import lru_cache

from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import NodeId, is_ulid
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

# Wider than any event's time, and far from where Python's own calendar ends.
YEAR_MIN = 1900
YEAR_MAX = 9000

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_THURSDAY = timedelta(days=3)
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NODE_ID = compile_late(
    r"toc:(?:"
    r"year:(?P<year>\d{4})"
    r"|month:(?P<month>\d{4}:\d{2})"
    r"|week:(?P<week>\d{4}:W\d{2})"
    r"|day:(?P<day>\d{4}-\d{2}-\d{2})"
    r"|segment:(?P<segment>\d{4}-\d{2}-\d{2}:[0-9A-Z]{26})"
    r")",
    re.ASCII,
)


class Level(StrEnum):
    """How deep a node lies."""

    YEAR = "year"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    SEGMENT = "segment"


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """A year, a month, a week or a day. Build one with the functions below."""

    first: date  # a Monday, except for a day
    last: date  # a Sunday, except for a day
    level: Level

    @property
    def node_id(self) -> NodeId:
        """The id of the node that tells what happened in this period."""
        thursday = self.first + _THURSDAY
        match self.level:
            case Level.YEAR:
                return NodeId(f"toc:year:{thursday.year:04}")
            case Level.MONTH:
                return NodeId(f"toc:month:{thursday.year:04}:{thursday.month:02}")
            case Level.WEEK:
                iso = self.first.isocalendar()
                return NodeId(f"toc:week:{iso.year:04}:W{iso.week:02}")
            case _:
                return NodeId(f"toc:day:{self.first.isoformat()}")

    @property
    def title(self) -> str:
        """The period in words, as in `Week 3, 12-18 January 2026`."""
        thursday = self.first + _THURSDAY
        match self.level:
            case Level.YEAR:
                return f"{thursday.year}"
            case Level.MONTH:
                return f"{_MONTHS[thursday.month - 1]} {thursday.year}"
            case Level.WEEK:
                return f"Week {self.first.isocalendar().week}, {_range(self.first, self.last)}"
            case _:
                return f"{_WEEKDAYS[self.first.weekday()]} {_words(self.first)}"


@frozen(kw_only=False)
class SegmentRef:
    """What a segment's id says: the day it lies in, and the segment itself."""

    day: date
    ulid: str

    @property
    def node_id(self) -> NodeId:
        """The id of the segment's node."""
        return NodeId(f"toc:segment:{self.day.isoformat()}:{self.ulid}")


# --- building -------------------------------------------------------------------------------


def year_period(year: int) -> Period:
    """Return the ISO year."""
    _check_year(year)
    return Period(_monday_of(year, 1), _monday_of(year + 1, 1) - _DAY, Level.YEAR)


def month_period(year: int, month: int) -> Period:
    """Return the weeks whose Thursdays lie in the month.

    Raises: InvalidValue.
    """
    _check_year(year)
    if not 1 <= month <= 12:
        raise InvalidValue(f"{year}-{month:02} is not a month")
    after = (year, month + 1) if month < 12 else (year + 1, 1)
    return Period(_monday_of(year, month), _monday_of(*after) - _DAY, Level.MONTH)


def week_period(year: int, week: int) -> Period:
    """Return an ISO week.

    Raises: InvalidValue.
    """
    _check_year(year)
    try:
        monday = date.fromisocalendar(year, week, 1)
    except ValueError as error:
        raise InvalidValue(f"{year} has no week {week}") from error
    return Period(monday, monday + 6 * _DAY, Level.WEEK)


def day_period(day: date) -> Period:
    """Return a day.

    Raises: InvalidValue.
    """
    if not YEAR_MIN <= day.isocalendar().year <= YEAR_MAX:
        raise InvalidValue(f"{day} is outside the calendar")
    return Period(day, day, Level.DAY)


def period_at(at_ms: int, zone: tzinfo, level: Level = Level.DAY) -> Period:
    """Return the period of a level that holds a moment.

    Raises: InvalidValue when the moment is beyond every calendar.
    """
    found = day_period(local_day(at_ms, zone))
    while found.level != level:
        above = parent(found)
        assert above is not None, f"{level} is not a level of periods"
        found = above
    return found


def local_day(at_ms: int, zone: tzinfo) -> date:
    """Return the day that holds a moment.

    Raises: InvalidValue when the moment is beyond every calendar.
    """
    try:
        day = _local(at_ms // 1000, zone).date()
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidValue(f"{at_ms} is outside the calendar") from error
    if not YEAR_MIN <= day.year <= YEAR_MAX:
        raise InvalidValue(f"{at_ms} is outside the calendar")
    # Where clocks were set back across midnight the old date is shown once more; the new day
    # had begun already, and a day that has begun goes on.
    return day + _DAY if at_ms >= _day_start_ms(day + _DAY, zone) else day


# --- the tree -------------------------------------------------------------------------------


def parent(period: Period) -> Period | None:
    """Return the period one level up; a year has none."""
    thursday = period.first - timedelta(days=period.first.weekday()) + _THURSDAY
    match period.level:
        case Level.DAY:
            return week_period(*period.first.isocalendar()[:2])
        case Level.WEEK:
            return month_period(thursday.year, thursday.month)
        case Level.MONTH:
            return year_period(thursday.year)
        case _:
            return None


def children(period: Period) -> tuple[Period, ...]:
    """Return the periods one level down, in order. A day has segments, which are no periods."""
    match period.level:
        case Level.YEAR:
            year = (period.first + _THURSDAY).year
            return tuple(month_period(year, month) for month in range(1, 13))
        case Level.MONTH:
            weeks = ((period.last - period.first).days + 1) // 7
            mondays = (period.first + 7 * index * _DAY for index in range(weeks))
            return tuple(Period(monday, monday + 6 * _DAY, Level.WEEK) for monday in mondays)
        case Level.WEEK:
            return tuple(day_period(period.first + index * _DAY) for index in range(7))
        case _:
            return ()


# --- time -----------------------------------------------------------------------------------


# What machines call the same zone by; who names it anew has not moved.
_UTC_NAMES = frozenset("z uct zulu universal utc etc/uct etc/zulu etc/universal etc/utc".split())


def settle_zone_name(name: str) -> str:
    """Return the one name of a time zone that has many."""
    return str(UTC) if name.lower() in _UTC_NAMES else name


def zone_named(name: str) -> tzinfo:
    """Return a time zone by its IANA name.

    Raises: InvalidValue.
    """
    if settle_zone_name(name) == str(UTC):
        return UTC  # must work on a machine without a time zone database
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415  it looks for the database

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidValue(
            f"{name[:60]!r} is not a time zone", hint="use an IANA name such as Europe/Berlin"
        ) from error


def start_ms(period: Period, zone: tzinfo) -> Millis:
    """Return the first moment of a period."""
    return _day_start_ms(period.first, zone)


def end_ms(period: Period, zone: tzinfo) -> Millis:
    """Return the first moment after a period."""
    return _day_start_ms(period.last + _DAY, zone)


@lru_cache(maxsize=4096)
def _day_start_ms(day: date, zone: tzinfo) -> Millis:
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    start = _seconds(midnight)
    if _local(start, zone).replace(tzinfo=None) == midnight.replace(tzinfo=None):
        return Millis(start * 1000)
    # Midnight was skipped. The jump lies between midnight by the new offset and midnight by the
    # old one; the day begins at the jump.
    before = _seconds(midnight.replace(fold=1)) - 1
    while start - before > 1:
        middle = (before + start) // 2
        if _local(middle, zone).date() >= day:
            start = middle
        else:
            before = middle
    return Millis(start * 1000)


def _seconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(seconds=1)


def _local(at_s: int, zone: tzinfo) -> datetime:
    return datetime.fromtimestamp(at_s, tz=zone)


# --- ids ------------------------------------------------------------------------------------


def parse_node_id(text: str) -> Period | SegmentRef:
    """Return what a node's id names.

    Raises: InvalidValue.
    """
    found = _NODE_ID.fullmatch(text)
    if found is None:
        raise _not_a_node(text)
    try:
        return _parse(found)
    except (ValueError, InvalidValue) as error:
        raise _not_a_node(text) from error


def _parse(found: re.Match[str]) -> Period | SegmentRef:
    kind = found.lastgroup
    assert kind is not None, "one of the alternatives matched"
    value = found[kind]
    match Level(kind):
        case Level.YEAR:
            return year_period(int(value))
        case Level.MONTH:
            return month_period(int(value[:4]), int(value[5:]))
        case Level.WEEK:
            return week_period(int(value[:4]), int(value[6:]))
        case Level.DAY:
            return day_period(date.fromisoformat(value))
        case Level.SEGMENT:
            day, ulid = date.fromisoformat(value[:10]), value[11:]
            if not is_ulid(ulid):
                raise InvalidValue(f"{ulid} is not an id")
            return SegmentRef(day_period(day).first, ulid)


def _not_a_node(text: str) -> InvalidValue:
    return InvalidValue(
        f"{text[:60]!r} names no node of the table of contents",
        hint="ids look like toc:month:2026:01, toc:week:2026:W03 or toc:day:2026-01-15",
    )


# --- words ----------------------------------------------------------------------------------


def _words(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _range(first: date, last: date) -> str:
    if first.year != last.year:
        return f"{_words(first)} to {_words(last)}"
    if first.month != last.month:
        return f"{first.day} {_MONTHS[first.month - 1]} to {_words(last)}"
    return f"{first.day}-{_words(last)}"


def _monday_of(year: int, month: int) -> date:
    """Return the Monday of the week that holds the month's first Thursday."""
    first = date(year, month, 1)
    thursday = first + timedelta(days=(3 - first.weekday()) % 7)
    return thursday - _THURSDAY


def _check_year(year: int) -> None:
    if not YEAR_MIN <= year <= YEAR_MAX:
        raise InvalidValue(f"the year {year} is outside the calendar")
