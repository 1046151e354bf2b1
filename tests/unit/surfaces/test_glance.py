"""Goal: the first screen shows what there is, and what to type in one piece.

A sparkline shows the highest as the highest, and a day with something never as nothing.
"""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from agentx.surfaces.cli.commands.begin.glance import draw_bars, draw_waiting


@given(st.lists(st.integers(min_value=0, max_value=100_000), max_size=40))
def test_each_number_has_a_bar_as_high_as_its_share(counts: list[int]) -> None:
    bars = draw_bars(tuple(counts))

    assert len(bars) == len(counts)
    for count, bar in zip(counts, bars, strict=True):
        assert (bar == "\u00b7") == (count == 0)
        assert (bar == "\u2588") >= (count == max(counts) and count > 0)
    ordered = [bar for _, bar in sorted(zip(counts, bars, strict=True)) if bar != "\u00b7"]
    assert ordered == sorted(ordered)


def test_a_terminal_that_knows_only_ascii_gets_bars_too() -> None:
    assert draw_bars((0, 1, 8), plain=True) == " .@"


@pytest.mark.parametrize("width", [40, 60, 70, 80, 200])
@pytest.mark.parametrize("topic", ["Drop users", "How the importer of last year " * 8])
def test_a_command_stands_whole_on_a_line(width: int, topic: str) -> None:
    said = f"engineer waits for your decision on {topic} (CLR-1-001)"
    screen = Console(file=io.StringIO(), width=width)
    draw_waiting(screen, [(said, "agentx clarify inbox")])
    assert isinstance(screen.file, io.StringIO)
    lines = screen.file.getvalue().splitlines()
    assert sum("agentx clarify inbox" in line for line in lines) == 1, lines
    assert max(map(len, lines)) <= width
    assert len(lines) <= 3
