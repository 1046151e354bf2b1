"""Goal: a property is tried with the same examples in every run: a share of what it asks for, and
several times as many in `make soak`.

Method: the same property twice, with a module imported in between that is full of words; a
property that looks how often it will be tried.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def draw_examples() -> list[tuple[str, int]]:
    drawn: list[tuple[str, int]] = []

    @settings(max_examples=200)
    @given(st.text(), st.integers())
    def take(text: str, number: int) -> None:
        drawn.append((text, number))

    take()
    return drawn


def test_examples_do_not_depend_on_what_was_imported_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [f"word-{number}" for number in range(500)]
    (tmp_path / "late_words.py").write_text(f"WORDS = {words}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    before = draw_examples()
    __import__("late_words")

    assert draw_examples() == before
    del sys.modules["late_words"]


@settings(max_examples=100)
@given(st.integers())
def test_the_suite_tries_a_share_and_soak_several_times_what_is_asked_for(number: int) -> None:
    this = test_the_suite_tries_a_share_and_soak_several_times_what_is_asked_for

    assert vars(this)["_hypothesis_internal_use_settings"].max_examples in (40, 500)
