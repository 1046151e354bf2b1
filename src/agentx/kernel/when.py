"""Points in time as people type them on a command line, and ages as they read them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo

from agentx.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, Millis
from agentx.kernel.errors import InvalidValue

_AGO = re.compile(r"(\d{1,6})\s*(s|m|h|d|w)(?:\s+ago)?", re.IGNORECASE)
_UNITS_MS = {"s": SECOND_MS, "m": MINUTE_MS, "h": HOUR_MS, "d": DAY_MS, "w": 7 * DAY_MS}


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


def age(then_ms: int, *, now_ms: int) -> str:
    """Say how long ago something was, in two or three characters and a unit."""
    passed = now_ms - then_ms
    # The clocks of two machines, and of two lines of one program, are never quite the same.
    if passed < -MINUTE_MS:
        return "in the future"
    for unit_ms, name in ((DAY_MS, "d"), (HOUR_MS, "h"), (MINUTE_MS, "min")):
        if passed >= unit_ms:
            return f"{passed // unit_ms} {name} ago"
    return "just now"


def _millis(moment: datetime) -> Millis:
    at = moment.astimezone(UTC).timestamp()
    return Millis(max(round(at * 1000), 0))
