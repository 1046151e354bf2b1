"""Goal: who waits is told for how long something was asked, in units that one can grasp."""

from __future__ import annotations

import pytest

from agentx.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS
from agentx.operations.questions.waiting import WaitLook


@pytest.mark.parametrize(
    ("asked_ms", "told"),
    [
        (5 * SECOND_MS, "asked 0:05 ago;"),
        (59 * MINUTE_MS, "asked 59:00 ago;"),
        (5 * HOUR_MS, "asked 5 h ago;"),
        (8 * DAY_MS, "asked 8 d ago;"),
    ],
)
def test_it_is_told_since_when_somebody_is_asked(asked_ms: int, told: str) -> None:
    look = WaitLook(
        clarification_id="CLR-1-001",
        typed="CLR-1-001",
        waits_on="architect",
        asked_ms=asked_ms,
        waited_ms=0,
        doing="it is being asked now",
    )
    assert told in str(look)
