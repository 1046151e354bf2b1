"""Goal: scores follow the specified formulas, each phase its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.clock import DAY_MS, Millis
from agentx.observations.model import Category, Formula, ObservationIndex
from agentx.observations.relevance import (
    Subject,
    keyword_overlap,
    keywords,
    recall_score,
    recency,
    relevance,
    score,
)
from tests.support.observations import observation
from tests.support.time_and_chance import START_MS


def _entry(summary: str = "words", *, days: float = 0, recalls: int = 0) -> ObservationIndex:
    at_ms = round(START_MS - days * DAY_MS)
    return observation(summary, at_ms=at_ms).index(recalls)


@pytest.mark.parametrize(("days", "wanted"), [(0, 1.0), (30, 0.5), (60, 1 / 3), (270, 0.1)])
def test_recency_is_one_over_one_plus_days_by_thirty(days: int, wanted: float) -> None:
    assert recency(START_MS - days * DAY_MS, START_MS) == pytest.approx(wanted)


def test_a_time_to_come_counts_as_now() -> None:
    assert recency(START_MS + DAY_MS, START_MS) == 1.0


@pytest.mark.parametrize(("count", "wanted"), [(0, 0.0), (3, 0.3), (10, 1.0), (500, 1.0)])
def test_recalls_saturate_at_ten(count: int, wanted: float) -> None:
    assert recall_score(count) == pytest.approx(wanted)


def test_overlap_is_the_part_of_the_words_asked_for() -> None:
    asked = keywords("the retry queue of webhooks")

    assert asked == {"retry", "queue", "webhooks"}
    assert keyword_overlap("Retry, then queue.", asked) == pytest.approx(2 / 3)
    assert keyword_overlap("nothing of it", frozenset()) == 0.0


@pytest.mark.parametrize(
    ("phase", "wanted"),
    [(Formula.RECENCY, 0.5), (Formula.KEYWORD, 0.75), (Formula.FULL, 0.4 * 0.5 + 0.2 * 0.4 + 0.4)],
)
def test_each_phase_has_its_formula(phase: Formula, wanted: float) -> None:
    entry = _entry("retry queue", days=30, recalls=4)
    asked = Subject(now_ms=START_MS, words=frozenset({"retry", "queue"}), phase=phase)

    assert relevance(entry, asked) == pytest.approx(wanted)
    assert Subject(now_ms=0).phase is Formula.FULL


def test_t6_the_scorer_ranks_recent_over_stale() -> None:
    old, young = _entry("same words", days=200), _entry("same words", days=1)

    for phase in Formula:
        ranked = score([old, young], Subject(now_ms=START_MS, phase=phase))
        assert [each.entry for each in ranked] == [young, old]


def test_what_was_wanted_often_comes_before_what_never_was() -> None:
    plain, wanted = _entry("same words", days=3), _entry("same words", days=3, recalls=9)

    assert score([plain, wanted], Subject(now_ms=START_MS))[0].entry == wanted


@given(
    days=st.floats(-10, 10_000),
    recalls=st.integers(-5, 10_000),
    words=st.frozensets(st.text(max_size=5), max_size=5),
    phase=st.sampled_from(Formula),
)
def test_every_score_is_from_nothing_to_one(
    days: float, recalls: int, words: frozenset[str], phase: Formula
) -> None:
    entry = ObservationIndex(
        id="obs-a-1-1-aaaaaa",
        agent="a",
        issue_number=1,
        category=Category.ERROR,
        summary="a b c",
        tokens=3,
        timestamp_ms=Millis(round(START_MS - days * DAY_MS)),
        recall_count=recalls,
    )

    assert 0.0 <= relevance(entry, Subject(now_ms=START_MS, words=words, phase=phase)) <= 1.0
