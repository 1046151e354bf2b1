"""Time, in UTC milliseconds everywhere; text only at the edge, as machines and as people read it.

A clock is handed in. Code that asks the machine for the time cannot be tested
at midnight.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NewType, Protocol

from agentx.kernel import places
from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import compile_late

Millis = NewType("Millis", int)

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

age = places.age  # the hook says ages too

_AGO = compile_late(r"(\d{1,6})\s*(s|m|h|d|w)(?:\s+ago)?", re.IGNORECASE)
_UNITS_MS = {"s": SECOND_MS, "m": MINUTE_MS, "h": HOUR_MS, "d": DAY_MS, "w": 7 * DAY_MS}


class Clock(Protocol):
    """What the house asks of time."""

    def now_ms(self) -> Millis:
        """Return the time now."""
        ...

    def sleep_ms(self, duration_ms: int) -> None:
        """Wait."""
        ...


def from_iso(text: str) -> Millis:
    """Read an ISO 8601 time; one without an offset is UTC.

    Raises: ValueError.
    """
    moment = datetime.fromisoformat(text.strip())
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return Millis(round(moment.timestamp() * 1000))


def to_iso(at_ms: int) -> str:
    """Write a time as `2026-11-15T00:14:52.338Z`."""
    moment = datetime.fromtimestamp(at_ms / 1000, tz=UTC)
    return f"{moment.isoformat()[:19]}.{at_ms % 1000:03d}Z"


def to_file_name(at_ms: int) -> str:
    """Write a time as it stands in the name of a file: `2026-11-15T00-14-52Z`."""
    return to_iso(at_ms)[:19].replace(":", "-") + "Z"


def point(text: str, *, now_ms: Millis, zone: tzinfo) -> Millis:
    """Read a point in time: `2026-03-02`, `2026-03-02T14:00`, `7d`, `12h`, `today`, `yesterday`.

    A date means its midnight in `zone`; a duration means that long ago.

    Raises: InvalidValue.
    """
    said = text.strip().lower()
    ago = _AGO.fullmatch(said)
    if ago is not None:
        return Millis(max(now_ms - int(ago[1]) * _UNITS_MS[ago[2]], 0))
    today = datetime.fromtimestamp(now_ms / 1000, tz=zone).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    if said == "now":
        return now_ms
    if said == "today":
        return _millis(today)
    if said == "yesterday":
        return _millis(today - timedelta(days=1))
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise InvalidValue(
            f"{text!r} is not a time",
            hint="use 2026-03-02, 2026-03-02T14:00, 7d, 12h, today or yesterday",
        ) from error
    return _millis(moment if moment.tzinfo is not None else moment.replace(tzinfo=zone))


def _millis(moment: datetime) -> Millis:
    at = moment.astimezone(UTC).timestamp()
    return Millis(max(round(at * 1000), 0))
