"""Goal: time in plain language means what people mean by it.

Method: one present, many expressions, the days they name.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.clock import DAY_MS, Millis, from_iso
from agentx.kernel.periods import day_period, end_ms, parent, start_ms
from agentx.recall.question.time_words import EXPRESSION
from agentx.recall.question.when import (
    TimeSpan,
    anchor,
    list_unread,
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
    ("said", "since", "until"),
    [
        ("at 3am on 10 March", "10 00:00", "11 00:00"),
        ("yesterday at 23:00 UTC", "17 00:00", "18 00:00"),
        ("last night at 2 a.m.", "17 18:00", "18 06:00"),
        ("yesterday around midnight", "16 21:00", "18 03:00"),
        ("shortly before midnight on 10 March", "09 21:00", "11 03:00"),
        ("overnight on 10 March", "10 18:00", "11 06:00"),
        ("10 March between 22:00 and 23:30", "10 22:00", "10 23:30"),
        ("10 March from 10pm to 1am", "10 22:00", "11 01:00"),
        ("2026-03-10T23:21:09.512Z", "10 00:00", "11 00:00"),
        ("10. M\u00e4rz gegen 23 Uhr", "10 00:00", "11 00:00"),
    ],
)
def test_a_time_of_day_beside_a_day_is_of_it(said: str, since: str, until: str) -> None:
    (span,) = spans(f"what broke {said}?", now_ms=NOW, zone=UTC)

    assert span.words == said
    assert [
        datetime.fromtimestamp(at_ms / 1000, tz=UTC).strftime("%d %H:%M")
        for at_ms in (span.since_ms, span.until_ms)
    ] == [since, until]


def test_a_time_of_day_without_its_day_is_no_time() -> None:
    for said in ("why does the 03:00 job fail?", "cron 30 3 * * * fails", "0 0 1 * * at noon"):
        assert days(said) == []


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


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("what did Codex do on Friday 13 March?", "2026-03-13", "2026-03-14"),
        ("Friday, 13 March 2026", "2026-03-13", "2026-03-14"),
        ("Fri 13 Mar", "2026-03-13", "2026-03-14"),
        ("Friday the 13th of March", "2026-03-13", "2026-03-14"),
        ("Monday, March 9th", "2026-03-09", "2026-03-10"),
        ("Mon 2026-03-09", "2026-03-09", "2026-03-10"),
        ("13 March (Friday)", "2026-03-13", "2026-03-14"),
        ("13 March 2026, Friday", "2026-03-13", "2026-03-14"),
        ("Friday 13 March to Monday 16 March", "2026-03-13", "2026-03-17"),
        ("28 December to 3 January", "2025-12-28", "2026-01-04"),
        ("since Friday 13 March", "2026-03-13", "2026-03-18"),
    ],
)
def test_a_weekday_beside_a_date_is_that_day(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]


@given(st.dates(min_value=date(2019, 1, 1), max_value=date(2026, 3, 17)))
def test_a_time_that_we_wrote_ourselves_is_understood(day: date) -> None:
    periods = [day_period(day), parent(day_period(day))]
    for period in periods:
        assert period is not None
        (span,) = spans(period.title, now_ms=NOW, zone=UTC)

        assert (span.since_ms, span.until_ms) == (start_ms(period, UTC), end_ms(period, UTC))


@given(st.datetimes(min_value=datetime(2025, 3, 20), max_value=datetime(2026, 3, 17)))  # noqa: DTZ001
def test_a_time_as_our_screens_show_it_is_its_day(at: datetime) -> None:
    for text in (f"{at:%a} {at.day} {at:%b %H:%M}", f"{at:%Y-%m-%d %H:%M}"):
        assert days(text) == [(f"{at:%Y-%m-%d}", f"{at + timedelta(days=1):%Y-%m-%d}")]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("in the last 5 days", "2026-03-13", "2026-03-19"),
        ("week 10", "2026-03-02", "2026-03-09"),
        ("Week 10 of 2025", "2025-03-03", "2025-03-10"),
        ("the week before last", "2026-03-02", "2026-03-09"),
        ("the month before last", "2026-01-01", "2026-02-01"),
        ("the weekend before last", "2026-03-07", "2026-03-09"),
        ("the Friday before last", "2026-03-06", "2026-03-07"),
        ("on the 3rd of March", "2026-03-03", "2026-03-04"),
        ("in the second week of March", "2026-03-09", "2026-03-16"),
        ("the first week of January 2026", "2025-12-29", "2026-01-05"),
        ("the last week of last month", "2026-02-23", "2026-03-02"),
        ("early March", "2026-03-01", "2026-03-11"),
        ("mid-February", "2026-02-11", "2026-02-21"),
        ("at the end of February", "2026-02-21", "2026-03-01"),
        ("after 9 March", "2026-03-10", "2026-03-18"),
        ("after February", "2026-03-01", "2026-03-18"),
    ],
)
def test_times_told_by_counting_are_known(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]


def test_until_a_day_holds_it_and_before_it_does_not() -> None:
    assert days("until 9 March")[0][1] == "2026-03-10"
    assert days("before 9 March")[0][1] == "2026-03-09"


def test_hours_beside_a_date_are_those_hours() -> None:
    (span,) = spans("Monday 9 March 2026, 14:00 to 15:30", now_ms=NOW, zone=UTC)

    assert span.since_ms == from_iso("2026-03-09T14:00Z")
    assert span.until_ms == from_iso("2026-03-09T15:30Z")


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("was haben wir gestern gemacht?", "2026-03-17", "2026-03-18"),
        ("vorgestern", "2026-03-16", "2026-03-17"),
        ("letzte Woche", "2026-03-09", "2026-03-16"),
        ("in der vorletzten Woche", "2026-03-02", "2026-03-09"),
        ("letzten Monat", "2026-02-01", "2026-03-01"),
        ("am 2. M\u00e4rz", "2026-03-02", "2026-03-03"),
        ("am Montag, den 2. M\u00e4rz 2026", "2026-03-02", "2026-03-03"),
        ("2. bis 5. M\u00e4rz", "2026-03-02", "2026-03-06"),
        ("vor drei Tagen", "2026-03-15", "2026-03-16"),
        ("in den letzten 5 Tagen", "2026-03-13", "2026-03-19"),
        ("am Freitag", "2026-03-13", "2026-03-14"),
        ("seit Montag", "2026-03-16", "2026-03-18"),
        ("im Februar", "2026-02-01", "2026-03-01"),
        ("nach dem 9. M\u00e4rz", "2026-03-10", "2026-03-18"),
        ("KW 10", "2026-03-02", "2026-03-09"),
        ("qu'est-ce que j'ai fait hier ?", "2026-03-17", "2026-03-18"),
        ("la semaine derni\u00e8re", "2026-03-09", "2026-03-16"),
        ("il y a trois jours", "2026-03-15", "2026-03-16"),
        ("le 2 mars 2026", "2026-03-02", "2026-03-03"),
        ("\u00bfqu\u00e9 hice la semana pasada?", "2026-03-09", "2026-03-16"),
        ("hace dos d\u00edas", "2026-03-16", "2026-03-17"),
        ("el viernes", "2026-03-13", "2026-03-14"),
        ("\uc5b4\uc81c \ubb50 \ud588\uc9c0?", "2026-03-17", "2026-03-18"),
        ("\uc9c0\ub09c\uc8fc\uc5d0", "2026-03-09", "2026-03-16"),
        ("3\uc77c \uc804", "2026-03-15", "2026-03-16"),
        ("\u6628\u65e5\u4f55\u3092\u3057\u305f?", "2026-03-17", "2026-03-18"),
        ("\u5148\u9031", "2026-03-09", "2026-03-16"),
        ("3\u67082\u65e5", "2026-03-02", "2026-03-03"),
        ("2025\u5e7412\u670824\u65e5", "2025-12-24", "2025-12-25"),
        ("3\u65e5\u524d", "2026-03-15", "2026-03-16"),
        ("\u91d1\u66dc\u65e5", "2026-03-13", "2026-03-14"),
        ("3\u67089\u65e5\u304b\u3089", "2026-03-09", "2026-03-18"),
        ("\u6628\u5929", "2026-03-17", "2026-03-18"),
        ("\u4e0a\u4e2a\u6708", "2026-02-01", "2026-03-01"),
    ],
)
def test_times_of_other_languages_are_known(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]


@pytest.mark.parametrize(
    "text", ["montage of icons", "im a test", "5 tags", "\u4f1a\u8bae\u7684\u4ee3\u7801"]
)
def test_other_words_of_those_languages_are_no_time(text: str) -> None:
    assert days(text) == []


@given(st.text(alphabet="0123456789.\u5e74\u6708\u65e5\u524d\u66dc am", max_size=20))
def test_no_text_of_another_language_does_harm(text: str) -> None:
    spans(text, now_ms=NOW, zone=UTC)
    list_unread(text, now_ms=NOW, zone=UTC)


@pytest.mark.parametrize(
    ("text", "no_dates", "others"),
    [
        ("what did we do on 31 November?", ["31 November"], []),
        ("2026-13-40", ["2026-13-40"], []),
        ("am 31. November", ["am 31. November"], []),
        ("what was done on the release day?", [], ["on the release day"]),
        ("what broke during the last two sprints?", [], ["during the last two sprints"]),
        ("what happened forty days ago?", [], ["forty days ago"]),
        ("what broke last week?", [], []),
        ("how long do we keep rows, 30 days or 90?", [], []),
        ("why do two jobs run on the same day?", [], []),
    ],
)
def test_what_is_said_of_time_and_not_understood_is_named(
    text: str, no_dates: list[str], others: list[str]
) -> None:
    unread = list_unread(text, now_ms=NOW, zone=UTC)

    assert (list(unread.no_dates), list(unread.others)) == (no_dates, others)


def test_who_remembers_roughly_means_the_month_and_the_day_itself() -> None:
    def rough(text: str) -> list[tuple[str, str]]:
        found = spans(text, now_ms=NOW, zone=UTC, roughly=True)
        return [(_day(span.since_ms), _day(span.until_ms)) for span in found]

    assert rough("early February") == [("2026-02-01", "2026-03-01")]
    assert rough("the second week of May 2025") == [("2025-05-01", "2025-06-01")]
    assert rough("after 9 March") == [("2026-03-09", "2026-03-18")]
