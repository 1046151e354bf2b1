"""The calendar: every turn of a week, a month and a year, in zones that make it hard.

Method: walk every day from 2015 to 2040 in zones with and without daylight saving, and compare
with what the calendar of the standard library says; then the oddities of single zones by hand.
"""

from __future__ import annotations

import itertools
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest

from agentx.kernel.clock import HOUR_MS, MINUTE_MS
from agentx.kernel.errors import InvalidValue
from agentx.kernel.periods import (
    Level,
    Period,
    SegmentRef,
    children,
    day_period,
    end_ms,
    local_day,
    month_period,
    parent,
    parse_node_id,
    period_at,
    start_ms,
    week_period,
    year_period,
    zone_named,
)
from tests.support.talk import periods_above

ZONES = [
    "UTC",
    "America/New_York",
    "Asia/Kolkata",
    "Pacific/Auckland",
    "Pacific/Apia",
    "Europe/Berlin",
    "America/Sao_Paulo",
]
YEARS = range(2015, 2041)
ULID = "01KF00000000000000000000AB"


def days() -> list[date]:
    first = date(2015, 1, 1)
    return [first + timedelta(days=n) for n in range((date(2041, 1, 10) - first).days)]


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)


# --- the tree -------------------------------------------------------------------------------


def test_a_day_belongs_to_the_week_month_and_year_of_its_thursday() -> None:
    for day in days():
        thursday = day - timedelta(days=day.weekday()) + timedelta(days=3)
        week, month, year = periods_above(day_period(day))

        assert week.node_id == f"toc:week:{thursday:%G}:W{thursday:%V}"
        assert month.node_id == f"toc:month:{thursday:%Y}:{thursday:%m}"
        assert year.node_id == f"toc:year:{thursday:%Y}"


def test_children_tile_their_parent_without_gap_or_overlap() -> None:
    for year in YEARS:
        stack = [year_period(year)]
        while stack:
            period = stack.pop()
            parts = children(period)
            if period.level is Level.DAY:
                assert parts == ()
                continue
            assert parts[0].first == period.first
            assert parts[-1].last == period.last
            assert all(b.first - a.last == timedelta(days=1) for a, b in itertools.pairwise(parts))
            assert all(parent(part) == period for part in parts)
            stack.extend(parts)


def test_years_follow_each_other() -> None:
    for year in YEARS:
        assert year_period(year + 1).first - year_period(year).last == timedelta(days=1)


@pytest.mark.parametrize(
    ("day", "week", "month", "year"),
    [
        (date(2025, 12, 29), "toc:week:2026:W01", "toc:month:2026:01", "toc:year:2026"),
        (date(2026, 1, 15), "toc:week:2026:W03", "toc:month:2026:01", "toc:year:2026"),
        (date(2026, 2, 1), "toc:week:2026:W05", "toc:month:2026:01", "toc:year:2026"),
        (date(2021, 1, 3), "toc:week:2020:W53", "toc:month:2020:12", "toc:year:2020"),
        (date(2016, 1, 3), "toc:week:2015:W53", "toc:month:2015:12", "toc:year:2015"),
    ],
)
def test_days_at_the_turn_of_the_year_and_month(
    day: date, week: str, month: str, year: str
) -> None:
    assert [above.node_id for above in periods_above(day_period(day))] == [week, month, year]


def test_a_year_has_no_parent() -> None:
    assert parent(year_period(2026)) is None


# --- time -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ZONES)
def test_every_moment_is_in_exactly_one_day_of_every_zone(name: str) -> None:
    zone = zone_named(name)
    for day in days():
        period = day_period(day)
        start, end = start_ms(period, zone), end_ms(period, zone)

        assert datetime.fromtimestamp(start / 1000, tz=zone).date() == day
        assert datetime.fromtimestamp((end - 1) / 1000, tz=zone).date() == day
        assert local_day(start, zone) == local_day(end - 1, zone) == day
        assert local_day(start - 1, zone) == day - timedelta(days=1)
        assert end - start in (23 * HOUR_MS, 24 * HOUR_MS, 25 * HOUR_MS)


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.parametrize("level", [Level.WEEK, Level.MONTH, Level.YEAR])
def test_the_last_moment_of_a_period_and_the_next_are_apart(name: str, level: Level) -> None:
    zone = zone_named(name)
    period: Period = period_at(at("2015-02-01T12:00:00+00:00"), zone, level)
    while period.first.year < 2040:
        end = end_ms(period, zone)
        after = period_at(end, zone, level)

        assert period_at(start_ms(period, zone), zone, level) == period
        assert period_at(end - 1, zone, level) == period
        assert after.first == period.last + timedelta(days=1)
        assert start_ms(after, zone) == end
        period = after


def test_days_of_23_and_25_hours() -> None:
    berlin = ZoneInfo("Europe/Berlin")

    spring, autumn = day_period(date(2026, 3, 29)), day_period(date(2026, 10, 25))

    assert end_ms(spring, berlin) - start_ms(spring, berlin) == 23 * HOUR_MS
    assert end_ms(autumn, berlin) - start_ms(autumn, berlin) == 25 * HOUR_MS


