"""Goal: a run is driven from one checkout at a time, and who woke late stops.

Method: a bare remote and two clones with real git, each with a home; a clock that is moved.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentx.operations.runs.claiming import take_lane, take_task
from agentx.operations.runs.lane import open_lane
from agentx.operations.runs.read import show_run
from agentx.operations.runs.saying import Saying
from agentx.runs.driving.schedule import GivingPolicy, Move, NextAct, list_moves
from agentx.runs.limits import RUN_DRIVE_MS
from agentx.runs.model import ORCHESTRATOR, Happening, Run
from agentx.runs.service import Runs
from agentx.wiring.bound.drives import Drive, DriveLost
from agentx.wiring.runs import open_runs
from tests.support.two_people import FIRST, PERSON, Two


def _begin(both: Two, name: str, *, is_taken: bool = False) -> Drive:
    project = both.one if name == "one" else both.two
    drive = Drive(project, both.run_id)
    both.clock.advance(1_000)
    drive.take({}, is_taken=is_taken)
    return drive


@pytest.mark.promise("drive.elsewhere")
def test_a_second_clone_is_told_who_drives_and_until_when(both: Two) -> None:
    first = _begin(both, "one")

    with pytest.raises(DriveLost, match=r"is driven by driver of anna \(.*\), until .* left\)"):
        _begin(both, "two")
    # So is whoever looks, who begins no task beside the driver.
    for project, who in ((both.one, "from here"), (both.two, "by driver of anna")):
        [step] = show_run(project, both.run_id).next
        assert f"is driven {who}" in step.text
    first.end("it is done")
    assert any("TASK-" in step.text for step in show_run(both.one, both.run_id).next)
    _begin(both, "two").end("done, too")


def test_two_drivers_on_one_machine_are_one_too_many(both: Two) -> None:
    first = _begin(both, "one")

    with pytest.raises(DriveLost, match="is driven on this machine already"):
        _begin(both, "one")
    first.end("")
    _begin(both, "one").end("")


@pytest.mark.promise("drive.elsewhere")
def test_who_slept_past_their_time_stops_where_somebody_took_the_run_up(both: Two) -> None:
    slept = _begin(both, "one")
    both.clock.advance(RUN_DRIVE_MS + 60_000)
    _begin(both, "two")

    with pytest.raises(DriveLost, match="is driven by driver of bert"):
        slept.require()


def test_who_slept_and_whom_nobody_followed_goes_on(both: Two) -> None:
    slept = _begin(both, "one")
    both.clock.advance(RUN_DRIVE_MS + 60_000)

    slept.require()
    with pytest.raises(DriveLost, match="of anna"):
        _begin(both, "two")


def test_work_puts_off_the_end_of_a_drive(both: Two) -> None:
    held = _begin(both, "one")
    for _ in range(4):
        both.clock.advance(RUN_DRIVE_MS * 2 // 3)
        held.hold()
        held.require()

    with pytest.raises(DriveLost, match="of anna"):
        _begin(both, "two")


def test_a_person_takes_a_run_over_from_a_driver(both: Two) -> None:
    first = _begin(both, "one")
    _begin(both, "two", is_taken=True)

    with pytest.raises(DriveLost, match="of bert"):
        first.require()


@pytest.mark.promise("drive.elsewhere")
def test_a_lane_whose_task_another_driver_was_about_to_take_is_taken_back(both: Two) -> None:
    by = Saying(run_id=both.run_id, task=FIRST, actor=ORCHESTRATOR)
    lane = open_lane(both.one, by).lane
    assert lane is not None
    for project in (both.one, both.two):
        both.sync(project)
    take_task(both.two, by, PERSON)  # and was ended before it took the lane, too
    both.sync(both.one)

    def look() -> Move:
        run, task = both.look(both.one)
        moves = list_moves(run, GivingPolicy(), open_runs(both.one).own.checkout)
        return next(each for each in moves if each.task == task.id)

    assert look().act is NextAct.TAKE
    take_lane(both.one, replace(by, lane=lane.id), PERSON)
    assert (both.holder(both.one), look().act) == ("anna", NextAct.GIVE)


@pytest.mark.promise("drive.elsewhere")
def test_others_learn_that_a_driver_is_at_work_still_without_a_merge_or_a_push(both: Two) -> None:
    held = _begin(both, "one")
    both.clock.advance(RUN_DRIVE_MS * 2 // 3)
    held.hold()
    both.clock.advance(RUN_DRIVE_MS * 2 // 3)

    with pytest.raises(DriveLost, match="of anna"):
        _begin(both, "two")


def test_a_driver_that_was_followed_learns_it_while_its_agents_work(both: Two) -> None:
    held = _begin(both, "one")
    _begin(both, "two", is_taken=True)
    both.clock.advance(RUN_DRIVE_MS * 2 // 3)

    with pytest.raises(DriveLost, match="of bert"):
        held.hold()


def test_a_run_is_read_anew_only_where_somebody_wrote(
    both: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive, read, times = _begin(both, "one"), Runs.run, list[str]()

    def count(runs: Runs, run_id: str) -> tuple[Run, tuple[str, ...]]:
        times.append(run_id)
        return read(runs, run_id)

    before = drive.run
    monkeypatch.setattr(Runs, "run", count)

    assert drive.run is before
    assert times == []
    other = open_runs(both.one)  # as another process would
    named = Happening(kind="task-added", actor=ORCHESTRATOR, task="TASK-009", detail={"title": "x"})
    other.say(both.run_id, named)
    assert [task.contract.title for task in drive.run.tasks.values()][-1] == "x"
    assert len(drive.run.tasks) == len(before.tasks) + 1
