"""Goal: a run is the fold of its events, whatever way they arrive.

Method: random histories of several actors are shuffled, split and doubled; the state must
not change. Then what events mean, one story at a time.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.kernel.vouching.standing import Vouching
from agentx.runs.choosing.retention import due_ms
from agentx.runs.model import LaneStatus, Phase, Run, RunEvent, RunStatus, TaskStatus
from agentx.runs.pages.files import pages
from agentx.runs.rendering import say_doubted_end
from agentx.runs.rules.fold import evolve, fold, in_order
from agentx.runs.store.local.followed import fold_followed
from tests.support.run_stories import RUN, event, histories


@pytest.mark.promise("runs.merge")
@settings(max_examples=60)
@given(histories(), st.integers(0, 1_000), st.data())
def test_the_state_is_the_same_in_whatever_order_and_however_often_events_arrive(
    events: list[RunEvent], seed: int, data: st.DataObject
) -> None:
    doubled = events + data.draw(st.lists(st.sampled_from(events), max_size=5))
    random.Random(seed).shuffle(doubled)

    state = fold(RUN, events)

    assert fold(RUN, doubled) == state
    assert reduce(evolve, in_order(events), Run(id=RUN)) == state
    assert pages(state) == pages(fold(RUN, doubled))


@settings(max_examples=60)
@given(histories(), st.data())
def test_a_run_that_is_followed_stands_where_one_does_that_is_read_anew(
    events: list[RunEvent], data: st.DataObject
) -> None:
    for _ in range(3):  # more came, some of it from before, or a file was edited
        some = data.draw(st.lists(st.sampled_from(events)))
        edited = [replace(each, detail={**each.detail, "by": "hand"}) for each in some[:1]]
        for seen in (some, [*some, *events], [*edited, *some[1:]]):
            assert fold_followed(RUN, seen) == fold(RUN, seen)


@settings(max_examples=30)
@given(histories(), st.integers(0, 25))
def test_what_one_id_means_does_not_hang_on_which_copy_is_read_first(
    events: list[RunEvent], number: int
) -> None:
    edited = event(0, "run-started", title="somebody edited this")

    assert fold(RUN, [edited, *events]) == fold(RUN, [*events, edited])


def test_phases_follow_each_other_and_going_back_opens_them_again() -> None:
    start = event(0, "run-started", title="t")
    there = [event(n, "phase-entered", phase=p) for n, p in ((1, "EXECUTION"), (2, "VERIFICATION"))]
    back = event(3, "phase-entered", phase="EXECUTION")

    run = fold(RUN, [start, *there, back])

    assert run.phase is Phase.EXECUTION
    assert run.phases[Phase.PLANNING].status is RunStatus.COMPLETED
    assert run.phases[Phase.EXECUTION].status is RunStatus.IN_PROGRESS
    assert Phase.VERIFICATION not in run.phases


def test_two_clones_that_each_made_the_same_task_number_mean_two_tasks() -> None:
    start = event(0, "run-started", title="t")
    one = event(1, "task-added", task="TASK-001", title="checker")
    other = event(2, "task-added", task="TASK-001", title="docs")
    of_one = replace(event(3, "task-completed", task="TASK-001"), task_of=one.id)
    of_other = replace(event(4, "task-failed", task="TASK-001", reason="no"), task_of=other.id)

    run = fold(RUN, [start, one, other, of_one, of_other])

    assert {name: (task.contract.title, task.status) for name, task in run.tasks.items()} == {
        "TASK-001": ("checker", TaskStatus.COMPLETED),
        "TASK-001-2": ("docs", TaskStatus.FAILED),
    }


def test_a_conflict_blocks_the_run_and_its_end_frees_it() -> None:
    story = [
        event(0, "run-started", title="t"),
        event(1, "lane-opened", lane="lane-001", branch="agent/x/lane-001"),
        event(2, "conflict-found", lane="lane-001", operation="merge", files=["a.py"]),
    ]
    blocked = fold(RUN, story)
    conflict = next(iter(blocked.conflicts))

    free = fold(RUN, [*story, event(3, "conflict-resolved", conflict=conflict)])

    assert blocked.status is RunStatus.BLOCKED
    assert blocked.lanes["lane-001"].status is LaneStatus.CONFLICT
    assert "a.py" in blocked.blockers[0].question
    assert free.status is RunStatus.IN_PROGRESS
    assert free.lanes["lane-001"].status is LaneStatus.FINISHED
    assert not free.blockers


def test_a_question_that_does_not_block_leaves_the_run_going_on() -> None:
    run = fold(
        RUN,
        [
            event(0, "run-started", title="t"),
            event(1, "escalation-raised", question="which?", blocking=False),
        ],
    )

    assert run.status is RunStatus.IN_PROGRESS
    assert len(run.escalations) == 1


def test_the_newest_version_of_a_page_and_of_a_contract_holds() -> None:
    run = fold(
        RUN,
        [
            event(0, "run-started", title="t"),
            event(1, "task-added", task="T", title="one"),
            event(2, "task-revised", task="T", title="two"),
            event(3, "artifact-written", name="plan.md", text="old"),
            event(4, "artifact-written", name="plan.md", text="new"),
        ],
    )

    assert [each.title for each in run.tasks["T"].contracts] == ["one", "two"]
    assert run.tasks["T"].version == 2
    assert (run.artifacts["plan.md"].text, run.artifacts["plan.md"].versions) == ("new", 2)


@pytest.mark.promise("runs.signed")
@pytest.mark.parametrize("kind", ["run-completed", "run-failed"])
def test_an_end_that_nobody_signed_ends_nothing_and_one_of_a_stranger_is_told(kind: str) -> None:
    start = event(0, "run-started", title="t")
    ways = {each: replace(event(1, kind), standing=each) for each in Vouching}
    for standing in (Vouching.UNSIGNED, Vouching.FORGED):
        run = fold(RUN, [start, ways[standing]])
        assert not run.over
        assert f"{standing}, so that ends nothing" in say_doubted_end(run)

    told = fold(RUN, [start, ways[Vouching.UNTRUSTED]])
    assert told.over
    assert "by the word of executor, whom you do not trust" in say_doubted_end(told)
    assert due_ms(told) is None

    signed = replace(event(2, "run-completed"), standing=Vouching.SIGNED)
    vouched = fold(RUN, [start, ways[Vouching.UNTRUSTED], signed])
    assert (vouched.over, say_doubted_end(vouched)) == (True, "")
    for standing in (Vouching.UNSIGNED, Vouching.UNTRUSTED):  # it is over by a better word
        late = replace(event(3, "run-failed"), standing=standing)
        assert fold(RUN, [start, signed, late]).outcome is RunStatus.COMPLETED
    again = fold(RUN, [start, ways[Vouching.UNTRUSTED], event(2, "run-reopened")])
    assert (again.over, say_doubted_end(again)) == (False, "")
