"""Goal: a time is said in the words of who reads it, in the days of the project's zone."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from agentx.kernel.clock import DAY_MS, HOUR_MS, from_iso
from agentx.surfaces.dates import Dates, say_date

NOW_MS = from_iso("2026-11-05T12:30:00Z")  # a Thursday
DATES = Dates(now_ms=NOW_MS, zone=UTC)


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("2026-11-05T09:03:00Z", "today 09:03"),
        ("2026-11-04T14:03:00Z", "yesterday 14:03"),
        ("2026-11-06T02:00:00Z", "tomorrow 02:00"),
        ("2026-11-03T14:03:00Z", "Tue 3 Nov 14:03"),
        ("2026-03-02T09:04:00Z", "Mon 2 Mar 09:04"),
        ("2025-11-03T14:03:00Z", "3 Nov 2025 14:03"),
    ],
)
def test_a_time_is_said_in_words(at: str, said: str) -> None:
    assert DATES.say(from_iso(at)) == said


def test_a_day_is_one_of_the_projects_zone() -> None:
    tokyo = Dates(now_ms=NOW_MS, zone=ZoneInfo("Asia/Tokyo"))

    assert tokyo.say(from_iso("2026-11-04T16:00:00Z")) == "today 01:00"
    assert tokyo.begin_day(0) == from_iso("2026-11-04T15:00:00Z")


def test_a_day_that_was_longer_still_begins_at_midnight() -> None:
    berlin = Dates(now_ms=from_iso("2026-10-26T12:00:00Z"), zone=ZoneInfo("Europe/Berlin"))

    assert berlin.begin_day(1) == from_iso("2026-10-24T22:00:00Z")
    assert berlin.begin_day(0) - berlin.begin_day(1) == DAY_MS + HOUR_MS


def test_a_span_names_a_day_once() -> None:
    assert DATES.say_span(NOW_MS - HOUR_MS, NOW_MS) == "today 11:30 to 12:30"
    assert DATES.say_span(NOW_MS - DAY_MS, NOW_MS) == "yesterday 12:30 to today 12:30"


def test_a_time_that_is_on_no_calendar_is_no_error() -> None:
    assert DATES.say(1 << 62) == DATES.say(None) == DATES.say_clock(None) == "-"
    assert DATES.say_day(1 << 62) == "-"
    assert say_date(None, UTC) == "-"
