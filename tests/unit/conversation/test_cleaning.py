"""Goal: whatever a draft claims, what is stored is bounded, free of secrets and filed sanely.

Method: the pure function alone.
"""

from __future__ import annotations

import pytest

from agentx.conversation.cleaning import clean, sane_time
from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.limits import EVENT_TEXT_CHARS_MAX, SESSION_ID_CHARS_MAX
from tests.support.drafts import draft
from tests.support.time_and_chance import START_MS


def test_a_plain_draft_is_kept_as_it_is_and_cleaned_once() -> None:
    one = draft("plain \U0001f680 \u5929\u6c17 \u05e9\u05dc\u05d5\u05dd", metadata={"a": 1})

    cleaned = clean(one, now_ms=START_MS)

    assert (cleaned.text, cleaned.metadata) == (one.text, one.metadata)
    assert clean(cleaned, now_ms=START_MS) is cleaned


@pytest.mark.parametrize("claimed", [0, -5, 86_400_000, START_MS + 2 * DAY_MS, 3_786_912_000_000])
def test_a_time_that_cannot_be_is_replaced_by_the_time_of_arrival_and_kept_beside(
    claimed: int,
) -> None:
    event = clean(draft(at=claimed - START_MS), now_ms=START_MS)

    assert event.timestamp_ms == START_MS
    assert event.metadata["claimed_timestamp_ms"] == claimed


@pytest.mark.parametrize("ahead_ms", [0, 1000, DAY_MS])
def test_a_clock_a_little_ahead_is_believed(ahead_ms: int) -> None:
    assert sane_time(START_MS + ahead_ms, now_ms=Millis(START_MS)) == (START_MS + ahead_ms, None)


def test_a_text_over_the_limit_is_cut_and_says_how_much() -> None:
    text = clean(draft("x" * (EVENT_TEXT_CHARS_MAX + 500)), now_ms=START_MS).text

    assert len(text) <= EVENT_TEXT_CHARS_MAX
    assert "500 characters cut by agentx" in text


def test_secrets_leave_text_and_metadata() -> None:
    token = "ghp_" + "a1B2" * 9
    event = clean(
        draft(f"use {token}", metadata={"tool_input": {"env": f"T={token}"}}), now_ms=START_MS
    )

    assert token not in event.text
    assert token not in str(event.metadata)
    assert "[REDACTED:" in event.text


@pytest.mark.parametrize("name", ["", "x" * (SESSION_ID_CHARS_MAX + 1), "\ud800"])
def test_a_session_always_has_a_name_that_can_be_stored(name: str) -> None:
    stored = clean(draft(session_id=name), now_ms=START_MS).session_id

    assert 0 < len(stored) <= SESSION_ID_CHARS_MAX
    assert stored.encode()


def test_half_a_surrogate_pair_does_not_stop_an_event() -> None:
    assert clean(draft("cut emoji \ud83d"), now_ms=START_MS).text == "cut emoji ?"
