"""Goal: whoever takes a task up again knows the lanes that it has, and which of them did it.

Method: stories of events, and what is told after each.
"""

from __future__ import annotations

from agentx.runs.model import Run, RunEvent
from agentx.runs.resuming import WhoGoesOn, resumption
from agentx.runs.rules.fold import fold
from agentx.runs.rules.gates import tell_unwanted
from tests.support.run_stories import RUN, event

UNTIL = "2026-03-02T12:00:00Z"
TASK = event(1, "task-added", task="T", title="x")
EXECUTES = event(2, "phase-entered", phase="EXECUTION")
DONE = (
    event(8, "lane-merged", lane="lane-002-bbbb", commit="c8"),
    event(9, "task-completed", task="T"),
)
AGAIN = event(10, "task-reopened", task="T", reason="mine is better")


def _open(number: int, lane: str, person: str) -> RunEvent:
    return event(
        number,
        "lane-opened",
        lane=lane,
        task="T",
        branch=lane,
        checkout=lane[-4:],
        until=UNTIL,
        holder="engineer",
        person=person,
    )


OPENED = (_open(3, "lane-001-aaaa", "anna"), _open(4, "lane-002-bbbb", "bert"))


def _run(*events: RunEvent) -> Run:
    return fold(RUN, (event(0, "run-started", title="a run"), TASK, EXECUTES, *events))


def _list_steps(run: Run, checkout: str) -> list[tuple[str, str]]:
    here = WhoGoesOn(checkout=checkout, folder=lambda name: f"/w/{name}")
    return [(step.text, step.command) for step in resumption(run, (), here).next]


def test_a_completed_task_names_the_lane_that_was_merged() -> None:
    assert _run(*OPENED).tasks["T"].lane == "lane-001-aaaa"  # who claimed it first
    assert _run(*OPENED, *DONE).tasks["T"].lane == "lane-002-bbbb"
    assert _run(*OPENED, event(9, "task-completed", task="T")).tasks["T"].lane == "lane-001-aaaa"
    again = (AGAIN, _open(11, "lane-003-cccc", "cid"), event(12, "task-completed", task="T"))
    assert _run(*OPENED, *DONE, *again).tasks["T"].lane == "lane-003-cccc"


def test_who_takes_a_task_up_again_is_told_of_the_lane_that_is_open() -> None:
    run = _run(*OPENED, *DONE, AGAIN)

    own = "T is ready: x; lane-001-aaaa is open for it: go on in /w/lane-001-aaaa"
    assert _list_steps(run, "aaaa") == [(own, "agentx run task start T")]
    theirs = "T is ready: x; lane-001-aaaa of engineer of anna (aaaa) is open for it: take it"
    assert _list_steps(run, "bbbb") == [
        (theirs, "agentx run lane take lane-001-aaaa"),
        ("or begin it anew", "agentx run task start T"),
    ]
    begun = event(11, "task-started", task="T", checkout="aaaa", until=UNTIL)
    assert _run(*OPENED, *DONE, AGAIN, begun).tasks["T"].lane == "lane-001-aaaa"
    claimed = event(11, "task-claimed", task="T", checkout="aaaa", until=UNTIL, shared=True)
    there = (claimed, event(12, "task-started", task="T"))  # the claim was said at the remote first
    assert _run(*OPENED, *DONE, AGAIN, *there).tasks["T"].lane == "lane-001-aaaa"
    ended = event(11, "lane-failed", lane="lane-001-aaaa", reason="no")
    for checkout in ("aaaa", "bbbb"):
        steps = _list_steps(_run(*OPENED, *DONE, ended, AGAIN), checkout)
        assert ("T is ready: x", "agentx run task start T") in steps


def _claim(number: int, kind: str, **more: object) -> RunEvent:
    detail = {"task": "T", "checkout": "bbbb", "until": UNTIL, **more}
    return event(number, kind, **detail)  # type: ignore[arg-type]  # names and details


def test_who_holds_a_task_without_a_lane_works_in_none_of_another_checkout() -> None:
    first = (_claim(3, "task-started"), _open(4, "lane-001-aaaa", "anna"))
    assert _run(*first).tasks["T"].lane == ""
    taken = (OPENED[0], _claim(5, "task-claimed", taken=True))
    assert _run(*taken).tasks["T"].lane == "lane-001-aaaa"
    for later in (6, 90_000):  # its date is another clock's, which is ahead
        assert _run(*taken, event(later, "task-started", task="T")).tasks["T"].lane == ""
    released = event(5, "task-released", task="T", checkout="aaaa")
    assert _run(OPENED[0], released, _claim(6, "task-started")).tasks["T"].lane == ""
    moved = event(6, "lane-taken", lane="lane-001-aaaa", checkout="bbbb")
    begun = _run(*taken, moved, event(7, "task-started", task="T"))
    assert begun.tasks["T"].lane == "lane-001-aaaa"


def test_who_takes_a_task_up_again_unknowing_ends_no_work_that_somebody_began() -> None:
    failed = event(4, "task-failed", task="T", reason="no")
    begun = (OPENED[0], failed, _claim(5, "task-started"))
    run = _run(*begun, event(6, "task-reopened", task="T", reason="once more"))

    assert run.tasks["T"].status == "IN_PROGRESS"
    claim = run.tasks["T"].settled.claim
    assert claim is not None
    assert claim.checkout == "bbbb"


def test_who_completed_a_task_elsewhere_is_told_by_name() -> None:
    (lost, _), (merged, _) = OPENED, DONE
    run = _run(*OPENED, merged, event(9, "task-completed", task="T"))

    assert lost.lane == "lane-001-aaaa"
    said = tell_unwanted(run, run.lanes["lane-001-aaaa"])
    assert said == "T was completed in lane-002-bbbb by engineer of bert (bbbb)"


def test_a_lane_that_is_finished_is_to_be_merged_and_not_gone_on_in() -> None:
    finished = event(6, "lane-finished", lane="lane-001-aaaa", lane_of=OPENED[0].id, commit="c1")
    started = event(5, "task-started", task="T", checkout="aaaa", until=UNTIL)

    going = [text for text, _ in _list_steps(_run(OPENED[0], started), "aaaa")]
    steps = _list_steps(_run(OPENED[0], started, finished), "aaaa")

    assert [text.partition(":")[0] for text in going] == ["go on with T in lane-001-aaaa"]
    assert steps == [("lane-001-aaaa is finished", "agentx run lane merge lane-001-aaaa")]


def test_of_many_tasks_the_first_that_can_begin_are_told_and_those_with_a_lane() -> None:
    many = [
        event(20 + number, "task-added", task=f"M-{number:03}", title="m") for number in range(40)
    ]
    steps = _list_steps(_run(*many, *OPENED, *DONE, AGAIN), "aaaa")

    texts = [text for text, _ in steps]
    assert texts[0].startswith("T is ready: x; lane-001-aaaa is open for it")
    assert texts[1:10] == [f"M-{number:03} is ready: m" for number in range(9)]
    assert steps[10:] == [("31 more tasks are ready", "agentx run task list")]
