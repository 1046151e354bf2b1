"""Time, in UTC milliseconds everywhere; text only at the edge.

A clock is handed in. Code that asks the machine for the time cannot be tested
at midnight.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NewType, Protocol

Millis = NewType("Millis", int)

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS


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
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1000:03d}Z"


def to_file_name(at_ms: int) -> str:
    """Write a time as it stands in the name of a file: `2026-11-15T00-14-52Z`."""
    return to_iso(at_ms)[:19].replace(":", "-") + "Z"
