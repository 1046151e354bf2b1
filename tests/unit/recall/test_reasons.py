"""Goal: who asks why is told the reason, and who asks again is told the answer."""

from __future__ import annotations

import pytest

from agentx.recall.question.intent import cues
from agentx.recall.question.order.reasons import states_reason
from agentx.search.analysis import terms
from agentx.search.query import parse

SUBJECT = frozenset(terms("SQLite Postgres"))


@pytest.mark.parametrize(
    "text",
    [
        "We reverse decision 1: no SQLite. The exclusion constraint is reason enough for me.",
        "Root cause: SQLite has one writer, so two workers wait for each other.",
        "We switched from SQLite to Postgres because several processes write.",
    ],
)
def test_a_reason_for_a_choice_or_a_cause_is_known(text: str) -> None:
    assert states_reason(text, SUBJECT)


@pytest.mark.parametrize(
    "text",
    [
        "The insert sits in a savepoint because Postgres ends it all where SQLite did not.",
        "We decided to keep the cache, because it is fast.",
        "- It sits so because Postgres ends all where SQLite did not.\n- Decision 1 is reversed.",
        "SQLite, then Postgres.",
        "",
    ],
)
def test_a_text_about_it_that_gives_none_is_not(text: str) -> None:
    assert not states_reason(text, SUBJECT)


def test_why_is_asked_in_several_ways() -> None:
    assert cues("why did we move?").asks_why
    assert cues("What was the reason for the move?").asks_why
    assert cues("how come the test is flaky").asks_why
    assert not cues("what did we move?").asks_why
    assert not cues("say why").asks_why


def test_a_subject_with_the_stem_of_a_little_word_is_kept() -> None:
    assert parse("remind me of the reminders", operators=False).terms == ("remind",)
    assert parse("remind me of the tests", operators=False).terms == ("test",)
