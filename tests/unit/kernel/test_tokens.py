"""Goal: an estimate that can be relied on, and a budget that is never overspent.

Method: counts by a real tokenizer of fixed texts are written here as numbers; the
estimate must come near them. The budget is tried by Hypothesis.
"""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.errors import BudgetExceeded, InvalidValue
from agentx.kernel.tokens import Budget, estimate

# Text and what a byte-pair tokenizer of 65,000 tokens counts.
_COUNTED = (
    ("hello world this is prose", 5),
    ("def f(x): return x+1", 9),
    ("日本語のテキストです。", 10),
    ("你好,世界。今天天气很好", 14),
    ("한국어 텍스트입니다", 10),
    ("Привет, как дела?", 9),
    ("مرحبا بالعالم", 10),
    ("/usr/local/lib/python3.11/site-packages", 15),
    ("c27a4d0f-b49b-46e7-95b7-8d9723e031e0", 28),
)


@pytest.mark.parametrize(("text", "tokens"), _COUNTED)
def test_the_estimate_is_near_what_a_tokenizer_counts(text: str, tokens: int) -> None:
    assert abs(estimate(text * 20) - tokens * 20) / (tokens * 20) < 0.4


def test_over_all_kinds_of_text_the_errors_are_small() -> None:
    errors = [abs(estimate(text * 20) - tokens * 20) / (tokens * 20) for text, tokens in _COUNTED]

    assert sum(errors) / len(errors) < 0.20


def test_no_text_is_no_token_and_any_text_is_at_least_one() -> None:
    assert estimate("") == 0
    assert estimate(" ") == 1
    assert estimate("\u200d") >= 1


def test_half_a_surrogate_pair_is_counted_and_not_refused() -> None:
    assert estimate("\ud800") >= 1


def test_an_emoji_costs_more_than_a_letter() -> None:
    assert estimate("👍" * 100) > 10 * estimate("a" * 100)


@given(st.text(), st.text())
def test_more_text_is_never_far_fewer_tokens(first: str, second: str) -> None:
    assert estimate(first + " " + second) + 2 >= max(estimate(first), estimate(second))


@given(st.integers(0, 100), st.lists(st.integers(0, 50)))
def test_a_budget_is_never_overspent_by_what_is_taken(tokens: int, asked: list[int]) -> None:
    budget = Budget(tokens)

    for amount in asked:
        before = budget.left
        with contextlib.suppress(BudgetExceeded):
            budget.take(amount)
        assert budget.left in {before, before - amount}

    assert 0 <= budget.left <= tokens
    assert budget.tokens_taken + budget.left == tokens


def test_asking_for_more_than_is_left_spends_nothing() -> None:
    budget = Budget(10)
    budget.take(7)

    with pytest.raises(BudgetExceeded):
        budget.take(4)

    assert budget.left == 3


@pytest.mark.parametrize("tokens", [-1, -100])
def test_a_budget_below_nothing_is_refused(tokens: int) -> None:
    with pytest.raises(InvalidValue):
        Budget(tokens)
    with pytest.raises(InvalidValue):
        Budget(5).take(tokens)
