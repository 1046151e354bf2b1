"""Goal: forgotten words are known again wherever they stand in a text, and only they; a span bars
what lies in it.

Method: texts and words drawn by hypothesis against plain `in`; then the edges of a span.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.conversation.forgotten.spans import (
    ForgottenSpan,
    WordsPrint,
    fold_words,
    print_words,
)
from agentx.kernel.capture import Channel, Draft, EventType, Role
from agentx.kernel.clock import Millis
from tests.support.time_and_chance import CountingEntropy

LETTERS = st.text(alphabet="ab \u00c4\u4e2d\U0001f600\ud800", max_size=12)
DRAFT = Draft(
    harness="codex",
    session_id="s",
    event_type=EventType.USER_MESSAGE,
    timestamp_ms=Millis(1_000),
    role=Role.USER,
    text="The harbour is called Zanzibarium,\n from today on.",
    channel=Channel.TRANSCRIPT,
    metadata={"tool_input": {"command": ["echo", "Mombasa"]}},
)


@given(before=LETTERS, words=LETTERS.filter(str.strip), after=LETTERS)
def test_words_are_found_where_they_stand_and_nowhere_else(
    before: str, words: str, after: str
) -> None:
    known = print_words(words, CountingEntropy())
    text = fold_words(before + words + after)
    assert known.is_in(text) is (fold_words(words) in text)
    other = fold_words(before + after)
    assert known.is_in(other) is (fold_words(words) in other)


def test_a_print_holds_no_word_and_two_of_the_same_words_differ() -> None:
    entropy = CountingEntropy()
    one, other = print_words("Zanzibarium", entropy), print_words("Zanzibarium", entropy)
    assert one != other
    assert b"anzibar" not in one.hashed + one.salt


@pytest.mark.parametrize(
    ("query", "covered"),
    [
        ("zanzibarium, from", True),
        ("mombasa", True),
        ("tool_input", True),
        ("zanzibar today", False),
        ("nairobi", False),
    ],
)
def test_a_query_covers_what_says_it_in_text_or_in_what_a_tool_was_given(
    query: str, covered: bool
) -> None:
    words = print_words(query, CountingEntropy())
    span = ForgottenSpan(project="p", since_ms=Millis(0), until_ms=Millis(2_000), words=words)
    assert span.covers(DRAFT, project="p") is covered
    assert not span.covers(DRAFT, project="q")


def test_a_span_begins_with_its_first_moment_and_ends_before_its_last() -> None:
    span = ForgottenSpan(project="p", since_ms=Millis(1_000), until_ms=Millis(2_000))
    times = {999: False, 1_000: True, 1_999: True, 2_000: False}
    for at_ms, covered in times.items():
        assert span.covers(replace(DRAFT, timestamp_ms=Millis(at_ms)), project="p") is covered


def test_a_longer_text_is_no_shorter_word() -> None:
    known = WordsPrint(chars=3, base=300, total=0, salt=b"", hashed=b"")
    assert not known.is_in("ab")
