"""Goal: who watches a drive sees each lane on one line, whole names, what is done and since when.

Method: the news of four lanes, drawn as wide as terminals are.
"""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from agentx.operations.driving.asked import DriveNews, NewsOf
from agentx.surfaces.cli.commands.runs.drive_screen import Lanes
from tests.support.time_and_chance import START_MS, FakeClock

_WHO = ("claude-code", "codex", "gemini", "opencode")
_SCREENS = {
    80: (
        "TASK-001 lane-001-ab12 claude-code failed: pytest -q test… 0:05 1,234,567 $12.30",
        "TASK-002 lane-002-ab12 codex       ESC-0001: which langua… 0:04",
        "TASK-003 lane-003-ab12 gemini      reads 日本語.py and\ufffd t… 0:17",
        "TASK-004 lane-004-ab12 opencode    reads 日本語.py and\ufffd t… 0:16",
    ),
    140: (
        (
            f"TASK-001 lane-001-ab12 claude-code {'failed: pytest -q tests/unit/mail':<84}0:05"
            " 1,234,567 $12.30"
        ),
        (
            "TASK-002 lane-002-ab12 codex       "
            f"{'ESC-0001: which language shall errors be in, and who reads them?':<84}0:04"
        ),
        (
            "TASK-003 lane-003-ab12 gemini      "
            f"{'reads 日本語.py and� the tests beside it to see what is there already':<81}0:17"
        ),
        (
            "TASK-004 lane-004-ab12 opencode    "
            f"{'reads 日本語.py and� the tests beside it to see what is there already':<81}0:16"
        ),
    ),
}


@pytest.fixture
def lanes() -> Lanes:
    clock = FakeClock()
    lanes = Lanes(clock)

    def hear(doing: NewsOf, text: str, number: int, **more: float) -> None:
        news = DriveNews(
            at_ms=clock.now_ms(),
            doing=doing,
            text=text,
            task=f"TASK-{number:03}",
            lane=f"lane-{number:03}-ab12",
            runner=_WHO[number - 1],
            **more,  # type: ignore[arg-type]  # numbers
        )
        lanes.take(news)
        clock.advance(1_000)

    for number in (2, 1, 3, 4):  # whoever began first
        hear(NewsOf.TURN, "turn 1", number)
    for number in range(1, 5):
        text = "reads 日本語.py\n\x1b[31mand\u202e the tests beside it to see what is there already"
        hear(NewsOf.SAID, text, number)
        clock.advance(1_000)
    hear(NewsOf.TURN, "ended", 1, tokens=1_234_567, usd=12.3)
    clock.advance(1_000)
    hear(NewsOf.CHECK, "failed: pytest -q tests/unit/mail", 1)
    hear(NewsOf.ASK, "ESC-0001: which language shall errors be in, and who reads them?", 2)
    clock.advance(3_000)
    return lanes


def _draw(lanes: Lanes, width: int) -> list[str]:
    page = io.StringIO()
    Console(file=page, width=width, highlight=False).print(lanes)
    return [line.rstrip() for line in page.getvalue().splitlines()]


@pytest.mark.parametrize("width", sorted(_SCREENS))
def test_each_lane_is_one_line(lanes: Lanes, width: int) -> None:
    assert _draw(lanes, width) == list(_SCREENS[width])


def test_a_lane_that_is_merged_goes(lanes: Lanes) -> None:
    done = "merged into agent/a-run/work"
    lanes.take(DriveNews(at_ms=START_MS, doing=NewsOf.MERGE, text=done, lane="lane-002-ab12"))

    assert [line[9:17] for line in _draw(lanes, 80)] == ["lane-001", "lane-003", "lane-004"]
