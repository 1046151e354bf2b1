"""Goal: reading a question never fails, and what is read out of it stays in its bounds.

Method: Hypothesis writes questions and presents; times are also built from known expressions.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.clock import DAY_MS, Millis
from agentx.recall.question.emphasis import emphasis, without_scope
from agentx.recall.question.plan import Question, plan
from agentx.recall.question.when import nearness, spans
from agentx.search.kindred import find_kindred
from agentx.search.query import parse

PRESENTS = st.integers(
    int(datetime(1990, 1, 1, tzinfo=UTC).timestamp()),
    int(datetime(2090, 1, 1, tzinfo=UTC).timestamp()),
).map(lambda seconds: Millis(seconds * 1000))
ZONES = st.integers(-12, 14).map(lambda hours: timezone(timedelta(hours=hours)))
UNITS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
NAMED = st.sampled_from(
    [
        "yesterday",
        "last Tuesday",
        "on Friday",
        "last week",
        "last weekend",
        "last month",
        "last year",
        "in March",
        "last summer",
        "on the 3rd of May",
        "the past ten days",
    ]
)


@given(text=st.text(max_size=300), now_ms=PRESENTS, zone=ZONES)
def test_any_text_makes_a_plan(text: str, now_ms: Millis, zone: timezone) -> None:
    made = plan(Question(text=text, zone=zone, now_ms=now_ms))

    assert all(0 < weight < 1 for weight in made.wording.weights.values())
    assert all(span.since_ms <= span.until_ms for span in made.spans)


@given(count=st.integers(1, 99), unit=st.sampled_from(sorted(UNITS)), now_ms=PRESENTS, zone=ZONES)
def test_a_time_ago_holds_that_moment(
    count: int, unit: str, now_ms: Millis, zone: timezone
) -> None:
    (span,) = spans(f"what broke {count} {unit}s ago?", now_ms=now_ms, zone=zone)
    then_ms = now_ms - count * UNITS[unit] * DAY_MS

    assert span.since_ms <= max(then_ms, 0) < span.until_ms or then_ms < 0
    assert span.until_ms <= now_ms + DAY_MS


@given(words=NAMED, now_ms=PRESENTS, zone=ZONES)
def test_what_is_past_does_not_lie_ahead(words: str, now_ms: Millis, zone: timezone) -> None:
    (span,) = spans(f"what did we decide {words}?", now_ms=now_ms, zone=zone)

    assert span.since_ms <= now_ms
    assert span.until_ms - span.since_ms >= DAY_MS - 1


@given(words=NAMED, now_ms=PRESENTS, days=st.integers(0, 400), further=st.integers(1, 400))
def test_the_further_from_a_span_the_less_near(
    words: str, now_ms: Millis, days: int, further: int
) -> None:
    (span,) = spans(f"what did we decide {words}?", now_ms=now_ms, zone=UTC)
    after, before = span.until_ms + days * DAY_MS, span.since_ms - 1 - days * DAY_MS

    assert nearness(span.since_ms, span) == 1.0
    assert 0 <= nearness(after + further * DAY_MS, span) <= nearness(after, span) <= 1
    assert 0 <= nearness(before - further * DAY_MS, span) <= nearness(before, span) < 1


@given(words=st.lists(st.sampled_from("all both the in billing-api repo why is it".split())))
def test_a_question_always_keeps_a_subject(words: list[str]) -> None:
    text = f"what is {' '.join(words)}?"
    query = parse(text, operators=False)
    weights = emphasis(text, query)

    assert not weights or set(query.terms) - set(weights)
    assert without_scope(query, weights).terms == query.terms


@given(term=st.one_of(st.text(max_size=40), st.sampled_from(["buy", "bug", "vacat", "children"])))
def test_kin_is_never_the_word_itself_nor_as_near(term: str) -> None:
    for kin in find_kindred(term):
        assert kin.term != term
        assert 0 < kin.closeness <= 1
