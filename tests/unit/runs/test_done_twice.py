"""Goal: nobody takes two solutions of one task for one, where clones merged both apart.

Method: stories of events, and what is told after each.
"""

from __future__ import annotations

from agentx.runs.claiming.done_twice import list_done_twice
from agentx.runs.model import Run, RunEvent
from agentx.runs.pages.pull_request import description
from agentx.runs.resuming import WhoGoesOn, resumption
from agentx.runs.rules.fold import fold
from tests.support.run_stories import RUN, event

TASK = event(1, "task-added", task="T", title="x")
EXECUTES = event(2, "phase-entered", phase="EXECUTION")
BOTH = "lane-001 and lane-002"
SAID = "T is done twice: in lane-001 by engineer of anna (aaaa) and in lane-002 by bbbb"


def _do(
    opened: int, merged: int, lane: str, checkout: str, **claim: object
) -> tuple[RunEvent, ...]:
    detail = {"lane": lane, "task": "T", "branch": lane, "checkout": checkout, **claim}
    return (
        event(opened, "lane-opened", **detail),  # type: ignore[arg-type]  # names and details
        event(merged, "lane-merged", lane=lane, commit=f"c{merged}"),
        event(merged + 1, "task-completed", task="T"),
    )


UNTIL = "2026-03-02T12:00:00Z"
FIRST = _do(3, 6, "lane-001", "aaaa", until=UNTIL, holder="engineer", person="anna")
SECOND = _do(4, 8, "lane-002", "bbbb")


def _run(*events: RunEvent) -> Run:
    return fold(RUN, (event(0, "run-started", title="a run"), TASK, EXECUTES, *events))


def _list_told(run: Run) -> list[tuple[str, str]]:
    steps = resumption(run, (), WhoGoesOn(folder=lambda name: f"/w/{name}")).next
    return [(step.text, step.command) for step in steps if "is done twice" in step.text]


def test_a_task_that_two_clones_merged_is_told_as_done_twice_until_somebody_says_what_stays() -> (
    None
):
    run = _run(*FIRST, *SECOND)

    assert [each.says for each in list_done_twice(run)] == [SAID]
    ways = "look at them in /w/work; take one out by a commit there, or leave them; say which"
    assert _list_told(run) == [(f"{SAID}; {ways}", f'agentx run task log T "{BOTH}: WHAT STAYS"')]
    page = description(run)
    assert f"- **x** (T)\n  {SAID}\n" in page
    for said_at in (7, 20):  # also after it merged: who says that need not know of the other
        for text in ("tests too", "lane-002 is tidied"):
            word = event(said_at, "task-progressed", task="T", text=text)
            assert _list_told(_run(*FIRST, *SECOND, word))
    # While both were open nobody could know that both would be merged.
    early = event(5, "task-progressed", task="T", text=f"{BOTH} go two ways")
    assert _list_told(_run(*FIRST, *SECOND, early))
    settled = _run(
        *FIRST, *SECOND, event(20, "task-progressed", task="T", text=f"{BOTH}: both stay")
    )
    assert _list_told(settled) == []
    assert f"  {SAID}\n  {BOTH}: both stay\n" in description(settled)


def test_a_task_that_was_taken_up_again_is_not_done_twice_by_that() -> None:
    again = event(10, "task-reopened", task="T", reason="it lacks half")
    over = _run(*FIRST, again, *_do(11, 12, "lane-002", "bbbb"))
    for run in (_run(*FIRST), over, _run(*FIRST, *SECOND, again)):
        assert list(list_done_twice(run)) == []
        assert _list_told(run) == []
        assert "done twice" not in description(run)
    third = _run(*FIRST, *SECOND, *_do(5, 14, "lane-003", "cccc"))
    (found,) = list_done_twice(third)
    assert found.says.startswith("T is done 3 times: in lane-001 by ")
