"""Goal: what a driver does next follows from the events of the run, and from nothing else.

Method: stories of events, and the move that each leads to.
"""

from __future__ import annotations

from typing import Any

import pytest

from agentx.runs.driving.schedule import (
    GivingPolicy,
    Move,
    NextAct,
    WhyGiven,
    list_moves,
    list_task_answers,
)
from agentx.runs.model import Run, RunEvent
from agentx.runs.rules.fold import fold
from tests.support.run_stories import RUN, event

OWN = "here"
LANE = "lane-001-here"
CHECK = {"name": "make test", "passed": False, "command": "make test", "exit_code": 1}


def _fold(*events: RunEvent) -> Run:
    started = event(0, "run-started", title="a run", checks=["make test"])
    return fold(RUN, (started, event(1, "task-added", task="TASK-001", title="one"), *events))


def _opened(at: int = 2) -> tuple[RunEvent, ...]:
    return (
        event(at, "lane-opened", lane=LANE, task="TASK-001", branch="b", checkout=OWN),
        event(at + 1, "task-started", lane=LANE, task="TASK-001"),
    )


def _turn(at: int, end: str = "done", **detail: Any) -> tuple[RunEvent, ...]:
    began = event(at, "turn-began", task="TASK-001", lane=LANE, runner="codex")
    ended: dict[str, Any] = {"turn": began.id, "end": end, **detail}
    return (began, event(at + 1, "turn-ended", task="TASK-001", lane=LANE, **ended))


def _checked(at: int, *, passed: bool) -> RunEvent:
    verdict = "PASSED" if passed else "FAILED"
    checks = [{**CHECK, "passed": passed}]
    return event(at, "checks-run", task="TASK-001", lane=LANE, verdict=verdict, checks=checks)


def _move(*events: RunEvent, turns_max: int = 4) -> Move:
    (found,) = list_moves(_fold(*events), GivingPolicy(turns_max=turns_max), OWN)
    return found


def test_a_task_goes_from_its_lane_over_its_agent_and_its_checks_to_the_merge() -> None:
    assert _move().act is NextAct.OPEN
    assert (_move(*_opened()).act, _move(*_opened()).why) == (NextAct.GIVE, WhyGiven.FIRST)
    done = (*_opened(), *_turn(10))
    assert _move(*done).act is NextAct.CHECK
    assert _move(*done, _checked(20, passed=True)).act is NextAct.MERGE
    assert list_moves(_fold(*done), GivingPolicy(), OWN, busy={"TASK-001"}) == ()


def test_what_was_checked_before_the_last_turn_merges_nothing() -> None:
    again = (*_opened(), *_turn(10), _checked(20, passed=True), *_turn(30))

    assert _move(*again).act is NextAct.CHECK


def test_a_failed_check_goes_back_and_after_some_turns_a_person_is_asked() -> None:
    failed = (*_opened(), *_turn(10), _checked(20, passed=False))
    found = _move(*failed)
    assert (found.act, found.why) == (NextAct.GIVE, WhyGiven.CHECKS)
    assert found.report is not None

    spent = _move(*failed, *_turn(30), _checked(40, passed=False), turns_max=2)
    assert spent.act is NextAct.ASK
    assert "2 turns did not make `make test` pass" in spent.text


def test_an_answer_gives_the_agent_as_many_turns_again() -> None:
    asked = (
        *_opened(),
        *_turn(10, "asked", asks="which?"),
        event(20, "escalation-raised", task="TASK-001", lane=LANE, question="which?"),
    )
    waits = _move(*asked)
    assert waits.act is NextAct.WAIT
    resolved = event(30, "escalation-resolved", escalation=waits.text, resolution="this one")
    found = _move(*asked, resolved, turns_max=1)
    assert (found.act, found.why) == (NextAct.GIVE, WhyGiven.ANSWERED)
    (answered,) = list_task_answers(_fold(*asked, resolved), "TASK-001")
    assert answered.resolution == "this one"


def test_turns_that_were_cut_off_count_for_nothing() -> None:
    cut = (*_turn(10, "cut"), *_turn(20, "cut"), *_turn(30), _checked(40, passed=False))

    assert _move(*_opened(), *cut, turns_max=2).act is NextAct.GIVE


def test_a_question_that_was_not_put_yet_is_put() -> None:
    found = _move(*_opened(), *_turn(10, "asked", asks="which?"))

    assert (found.act, found.text) == (NextAct.ASK, "which?")


@pytest.mark.parametrize(("end", "why"), [("cut", WhyGiven.GOES_ON), ("failed", WhyGiven.AGAIN)])
def test_an_agent_that_ended_without_a_reply_is_given_it_again(end: str, why: WhyGiven) -> None:
    found = _move(*_opened(), *_turn(10, end))

    assert (found.act, found.why) == (NextAct.GIVE, why)


def test_who_gives_no_reply_twice_is_told_to_a_person() -> None:
    found = _move(*_opened(), *_turn(10, "failed"), *_turn(20, "failed", text="no quota"))

    assert found.act is NextAct.ASK
    assert "codex gave no reply 2 times: no quota" in found.text


def test_a_conflict_goes_back_to_the_agent_of_the_lane() -> None:
    conflict = event(30, "conflict-found", lane=LANE, operation="merge", files=["a.py"])
    found = _move(*_opened(), *_turn(10), _checked(20, passed=True), conflict)
    assert (found.act, found.why) == (NextAct.GIVE, WhyGiven.CONFLICT)

    mended = (*_opened(), *_turn(10), _checked(20, passed=True), conflict, *_turn(40))
    assert _move(*mended).act is NextAct.CHECK


def test_a_lane_of_another_checkout_is_taken_and_a_task_begun_by_hand_is_left() -> None:
    theirs = event(2, "lane-opened", lane=LANE, task="TASK-001", branch="b", checkout="there")
    assert _move(theirs, event(3, "task-started", lane=LANE, task="TASK-001")).act is NextAct.TAKE
    assert _move(event(2, "task-started", task="TASK-001")).act is NextAct.LEAVE


def test_a_task_that_waits_for_another_has_no_move() -> None:
    second = event(2, "task-added", task="TASK-002", title="two", depends_on=["TASK-001"])
    moves = list_moves(_fold(second), GivingPolicy(), OWN)

    assert [(move.task, move.act) for move in moves] == [("TASK-001", NextAct.OPEN)]
