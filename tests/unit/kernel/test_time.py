"""Goal: times are read and written as people and agent CLIs write them."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.clock import DAY_MS, HOUR_MS, Millis, age, from_iso, point, to_iso
from agentx.kernel.errors import InvalidValue
from agentx.kernel.places import stamp_time, tell_ages

NOW = Millis(1_772_460_000_000)  # 2026-03-02T14:00:00Z


@given(st.integers(min_value=0, max_value=4_102_444_800_000))
def test_a_time_survives_being_written(at_ms: int) -> None:
    assert from_iso(to_iso(at_ms)) == at_ms


def test_an_iso_time_without_an_offset_is_utc() -> None:
    assert from_iso("2026-03-02T14:00:00") == from_iso("2026-03-02T15:00:00+01:00") == NOW


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", NOW),
        ("7d", NOW - 7 * DAY_MS),
        ("12h ago", NOW - 12 * HOUR_MS),
        ("2W", NOW - 14 * DAY_MS),
        ("today", NOW - 14 * HOUR_MS),
        ("yesterday", NOW - 14 * HOUR_MS - DAY_MS),
        ("2026-03-02", NOW - 14 * HOUR_MS),
        ("2026-03-02T15:00+01:00", NOW),
    ],
)
def test_a_point_in_time_is_understood(text: str, expected: int) -> None:
    assert point(text, now_ms=NOW, zone=UTC) == expected


def test_a_date_is_midnight_where_the_user_is() -> None:
    assert point("2026-03-02", now_ms=NOW, zone=ZoneInfo("Asia/Tokyo")) == NOW - 23 * HOUR_MS


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "-3d", "99999999999999d"])
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        point(text, now_ms=NOW, zone=UTC)
    assert "7d" in caught.value.hint


@pytest.mark.parametrize(
    ("ago_ms", "words"),
    [
        (0, "just now"),
        (90_000, "1 min ago"),
        (5 * HOUR_MS, "5 h ago"),
        (3 * DAY_MS, "3 d ago"),
        (-1, "just now"),
        (-60_001, "in the future"),
    ],
)
def test_an_age_is_short(ago_ms: int, words: str) -> None:
    assert age(NOW - ago_ms, now_ms=NOW) == words


@pytest.mark.parametrize(
    ("then_ms", "now_ms", "said"),
    [
        (10 * DAY_MS, 10 * DAY_MS, "[e, just now, x]"),
        (10 * DAY_MS, 12 * DAY_MS, "[e, 2 d, x]"),
        (10 * DAY_MS, 10 * DAY_MS + 7_200_000, "[e, 2 h, x]"),
        (10 * DAY_MS, 0, "[e, in the future, x]"),
    ],
)
def test_a_prepared_text_says_the_age_it_has_when_it_is_printed(
    then_ms: int, now_ms: int, said: str
) -> None:
    prepared = f"- A fact [e, {stamp_time(then_ms)}, x]\n- Another [e, x]"

    assert tell_ages(prepared, now_ms) == f"- A fact {said}\n- Another [e, x]"
    assert len(stamp_time(1_794_000_000_000)) == len("2026-11-06")


@pytest.mark.parametrize("text", ["", "plain", "\x1f", "a\x1f12\x1fb\x1f", "\x1fx\x1f", "\x1f" * 7])
def test_a_text_that_was_not_prepared_so_is_printed_without_the_marks(text: str) -> None:
    assert "\x1f" not in tell_ages(text, 0)


@given(st.text())
def test_a_text_without_times_stays_as_it_is(text: str) -> None:
    assert tell_ages(text.replace("\x1f", ""), 0) == text.replace("\x1f", "")
