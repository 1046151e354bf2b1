"""Goal: a pattern that is compiled late finds what one compiled at once finds."""

from __future__ import annotations

import re

import pytest

from agentx.kernel.text import compile_late


def test_it_serves_as_the_pattern_it_stands_for() -> None:
    late, eager = compile_late(r"(?P<word>B\w+)", re.IGNORECASE), re.compile(r"(?P<word>B\w+)", 2)

    for _ in range(2):
        assert late.findall("a boat, a Berth") == eager.findall("a boat, a Berth")
        assert late.sub("-", "a boat") == "a -"
        found = late.search("a boat")
        assert found is not None
        assert found["word"] == "boat"
        assert (late.pattern, late.flags, late.groups) == (eager.pattern, eager.flags, 1)
    assert compile_late(rb"\d+").fullmatch(b"12")


def test_a_pattern_that_cannot_be_is_refused_when_it_is_used() -> None:
    late = compile_late("(")

    with pytest.raises(re.error):
        late.search("")
