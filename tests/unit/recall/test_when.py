"""Goal: time in plain language means what people mean by it.

Method: one present, many expressions, the days they name.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.clock import DAY_MS, Millis, from_iso
from agentx.recall.question.time_words import EXPRESSION
from agentx.recall.question.when import (
    TimeSpan,
    anchor,
    may_name_time,
    nearness,
    spans,
)

NOW = from_iso("2026-03-18T15:00:00Z")  # a Wednesday


def days(text: str) -> list[tuple[str, str]]:
    return [
        (_day(span.since_ms), _day(span.until_ms)) for span in spans(text, now_ms=NOW, zone=UTC)
    ]


def _day(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, tz=UTC).strftime("%Y-%m-%d")


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("what broke yesterday?", "2026-03-17", "2026-03-18"),
        ("the day before yesterday", "2026-03-16", "2026-03-17"),
        ("what did we do today", "2026-03-18", "2026-03-19"),
        ("last Tuesday", "2026-03-17", "2026-03-18"),
        ("on Wednesday", "2026-03-11", "2026-03-12"),
        ("last week", "2026-03-09", "2026-03-16"),
        ("this week", "2026-03-16", "2026-03-19"),
        ("last weekend", "2026-03-14", "2026-03-16"),
        ("last month", "2026-02-01", "2026-03-01"),
        ("two weeks ago", "2026-03-01", "2026-03-08"),
        ("3 days ago", "2026-03-15", "2026-03-16"),
        ("a couple of weeks ago", "2026-03-01", "2026-03-08"),
        ("a month ago", "2026-02-06", "2026-02-27"),
        ("in the past ten days", "2026-03-08", "2026-03-19"),
        ("in March", "2026-03-01", "2026-04-01"),
        ("in November", "2025-11-01", "2025-12-01"),
        ("in May 2024", "2024-05-01", "2024-06-01"),
        ("on Aug 15th", "2025-08-15", "2025-08-16"),
        ("on 2 March 2026", "2026-03-02", "2026-03-03"),
        ("on March 2nd, 2026", "2026-03-02", "2026-03-03"),
        ("2026-02-14 in the log", "2026-02-14", "2026-02-15"),
        ("2026-02", "2026-02-01", "2026-03-01"),
        ("in 2024", "2024-01-01", "2025-01-01"),
        ("last summer", "2025-06-01", "2025-09-01"),
        ("since last Monday", "2026-03-16", "2026-03-18"),
    ],
)
def test_an_expression_names_its_days(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]


@pytest.mark.parametrize(
    "text",
    [
        "it may work",
        "march on",
        "the second worker",
        "how many weeks ago did we ship",
        "30 February 2026",
        "version 2026",
        "",
        "\u6628\u65e5",
    ],
)
def test_what_is_no_time_names_none(text: str) -> None:
    assert days(text) == []


def test_before_a_date_is_everything_before_it() -> None:
    ((since, until),) = days("what did we use before March 2026")

    assert since < "1990"
    assert until == "2026-03-01"


def test_two_times_are_two_spans() -> None:
    assert len(days("between March 3 and March 9")) == 2


def test_days_are_those_of_the_zone() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    (span,) = spans("today", now_ms=from_iso("2026-03-18T20:00:00Z"), zone=tokyo)

    assert span.since_ms == from_iso("2026-03-19T00:00:00+09:00")
    west = timezone(timedelta(hours=-10))
    assert spans("today", now_ms=NOW, zone=west)[0].until_ms - NOW < DAY_MS


def test_nearness_fades_faster_before_than_after() -> None:
    span = TimeSpan(Millis(100 * DAY_MS), Millis(101 * DAY_MS), "then")

    assert nearness(100 * DAY_MS, span) == 1.0
    assert 0 < nearness(97 * DAY_MS, span) < nearness(104 * DAY_MS, span) < 1
    assert nearness(0, span) < 1e-9


def test_what_happened_then_is_an_anchor() -> None:
    before = anchor("what did we test before the release?", now_ms=NOW, zone=UTC)
    after = anchor("what changed after we moved to postgres", now_ms=NOW, zone=UTC)

    assert before is not None
    assert (before.is_before, before.words) == (True, "the release")
    assert after is not None
    assert (after.is_before, after.words) == (False, "we moved to postgres")
    assert anchor("before last week", now_ms=NOW, zone=UTC) is None
    assert anchor("the release", now_ms=NOW, zone=UTC) is None


WORDS = (
    "the day before yesterday today tonight this morning last past previous current week month "
    "weekend year fortnight two a couple of few 3 12th 1st 2026 2026-03-05 in during since on of "
    "by early march Mar. sept DECEMBER jan monday Fridays ago spring fall we marching agony thistle"
).split()


@given(
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=6)), max_size=8),
    st.sampled_from([" ", "  ", ", ", "-", "_", "\n", ""]),
)
def test_no_time_is_overlooked_before_the_expression_is_asked(
    words: list[str], between: str
) -> None:
    text = between.join(words)

    assert may_name_time(text) or EXPRESSION.search(text) is None


@pytest.mark.parametrize(
    "text", ["why did we move from SQLite to Postgres?", "retries of webhooks", ""]
)
def test_most_questions_name_no_time_and_pay_for_none(text: str) -> None:
    assert not may_name_time(text)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("05.03.", "2026-03-05", "2026-03-06"),
        ("on 5.3.2026", "2026-03-05", "2026-03-06"),
        ("2026/03/05", "2026-03-05", "2026-03-06"),
        ("Friday", "2026-03-13", "2026-03-14"),
        ("since Tuesday", "2026-03-17", "2026-03-18"),
        ("3 to 5 March", "2026-03-03", "2026-03-06"),
        ("March 3-5", "2026-03-03", "2026-03-06"),
        ("past week", "2026-03-11", "2026-03-19"),
        ("last quarter", "2025-10-01", "2026-01-01"),
        ("Q1", "2026-01-01", "2026-04-01"),
        ("in week 10", "2026-03-02", "2026-03-09"),
        ("2026-W10", "2026-03-02", "2026-03-09"),
        ("on the 5th?", "2026-03-05", "2026-03-06"),
        ("on the 31st?", "2026-01-31", "2026-02-01"),
        ("over the weekend", "2026-03-14", "2026-03-16"),
        ("tomorrow", "2026-03-19", "2026-03-20"),
        ("next week", "2026-03-23", "2026-03-30"),
        ("on fri", "2026-03-13", "2026-03-14"),
    ],
)
def test_the_ways_people_write_a_time_are_known(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("this morning", "2026-03-18T00:00Z", "2026-03-18T12:00Z"),
        ("yesterday afternoon", "2026-03-17T12:00Z", "2026-03-17T18:00Z"),
        ("last night", "2026-03-17T18:00Z", "2026-03-18T06:00Z"),
        ("Friday evening", "2026-03-13T17:00Z", "2026-03-14T00:00Z"),
        ("in the last 3 hours", "2026-03-18T12:00Z", "2026-03-18T15:00Z"),
        ("the past hour", "2026-03-18T14:00Z", "2026-03-18T15:00Z"),
        ("two hours ago", "2026-03-18T12:30Z", "2026-03-18T13:30Z"),
        ("half an hour ago", "2026-03-18T14:00Z", "2026-03-18T15:00Z"),
    ],
)
def test_hours_and_parts_of_days_are_known(text: str, since: str, until: str) -> None:
    (span,) = spans(text, now_ms=NOW, zone=UTC)

    assert (span.since_ms, span.until_ms) == (from_iso(since), from_iso(until))


@pytest.mark.parametrize(
    "text", ["python 3.11.", "10.1.1.5", "the 5th migration", "Turbo Tuesdays"]
)
def test_numbers_and_names_are_no_dates(text: str) -> None:
    assert days(text) == []
