"""Cron expressions: five fields, read as crontab(5) reads them, and the moments they mean.

    minute  hour  day-of-month  month  day-of-week      30 4 * * sun

Days of the week count from Sunday (0 and 7) or have names. When both days are
restricted either will do; a day field that begins with `*` restricts nothing.

The clock of a zone jumps. An expression that names hours means one moment a day:
where the clock jumps over it, the jump; where the clock shows it twice, the first
time. An expression of every hour follows the clock as it goes: what is jumped over
is not, and what is shown twice comes twice.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_DAYS_IN_MONTH_MAX = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EVERY_HOUR = frozenset(range(24))
_ITEM = re.compile(r"(?P<first>\*|\w+)(?:-(?P<last>\w+))?(?:/(?P<step>\d{1,4}))?")
# The longest wait is for a 29 February over a century that has no leap year: 8 years.
_DAYS_AHEAD_MAX = 9 * 366
_ONE_DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Cron:
    """A schedule: the minutes, hours and days on which something happens."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]  # 0 is Sunday
    either_day: bool  # both kinds of days are restricted, and one of them is enough

    def next_after(self, at_ms: int, zone: tzinfo) -> Millis:
        """Return the first moment of the schedule that is later than `at_ms`."""
        today = datetime.fromtimestamp(at_ms / 1000, tz=zone).date()
        found: float = math.inf
        last: date | None = None
        # A clock that is set back over midnight shows the end of a day again after the next one
        # has begun, so the day before this one and the day after a find are looked at too.
        for day in self._dates(today - _ONE_DAY):
            if last is not None and day > last:
                break
            for hour in sorted(self.hours):
                if _may_hold(day, hour, zone, after_ms=at_ms, before_ms=found):
                    moments = self._moments(day, hour, zone)
                    found = min(found, *(moment for moment in moments if moment > at_ms), math.inf)
            if found < math.inf:
                last = last or day + _ONE_DAY
        assert found < math.inf, "an expression that names no day was refused when it was read"
        return Millis(int(found))

    def _dates(self, first: date) -> Iterator[date]:
        for offset in range(_DAYS_AHEAD_MAX):
            day = first + offset * _ONE_DAY
            if day.month in self.months and self._is_day(day):
                yield day

    def _is_day(self, day: date) -> bool:
        by_number = day.day in self.days
        by_name = day.isoweekday() % 7 in self.weekdays
        return by_number or by_name if self.either_day else by_number and by_name

    def _moments(self, day: date, hour: int, zone: tzinfo) -> Iterator[int]:
        """Yield the moments of one hour of the calendar."""
        follows_the_clock = self.hours == _EVERY_HOUR
        for minute in sorted(self.minutes):
            first, second = _shown(day, hour, minute, zone)
            if first == second:
                yield first
            elif first < second:  # shown twice
                yield first
                if follows_the_clock:
                    yield second
            elif not follows_the_clock:  # jumped over
                yield _jump(second, first, zone)


def parse_cron(text: str) -> Cron:
    """Read a cron expression, or one of `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.

    Raises: InvalidValue.
    """
    said = " ".join(text.lower().split())
    fields = _NICKNAMES.get(said, said).split()
    if len(fields) != 5:
        raise _wrong(text, f"it has {len(fields)} fields, not 5")
    minutes = _numbers(text, fields[0], 0, 59)
    hours = _numbers(text, fields[1], 0, 23)
    days = _numbers(text, fields[2], 1, 31)
    months = _numbers(text, fields[3], 1, 12, _MONTHS)
    weekdays = frozenset(number % 7 for number in _numbers(text, fields[4], 0, 7, _DAYS))
    either = not fields[2].startswith("*") and not fields[4].startswith("*")
    if not either and not any(min(days) <= _DAYS_IN_MONTH_MAX[month - 1] for month in months):
        raise _wrong(text, "no month has that day")
    return Cron(said, minutes, hours, days, months, weekdays, either)


def _numbers(
    text: str, field: str, lowest: int, highest: int, names: tuple[str, ...] = ()
) -> frozenset[int]:
    """Return the numbers that a field names."""
    found: set[int] = set()
    for item in field.split(","):
        match = _ITEM.fullmatch(item)
        if match is None:
            raise _wrong(text, f"{item!r} is neither a number, a name, a range nor a step")
        first, last, step = match["first"], match["last"], match["step"]
        if step is not None and (int(step) == 0 or (last is None and first != "*")):
            raise _wrong(text, f"{item!r}: a step needs a range, such as {lowest}-{highest}/5")
        if first == "*":
            if last is not None:
                raise _wrong(text, f"{item!r} is no range")
            low, high = lowest, highest - (1 if names is _DAYS else 0)
        else:
            low = _number(text, first, names)
            high = low if last is None else _number(text, last, names)
            # A week that ends on Sunday is a range too.
            high = 7 if names is _DAYS and last is not None and high == 0 < low else high
        if not lowest <= low <= high <= highest:
            raise _wrong(text, f"{item!r} is outside {lowest} to {highest}, or runs backwards")
        found.update(range(low, high + 1, int(step or 1)))
    return frozenset(found)


def _number(text: str, word: str, names: tuple[str, ...]) -> int:
    if word.isdecimal() and word.isascii() and len(word) <= 2:
        return int(word)
    if word in names:
        return names.index(word) + (1 if names is _MONTHS else 0)
    raise _wrong(text, f"{word!r} is not known here")


def _wrong(text: str, reason: str) -> InvalidValue:
    return InvalidValue(
        f"{text[:60]!r} is not a cron expression: {reason}",
        hint="write minute, hour, day of month, month, day of week, such as `30 4 * * sun`",
    )


def _shown(day: date, hour: int, minute: int, zone: tzinfo) -> tuple[int, int]:
    """Return when a clock shows a time: the same twice, or before and after it was set back.

    For a time that is jumped over the first is the later: both lie on the wrong side of the jump.
    """
    moment = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
    return _millis(moment), _millis(moment.replace(fold=1))


def _may_hold(day: date, hour: int, zone: tzinfo, *, after_ms: float, before_ms: float) -> bool:
    """Tell whether some of an hour lies between two moments: most hours need no closer look."""
    begins, ends = _shown(day, hour, 0, zone), _shown(day, hour, 59, zone)
    return max(ends) > after_ms and min(begins) < before_ms


def _jump(before_ms: int, after_ms: int, zone: tzinfo) -> int:
    """Return the moment at which the clock jumps forward, known to lie between two moments."""
    before, after = before_ms // 1000, after_ms // 1000
    old = _offset(before, zone)
    while after - before > 1:
        middle = (before + after) // 2
        if _offset(middle, zone) == old:
            before = middle
        else:
            after = middle
    return after * 1000


def _offset(at_s: int, zone: tzinfo) -> timedelta | None:
    return datetime.fromtimestamp(at_s, tz=zone).utcoffset()


def _millis(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)
