"""Goal: a claim holds its time whatever the clocks of two people say.

Method: a bare remote and two clones with real git, each with a home and a clock of its own.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentx.kernel.errors import (
    IllegalTransition,
)
from agentx.operations.runs.read import show_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import record_event, task_step
from agentx.project.project import Project
from agentx.runs.limits import RUN_CLAIM_MS
from tests.support.time_and_chance import FakeClock
from tests.support.two_people import FIRST, Two

DAYS_MS = 3 * 24 * 3_600_000


def _skew(both: Two, by_ms: int) -> Project:
    """Return the second clone with a clock that is off."""
    return replace(both.two, clock=FakeClock(both.clock.now_ms() + by_ms))


@pytest.mark.promise("runs.claims")
def test_a_claim_of_a_clock_that_is_behind_holds_its_time_from_when_it_was_seen(both: Two) -> None:
    behind = _skew(both, -DAYS_MS)
    task_step(behind, Saying(task=FIRST), "task-started", {})

    with pytest.raises(IllegalTransition, match="held by orchestrator of bert") as refused:
        both.start(both.one)
    assert "left)" in refused.value.message
    both.clock.advance(RUN_CLAIM_MS)
    with pytest.raises(IllegalTransition, match="held by"):
        both.start(both.one)
    both.clock.advance(RUN_CLAIM_MS)  # such a claim says twice its length
    assert any("expired at" in word for word in both.start(both.one))
    both.sync(both.two)
    assert both.holder(both.one) == both.holder(both.two) == "anna"


@pytest.mark.promise("runs.claims")
def test_a_clock_that_was_ahead_once_ends_no_claim_of_one_that_is_behind(both: Two) -> None:
    ahead = replace(both.one, clock=FakeClock(both.clock.now_ms() + DAYS_MS))
    record_event(ahead, Saying(), "note", {"text": "from the future"})
    both.sync(both.one)
    behind = _skew(both, -5 * 3_600_000)
    task_step(behind, Saying(task=FIRST), "task-started", {})

    with pytest.raises(IllegalTransition, match="held by orchestrator of bert"):
        both.start(both.one)
    both.clock.advance(2 * RUN_CLAIM_MS)
    assert any("expired at" in word for word in both.start(both.one))


@pytest.mark.promise("runs.claims")
def test_a_claim_of_a_clock_that_is_ahead_holds_no_longer_than_its_time(both: Two) -> None:
    ahead = _skew(both, DAYS_MS)
    task_step(ahead, Saying(task=FIRST), "task-started", {})

    with pytest.raises(IllegalTransition, match=r"held by .* \(2 h 00 min left\)"):
        both.start(both.one)
    both.clock.advance(60_000)
    (row,) = (each for each in show_run(both.one).tasks if each.task_id == FIRST)
    assert row.held == "bert, 1 h 59 min"
    both.clock.advance(RUN_CLAIM_MS)
    said = both.start(both.one)

    assert any("expired at" in word and "it is yours now" in word for word in said)
    both.sync(both.two)
    # The same everywhere: who took it over names the claim that had run out.
    assert both.holder(both.one) == both.holder(both.two) == "anna"
    with pytest.raises(IllegalTransition, match="held by orchestrator of anna"):
        both.start(both.two)


def test_a_claim_that_ends_on_another_day_says_on_which(both: Two) -> None:
    both.start(both.one)
    both.clock.advance(2 * 24 * 3_600_000)

    (said,) = both.start(both.two)

    assert said.endswith("expired at 12:00 UTC on 2026-03-02; it is yours now")
