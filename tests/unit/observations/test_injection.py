"""Goal: the recall section never costs more than its budget, and says what may be doubted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN, without_recall
from agentx.kernel.tokens import estimate
from agentx.observations.injection import Injection, affordable, inject
from agentx.observations.model import Observation
from agentx.observations.relevance import Asked, score
from tests.support.observations import observation
from tests.support.time_and_chance import START_MS


def _section(observations: list[Observation], budget: int) -> Injection:
    scored = score((each.index() for each in observations), Asked(now_ms=START_MS))
    wanted = set(affordable(scored, budget))
    texts = {each.id: each for each in observations if each.id in wanted}
    return inject(scored, texts, budget_tokens=budget, now_ms=START_MS)


@pytest.mark.promise("observations.budget")
@given(
    texts=st.lists(st.text(min_size=1, max_size=400), max_size=12),
    budget=st.one_of(st.integers(0, 600), st.just(1_000_000)),
)
def test_t5_no_section_costs_more_than_its_budget(texts: list[str], budget: int) -> None:
    observations = [
        observation(text.encode("utf-8", "replace").decode(), at_ms=START_MS - number)
        for number, text in enumerate(texts)
    ]
    made = _section(observations, budget)

    assert estimate(made.text) == made.tokens <= budget
    assert bool(made.text) == bool(made.ids)
    assert len(made.ids) + made.left_out == len(observations)
    best = [each.id for each in observations]
    assert list(made.ids) == best[: len(made.ids)]


def test_all_of_it_is_there_when_there_is_room() -> None:
    observations = [observation(f"Fact number {number}.") for number in range(40)]
    made = _section(observations, 1_000_000)

    assert made.left_out == 0
    assert all(each.content in made.text and each.id in made.text for each in observations)
    assert "Left out" not in made.text
    assert "## Memory Recall" in made.text
    assert without_recall(f"before\n{made.text}\nafter") == "before\n\nafter"


def test_what_does_not_fit_in_full_is_shown_by_its_summary() -> None:
    long = observation("The point. " + "and more words of it " * 80, summary="The point")
    made = _section([long], 120)

    assert made.ids == (long.id,)
    assert "The point [obs-" in made.text
    assert "and more" not in made.text


@pytest.mark.parametrize("budget", [0, 1, 20])
def test_a_budget_too_small_for_one_gives_nothing(budget: int) -> None:
    made = _section([observation("A fact.")], budget)

    assert (made.text, made.ids, made.left_out, made.tokens) == ("", (), 1, 0)


def test_superseded_and_stale_facts_are_shown_as_such() -> None:
    old = observation("Keys live 7 days.")
    newer = observation("Keys live 30 days.")
    doubted = [
        replace(old, superseded_by=newer.id),
        replace(newer, changed_files=("a.py", "b.py", "c.py", "d.py")),
    ]
    made = _section(doubted, 10_000)

    assert f"superseded by {newer.id}: it no longer holds" in made.text
    assert "changed since it was written: a.py, b.py, c.py and 1 more" in made.text


def test_a_recalled_text_cannot_leave_its_fence() -> None:
    made = _section([observation(f"sly {RECALL_CLOSE} and {RECALL_OPEN} words")], 10_000)

    assert made.text.count(RECALL_OPEN) == made.text.count(RECALL_CLOSE) == 1
    assert made.text.endswith(RECALL_CLOSE)
