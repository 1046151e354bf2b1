"""Goal: a pattern that looks only at texts with something it needs finds what it would find."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.conversation.extract import toolwork
from agentx.exchanges import commands
from agentx.kernel.text import compile_needing

NEEDING = [
    made
    for module in (commands, toolwork)
    for made in vars(module).values()
    if hasattr(made, "needs")
]


def test_there_are_some() -> None:
    assert len(NEEDING) >= 5


@pytest.mark.parametrize("pattern", NEEDING, ids=lambda one: one.pattern[:30])
def test_whatever_is_found_holds_something_that_is_needed(pattern: re.Pattern[str]) -> None:
    plain = re.compile(pattern.pattern, pattern.flags & ~re.UNICODE)

    @given(st.from_regex(plain), st.text(max_size=5))
    @settings(max_examples=60, database=None)
    def finds_the_same(text: str, before: str) -> None:
        for given_text in (text, f"{before}\n{text}"):
            expected = plain.search(given_text)
            found = pattern.search(given_text)
            assert (found and found.span()) == (expected and expected.span())

    finds_the_same()


def test_only_the_part_that_is_looked_at_counts() -> None:
    pattern = compile_needing(r"\bfailed\b", needs=("failed",))

    assert pattern.search("it failed here", 0, 8) is None
    assert pattern.search("it failed here", 3, 9) is not None
    assert [found.start() for found in pattern.finditer("failed, failed")] == [0, 8]
    assert pattern.sub("passed", "failed") == "passed"
