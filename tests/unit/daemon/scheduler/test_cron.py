"""Goal: a cron expression means what crontab(5) says, also where the clock of a zone jumps.

Method: moments written out by hand for the places that are easy to get wrong, and a walk
minute by minute through the calendar as the oracle for everything else.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.daemon.scheduler.cron import Cron, parse_cron
from agentx.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from agentx.kernel.errors import InvalidValue

BERLIN = ZoneInfo("Europe/Berlin")  # 2026: 29 March 02:00 -> 03:00, 25 October 03:00 -> 02:00
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")  # half an hour: 5 April 02:00 -> 01:30
SAO_PAULO = ZoneInfo("America/Sao_Paulo")  # 2018: 4 November 00:00 -> 01:00
APIA = ZoneInfo("Pacific/Apia")  # 2011: 30 December did not happen


def millis(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def following(expression: str, after: str, zone: tzinfo, count: int) -> list[str]:
    """The next moments, as the clocks of the zone show them with their offset."""
    cron, at_ms, shown = parse_cron(expression), millis(after), []
    for _ in range(count):
        at_ms = cron.next_after(at_ms, zone)
        shown.append(datetime.fromtimestamp(at_ms / 1000, tz=zone).isoformat(timespec="minutes"))
    return shown


@pytest.mark.parametrize(
    ("expression", "first_two"),
    [
        ("* * * * *", ["2026-03-04T10:01+00:00", "2026-03-04T10:02+00:00"]),
        ("*/15 * * * *", ["2026-03-04T10:15+00:00", "2026-03-04T10:30+00:00"]),
        ("0 0 * * 0", ["2026-03-08T00:00+00:00", "2026-03-15T00:00+00:00"]),
        ("0 0 * * 7", ["2026-03-08T00:00+00:00", "2026-03-15T00:00+00:00"]),
        ("0 0 * * sun", ["2026-03-08T00:00+00:00", "2026-03-15T00:00+00:00"]),
        ("0 0 * * 1", ["2026-03-09T00:00+00:00", "2026-03-16T00:00+00:00"]),
        ("0 0 * * MON", ["2026-03-09T00:00+00:00", "2026-03-16T00:00+00:00"]),
        ("0 0 * * 6-7", ["2026-03-07T00:00+00:00", "2026-03-08T00:00+00:00"]),
        ("0 0 * * sat-sun", ["2026-03-07T00:00+00:00", "2026-03-08T00:00+00:00"]),
        ("0 9 * * mon-fri", ["2026-03-05T09:00+00:00", "2026-03-06T09:00+00:00"]),
        ("5,35 8-18/5 * * *", ["2026-03-04T13:05+00:00", "2026-03-04T13:35+00:00"]),
        ("0 0 1 jan,JUL *", ["2026-07-01T00:00+00:00", "2027-01-01T00:00+00:00"]),
        ("0 0 31 * *", ["2026-03-31T00:00+00:00", "2026-05-31T00:00+00:00"]),
        ("0 0 29 2 *", ["2028-02-29T00:00+00:00", "2032-02-29T00:00+00:00"]),
        # Either day will do when both are restricted ...
        ("0 0 13 * fri", ["2026-03-06T00:00+00:00", "2026-03-13T00:00+00:00"]),
        # ... and a field that begins with a star restricts nothing: both must hold.
        ("0 0 */2 * fri", ["2026-03-13T00:00+00:00", "2026-03-27T00:00+00:00"]),
        # A step from a number goes on to the end of its range.
        ("5/25 * * * *", ["2026-03-04T10:05+00:00", "2026-03-04T10:30+00:00"]),
        ("@hourly", ["2026-03-04T11:00+00:00", "2026-03-04T12:00+00:00"]),
        ("@daily", ["2026-03-05T00:00+00:00", "2026-03-06T00:00+00:00"]),
        ("@weekly", ["2026-03-08T00:00+00:00", "2026-03-15T00:00+00:00"]),
        ("@monthly", ["2026-04-01T00:00+00:00", "2026-05-01T00:00+00:00"]),
        ("@yearly", ["2027-01-01T00:00+00:00", "2028-01-01T00:00+00:00"]),
    ],
)
def test_an_expression_means_what_crontab_says(expression: str, first_two: list[str]) -> None:
    assert following(expression, "2026-03-04T10:00+00:00", UTC, 2) == first_two


def test_a_moment_itself_is_not_after_itself() -> None:
    cron = parse_cron("0 3 * * *")
    at_ms = millis("2026-03-04T03:00+00:00")

    assert cron.next_after(at_ms - 1, UTC) == at_ms
    assert cron.next_after(at_ms, UTC) == at_ms + DAY_MS


def test_a_leap_day_is_found_over_a_century_without_one() -> None:
    assert following("0 0 29 feb *", "2096-03-01T00:00+00:00", UTC, 1) == ["2104-02-29T00:00+00:00"]


@pytest.mark.parametrize("year", [2025, 2026, 2027, 2028])
def test_the_last_days_of_every_month_are_met(year: int) -> None:
    after = f"{year - 1}-12-31T12:00+00:00"
    met = following("0 0 28-31 * *", after, UTC, 4 * 12)

    days = [datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=offset) for offset in range(366)]
    expected = [
        day.isoformat(timespec="minutes") for day in days if day.day >= 28 and day.year == year
    ]
    assert met[: len(expected)] == expected


def test_what_the_clock_jumps_over_happens_at_the_jump() -> None:
    assert following("30 2 * * *", "2026-03-28T12:00+01:00", BERLIN, 2) == [
        "2026-03-29T03:00+02:00",
        "2026-03-30T02:30+02:00",
    ]


def test_several_times_that_are_jumped_over_happen_once() -> None:
    assert following("*/20 2 * * *", "2026-03-29T00:00+01:00", BERLIN, 2) == [
        "2026-03-29T03:00+02:00",
        "2026-03-30T02:00+02:00",
    ]


def test_what_the_clock_shows_twice_happens_the_first_time() -> None:
    assert following("30 2 * * *", "2026-10-24T12:00+02:00", BERLIN, 2) == [
        "2026-10-25T02:30+02:00",
        "2026-10-26T02:30+01:00",
    ]


def test_every_hour_is_an_hour_after_the_last_however_the_clock_jumps() -> None:
    cron = parse_cron("0 * * * *")
    for around in ("2026-03-28T12:00+01:00", "2026-10-24T12:00+02:00"):
        at_ms = millis(around)
        moments = [at_ms]
        for _ in range(48):
            moments.append(cron.next_after(moments[-1], BERLIN))

        assert {later - earlier for earlier, later in pairwise(moments)} == {HOUR_MS}


def test_hours_that_are_all_named_are_every_hour() -> None:
    after = "2026-10-25T01:30+02:00"

    assert following("0 0-23 * * *", after, BERLIN, 4) == following("0 * * * *", after, BERLIN, 4)


def test_quarter_hours_follow_a_clock_that_is_set_back_by_half_an_hour() -> None:
    assert following("*/15 * * * *", "2026-04-05T01:30+11:00", LORD_HOWE, 5) == [
        "2026-04-05T01:45+11:00",
        "2026-04-05T01:30+10:30",
        "2026-04-05T01:45+10:30",
        "2026-04-05T02:00+10:30",
        "2026-04-05T02:15+10:30",
    ]


def test_a_midnight_that_is_jumped_over_is_not_missed() -> None:
    assert following("@daily", "2018-11-03T12:00-03:00", SAO_PAULO, 2) == [
        "2018-11-04T01:00-02:00",
        "2018-11-05T00:00-02:00",
    ]


def test_a_day_that_did_not_happen_is_made_up_for_at_once() -> None:
    assert following("0 12 30 12 *", "2011-12-29T00:00-10:00", APIA, 2) == [
        "2011-12-31T00:00+14:00",
        "2012-12-30T12:00+14:00",
    ]


def test_a_clock_set_back_over_midnight_shows_the_end_of_a_day_after_the_next_has_begun() -> None:
    # St. John's went from 00:01 back to 23:01 of the day before.
    zone = ZoneInfo("America/St_Johns")

    assert following("*/30 * * * *", "2010-11-06T23:30-02:30", zone, 4) == [
        "2010-11-07T00:00-02:30",
        "2010-11-06T23:30-03:30",
        "2010-11-07T00:00-03:30",
        "2010-11-07T00:30-03:30",
    ]
    assert following("30 23 * * *", "2010-11-06T12:00-02:30", zone, 2) == [
        "2010-11-06T23:30-02:30",
        "2010-11-07T23:30-03:30",
    ]


FIELDS = st.tuples(
    st.sampled_from(["*", "0", "*/7", "13,47", "50-59/3"]),
    st.sampled_from(["*", "0", "2", "*/5", "1-3", "22,23"]),
    st.sampled_from(["*", "1", "28-31", "*/3", "15,29"]),
    st.sampled_from(["*", "2,3", "10", "*/5"]),
    st.sampled_from(["*", "0", "sat-sun", "1-5", "*/3"]),
)


@given(
    fields=FIELDS,
    after_ms=st.integers(millis("2024-01-01T00:00+00:00"), millis("2027-01-01T00:00+00:00")),
)
@settings(max_examples=60, deadline=None)
def test_walking_through_the_calendar_gives_the_same_moments(
    fields: tuple[str, ...], after_ms: int
) -> None:
    cron = parse_cron(" ".join(fields))
    found_ms = cron.next_after(after_ms, UTC)

    # Only days of the walk that can match are walked minute by minute.
    day = datetime.fromtimestamp(after_ms // DAY_MS * DAY_MS / 1000, tz=UTC)
    walked = next(
        at_ms
        for offset in range(9 * 366)
        if is_day(cron, fields, day + timedelta(days=offset))
        for at_ms in minutes_of(cron, day + timedelta(days=offset))
        if at_ms > after_ms
    )
    assert found_ms == walked


def is_day(cron: Cron, fields: tuple[str, ...], day: datetime) -> bool:
    number, weekday = day.day in cron.days, day.isoweekday() % 7 in cron.weekdays
    if fields[2].startswith("*") or fields[4].startswith("*"):
        return day.month in cron.months and number and weekday
    return day.month in cron.months and (number or weekday)


def minutes_of(cron: Cron, day: datetime) -> list[int]:
    moments = (day + timedelta(minutes=minute) for minute in range(24 * 60))
    return [
        int(moment.timestamp() * 1000)
        for moment in moments
        if moment.minute in cron.minutes and moment.hour in cron.hours
    ]


@given(
    expression=st.sampled_from(["* * * * *", "30 2 * * *", "*/20 2 * * *", "0 */2 * * *"]),
    zone=st.sampled_from([BERLIN, LORD_HOWE, ZoneInfo("America/New_York"), ZoneInfo("Asia/Tokyo")]),
    at_ms=st.integers(millis("2015-01-01T00:00+00:00"), millis("2040-01-01T00:00+00:00")),
)
@settings(max_examples=100, deadline=None)
def test_the_next_moment_is_later_and_nothing_lies_between(
    expression: str, zone: ZoneInfo, at_ms: int
) -> None:
    cron = parse_cron(expression)

    found = cron.next_after(at_ms, zone)

    assert found > at_ms
    assert found % MINUTE_MS == 0
    assert cron.next_after(found - 1, zone) == found
    assert cron.next_after((at_ms + found) // 2, zone) == found


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("", "not five fields"),
        ("* * * *", "not five fields"),
        ("* * * * * *", "not five fields"),
        ("60 * * * *", "bad minute"),
        ("* 24 * * *", "bad hour"),
        ("* * 0 * *", "bad day-of-month"),
        ("* * * 13 *", "bad month"),
        ("* * * * 8", "bad day-of-week"),
        ("30-10 * * * *", "bad minute"),
        ("30-0 * * * *", "bad minute"),
        ("*/0 * * * *", "bad minute"),
        ("*-5 * * * *", "bad minute"),
        ("1,,2 * * * *", "bad minute"),
        ("-1 * * * *", "bad minute"),
        ("0 0 * foo *", "bad month"),
        ("0 0 * * monday", "bad day-of-week"),
        ("jan * * * *", "bad minute"),
        ("\u0663 * * * *", "bad minute"),
        ("0 0 30 2 *", "bad day-of-month"),
        ("0 0 31 4,6 *", "bad day-of-month"),
        ("0 0 L * *", "not five fields"),
        ("0 0 * * fri#2", "not five fields"),
        ("@often", "not five fields"),
    ],
)
def test_what_is_no_expression_is_refused_with_the_reason(wrong: str, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason) as refused:
        parse_cron(wrong)

    assert "30 4 * * sun" in refused.value.hint
