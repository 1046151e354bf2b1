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

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

if TYPE_CHECKING:
    from cronsim import CronSim

_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
# cronsim also reads seconds, `L` and `#`, which crontab(5) does not know.
_FIELDS = compile_late(r"(?:(?:[\d*/,-]|[a-z]{3})+ ){4}(?:[\d*/,-]|[a-z]{3})+")
_EVERY_HOUR = frozenset(range(24))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@frozen(kw_only=False)
class Cron:
    """A schedule: the minutes, hours and days on which something happens."""

    text: str
    expression: str  # the text as cronsim takes it
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]  # 0 is Sunday

    def next_after(self, at_ms: int, zone: tzinfo) -> Millis:
        """Return the first moment of the schedule that is later than `at_ms`."""
        moments = _simulate(self.expression, datetime.fromtimestamp(at_ms / 1000, tz=zone))
        # Where a clock is set back cronsim begins with moments that were shown already.
        return next(find for moment in moments if (find := _millis(moment)) > at_ms)


def parse_cron(text: str) -> Cron:
    """Read a cron expression, or one of `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.

    Raises: InvalidValue.
    """
    said = " ".join(text.lower().split())
    fields = _NICKNAMES.get(said, said)
    if _FIELDS.fullmatch(fields) is None:
        raise _wrong(text, "it is not five fields of numbers, names, ranges and steps")
    minute, hour, date, month, weekday = fields.split()
    # A week that ends on Sunday is a range too.
    weekday = re.sub(r"(?<!sun)(?<!0)-(?:sun|0)(?=[,/]|$)", "-7", weekday)
    read = _simulate(f"{minute} {hour} {date} {month} {weekday}", _EPOCH, text)
    # cronsim holds that what begins with a star follows the clock: here every hour does.
    if read.hours == _EVERY_HOUR:
        hour = "*"
    else:
        minute, hour = minute.replace("*", "0-59"), hour.replace("*", "0-23")
    weekdays = frozenset(day % 7 for day in read.weekdays if isinstance(day, int))
    return Cron(
        text=said,
        expression=f"{minute} {hour} {date} {month} {weekday}",
        minutes=frozenset(read.minutes),
        hours=frozenset(read.hours),
        days=frozenset(read.days),
        months=frozenset(read.months),
        weekdays=weekdays,
    )


def _simulate(fields: str, after: datetime, text: str = "") -> CronSim:
    from cronsim import CronSim, CronSimError  # noqa: PLC0415  who reads a job's state plans none

    try:
        return CronSim(fields, after)
    except CronSimError as error:
        raise _wrong(text, str(error).lower()) from error


def _wrong(text: str, reason: str) -> InvalidValue:
    return InvalidValue(
        f"{text[:60]!r} is not a cron expression: {reason}",
        hint="write minute (0-59), hour (0-23), day of month (1-31), month (1-12 or jan-dec) and "
        "day of week (0-7 or sun-sat), such as `30 4 * * sun`",
    )


def _millis(moment: datetime) -> Millis:
    return Millis((moment - _EPOCH) // timedelta(milliseconds=1))
