"""A schedule in words: `every Sunday at 04:30`, `every 15 minutes`.

What has no short name is shown as the expression itself, never approximated.
"""

from __future__ import annotations

from agentx.daemon.scheduler.cron import Cron
from agentx.daemon.scheduler.model import Every, Schedule
from agentx.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS

_WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_UNITS = ((DAY_MS, "day"), (HOUR_MS, "hour"), (MINUTE_MS, "minute"), (SECOND_MS, "second"))
_ALL_HOURS = frozenset(range(24))
_TIMES_SHOWN_MAX = 3


def in_words(schedule: Schedule) -> str:
    """Say when something happens."""
    if isinstance(schedule, Every):
        return _every(schedule.ms)
    days, times = _days(schedule), _times(schedule)
    if not days or not times:
        return schedule.text
    if times.startswith("every"):
        return times if days == "every day" else f"{times}, {days}"
    return f"{days} {times}"


def _every(duration_ms: int) -> str:
    """Say a duration in the largest unit that divides it."""
    for unit_ms, name in _UNITS:
        count, rest = divmod(duration_ms, unit_ms)
        if rest == 0:
            return f"every {name}" if count == 1 else f"every {count} {name}s"
    return f"every {duration_ms} ms"


def _times(cron: Cron) -> str:
    minutes, hours = sorted(cron.minutes), sorted(cron.hours)
    if cron.hours == _ALL_HOURS:
        if len(minutes) == 1:
            return "every hour" if minutes == [0] else f"every hour at :{minutes[0]:02d}"
        step = minutes[1] - minutes[0]
        if 60 % step == 0 and minutes == list(range(0, 60, step)):
            return "every minute" if step == 1 else f"every {step} minutes"
        return ""
    if len(minutes) * len(hours) > _TIMES_SHOWN_MAX:
        return ""
    return "at " + _list_words([f"{hour:02d}:{minute:02d}" for hour in hours for minute in minutes])


def _days(cron: Cron) -> str:
    is_any_day, is_any_weekday = len(cron.days) == 31, len(cron.weekdays) == 7
    if is_any_day and is_any_weekday:
        return "every day" if len(cron.months) == 12 else ""
    if is_any_weekday:
        return _dates(cron)
    return _weekdays(cron) if is_any_day and len(cron.months) == 12 else ""


def _dates(cron: Cron) -> str:
    numbers = _list_words([_ordinal(day) for day in sorted(cron.days)])
    if len(cron.days) > _TIMES_SHOWN_MAX or len(cron.months) not in (1, 12):
        return ""
    if len(cron.months) == 12:
        return f"on the {numbers} of every month"
    return f"every year on the {numbers} of {_MONTHS[min(cron.months) - 1]}"


def _weekdays(cron: Cron) -> str:
    if cron.weekdays == frozenset(range(1, 6)):
        return "Monday to Friday"
    if len(cron.weekdays) > _TIMES_SHOWN_MAX:
        return ""
    # A week begins on Monday where people list its days.
    return "every " + _list_words(
        [_WEEKDAYS[day] for day in sorted(cron.weekdays, key=lambda day: day or 7)]
    )


def _list_words(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _ordinal(number: int) -> str:
    ending = "th" if 10 < number < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
