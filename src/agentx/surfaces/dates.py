"""Times in the words that people use, in the one place that makes them.

    today 14:03   yesterday 09:10   Tue 3 Nov 14:03   3 Nov 2025 14:03

Days are those of the project's time zone, as in the table of contents. Names are ours, not the
locale's: the rest of what is said is English too.
"""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)
_NEAR = {0: "today", -1: "yesterday", 1: "tomorrow"}
# A day of the year before needs its year once it could be taken for one to come.
_DAYS_WITHOUT_YEAR = 300


def say_date(at_ms: int | None, zone: tzinfo) -> str:
    """Return a day with its year, whatever day it is today."""
    if at_ms is None:
        return "-"
    at = datetime.fromtimestamp(at_ms / 1000, tz=zone)
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


@frozen
class Dates:
    """The present, and where its days begin."""

    now_ms: Millis
    zone: tzinfo

    def say(self, at_ms: int | None) -> str:
        """Return a time in words: its day, and what a clock said."""
        at = self._find(at_ms)
        return f"{self.say_day(at_ms)} {at:%H:%M}" if at is not None else "-"

    def say_day(self, at_ms: int | None) -> str:
        """Return the day of a time in words."""
        at = self._find(at_ms)
        today = self._find(self.now_ms)
        if at is None or today is None:
            return "-"
        away = (at.date() - today.date()).days
        if away in _NEAR:
            return _NEAR[away]
        if abs(away) > _DAYS_WITHOUT_YEAR:
            return say_date(round(at.timestamp() * 1000), self.zone)
        return f"{_DAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]}"

    def say_clock(self, at_ms: int | None) -> str:
        """Return what a clock said."""
        at = self._find(at_ms)
        return f"{at:%H:%M}" if at is not None else "-"

    def say_iso(self, at_ms: int | None) -> str:
        """Return the day of a time as forms write it: 2026-03-02."""
        at = self._find(at_ms)
        return f"{at.date()}" if at is not None else ""

    def say_span(self, first_ms: int | None, last_ms: int | None) -> str:
        """Return from when to when, without saying a day twice."""
        first, last = self.say_day(first_ms), self.say_day(last_ms)
        if first == last:
            return f"{first} {self.say_clock(first_ms)} to {self.say_clock(last_ms)}"
        return f"{self.say(first_ms)} to {self.say(last_ms)}"

    def begin_day(self, days_ago: int) -> Millis:
        """Return when a day began."""
        today = datetime.fromtimestamp(self.now_ms / 1000, tz=self.zone)
        day = today.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days_ago)
        return Millis(round(day.timestamp() * 1000))

    def _find(self, at_ms: int | None) -> datetime | None:
        """Return a time as a calendar has it; none for one that is on no calendar."""
        if at_ms is None:
            return None
        try:
            return datetime.fromtimestamp(at_ms / 1000, tz=self.zone)
        except (ValueError, OverflowError, OSError):
            return None