def test_a_day_that_a_zone_skipped_is_empty_and_holds_no_moment() -> None:
    apia = ZoneInfo("Pacific/Apia")
    skipped = day_period(date(2011, 12, 30))
    jump = at("2011-12-30T10:00:00+00:00")

    assert start_ms(skipped, apia) == end_ms(skipped, apia) == jump
    assert local_day(jump - 1, apia) == date(2011, 12, 29)
    assert local_day(jump, apia) == date(2011, 12, 31)


def test_a_day_without_midnight_begins_when_clocks_jump() -> None:
    zone = ZoneInfo("America/Sao_Paulo")
    day = day_period(date(2017, 10, 15))  # 00:00 became 01:00

    assert start_ms(day, zone) == at("2017-10-15T03:00:00+00:00")
    assert end_ms(day, zone) - start_ms(day, zone) == 23 * HOUR_MS


def test_clocks_set_back_across_midnight_do_not_bring_the_old_day_back() -> None:
    zone = ZoneInfo("America/St_Johns")  # 2010-11-07 00:01 became 2010-11-06 23:01
    start = start_ms(day_period(date(2010, 11, 7)), zone)

    assert start == at("2010-11-07T00:00:00-02:30")
    for minute in range(180):
        assert local_day(start + minute * MINUTE_MS, zone) == date(2010, 11, 7)


def test_the_same_moment_is_another_day_elsewhere() -> None:
    moment = at("2026-01-15T10:30:00+00:00")

    assert local_day(moment, UTC) == date(2026, 1, 15)
    assert local_day(moment, ZoneInfo("Pacific/Auckland")) == date(2026, 1, 15)
    assert local_day(moment, ZoneInfo("Pacific/Apia")) == date(2026, 1, 15)
    assert local_day(moment + 2 * HOUR_MS, ZoneInfo("Pacific/Auckland")) == date(2026, 1, 16)


def test_utc_needs_no_time_zone_database() -> None:
    assert zone_named("utc") is UTC


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../../etc/passwd", "Europe", "\0"])
def test_an_unknown_zone_is_named(name: str) -> None:
    with pytest.raises(InvalidValue, match="is not a time zone"):
        zone_named(name)


@pytest.mark.parametrize("moment", [10**18, -(10**18), 10**30])
@pytest.mark.parametrize("zone", [UTC, ZoneInfo("Asia/Kolkata")])
def test_a_time_beyond_the_calendar_is_refused(moment: int, zone: tzinfo) -> None:
    with pytest.raises(InvalidValue):
        local_day(moment, zone)


# --- ids and words --------------------------------------------------------------------------


def test_ids_and_periods_are_the_same_thing() -> None:
    for year in YEARS:
        for month in children(year_period(year)):
            for week in children(month):
                for period in (year_period(year), month, week, *children(week)):
                    assert parse_node_id(period.node_id) == period


def test_a_segment_is_named_by_its_day() -> None:
    ref = SegmentRef(date(2026, 1, 15), ULID)

    assert ref.node_id == f"toc:segment:2026-01-15:{ULID}"
    assert parse_node_id(ref.node_id) == ref


@pytest.mark.parametrize(
    "text",
    [
        "",
        "toc:",
        "toc:year:26",
        "toc:year:0000",
        "toc:month:2026:13",
        "toc:month:2026:1",
        "toc:week:2026:W54",
        "toc:week:2025:W53",
        "toc:week:2026:03",
        "toc:day:2026-02-30",
        "toc:day:2026-1-5",
        "toc:day:0001-01-01",
        "toc:day:9999-12-31",
        "toc:segment:2026-01-15:short",
        "toc:segment:2026-01-15:" + "U" * 26,
        "toc:segment:2026-01-32:" + ULID,
        "toc:year:\u0662\u0660\u0662\u0666",
        "toc:year:2026\n",
        "day:2026-01-15",
    ],
)
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match="names no node"):
        parse_node_id(text)


@pytest.mark.parametrize(
    ("period", "title"),
    [
        (year_period(2026), "2026"),
        (month_period(2026, 1), "January 2026"),
        (week_period(2026, 3), "Week 3, 12-18 January 2026"),
        (week_period(2026, 5), "Week 5, 26 January to 1 February 2026"),
        (week_period(2026, 1), "Week 1, 29 December 2025 to 4 January 2026"),
        (day_period(date(2026, 1, 15)), "Thursday 15 January 2026"),
    ],
)
def test_periods_in_words(period: Period, title: str) -> None:
    assert period.title == title


@pytest.mark.parametrize(("year", "month"), [(2026, 0), (2026, 13), (1, 1), (9999, 1)])
def test_a_month_that_is_none_is_refused(year: int, month: int) -> None:
    with pytest.raises(InvalidValue):
        month_period(year, month)
