"""Goal: who reads waits no longer than they like, what is new is taken in once, and nothing that
goes on is cut off in the middle of a step."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

import pytest

from agentx.host.kv.rocks import RocksStore
from agentx.kernel.bus import HowFar
from agentx.kernel.errors import UnavailableError
from agentx.memory.freshening import Freshening
from agentx.wiring.memory import open_store
from tests.support.notes import spool_note
from tests.support.remembering import project_in

_WAIT_S = 60


class Taking:
    """Takes in what is new in steps; each waits until it may."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.may = Event()
        self.began = Event()
        self.taken: list[bool] = []

    def __call__(self, with_views: bool, told: HowFar) -> None:
        self.began.set()
        for done in range(self.steps):
            assert self.may.wait(_WAIT_S)
            self.taken.append(with_views)
            told(done, self.steps)


def test_what_is_quick_is_taken_in_before_the_answer() -> None:
    taking = Taking(3)
    taking.may.set()

    assert Freshening(taking).take_in(_WAIT_S * 1000, views=True)

    assert taking.taken == [True] * 3


def test_who_waited_long_enough_is_answered_and_it_goes_on() -> None:
    taking = Taking(2)
    fresh = Freshening(taking)

    assert not fresh.take_in(10, views=True)
    assert taking.taken == []
    taking.may.set()
    assert fresh.take_in(_WAIT_S * 1000, views=True)

    assert taking.taken == [True] * 2, "the second waited for the first, and took in nothing twice"


def test_views_are_taken_in_after_a_log_that_was_asked_for_alone() -> None:
    taking = Taking(1)
    fresh = Freshening(taking)
    fresh.take_in(10, views=False)
    other = Thread(target=lambda: fresh.take_in(_WAIT_S * 1000, views=True))
    other.start()
    taking.may.set()
    other.join(_WAIT_S)

    assert taking.taken == [False, True]


def test_a_failure_is_raised_where_somebody_waits_and_is_tried_again() -> None:
    tries: list[bool] = []

    def fail(with_views: bool, _told: HowFar) -> None:
        tries.append(with_views)
        raise UnavailableError("the disk is full")

    fresh = Freshening(fail)
    for _ in range(2):
        with pytest.raises(UnavailableError, match="the disk is full"):
            fresh.take_in(_WAIT_S * 1000, views=True)

    assert len(tries) == 2


def test_it_leaves_off_after_the_step_at_work_and_then_the_store_is_let_go() -> None:
    taking, let_go = Taking(1_000), Event()
    fresh = Freshening(taking)
    fresh.take_in(1, views=True)
    assert taking.began.wait(_WAIT_S)

    fresh.leave_off(let_go.set)
    assert not let_go.is_set(), "who closes does not wait for the step, and does not cut it off"
    taking.may.set()

    assert let_go.wait(_WAIT_S)
    assert taking.taken == [True], "no further step was begun"
    fresh.take_in(_WAIT_S * 1000, views=True)
    assert taking.taken == [True]


def test_where_nothing_goes_on_the_store_is_let_go_at_once() -> None:
    let_go = Event()

    Freshening(Taking(1)).leave_off(let_go.set)

    assert let_go.is_set()


def test_who_reads_on_a_disk_that_is_full_is_told_so_and_shown_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise UnavailableError("no room left for the store")

    project = project_in(tmp_path)
    with open_store(project) as memory:
        spool_note(project, "01KJ0000000000000000000001", ("CLR-1-001",))
        monkeypatch.setattr(RocksStore, "write", refuse)
        behind = memory.freshen(_WAIT_S * 1000)

        assert (behind.is_unwritable, behind.is_look, behind.spooled) == (True, False, 1)
        assert memory.status().spool_waiting == 1


def test_who_had_no_time_for_all_is_told_so_where_the_log_has_nothing_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(project_in(tmp_path)) as memory:
        assert not memory.freshen(_WAIT_S * 1000).is_late
        monkeypatch.setattr(Freshening, "take_in", lambda *_, **__: False)

        behind = memory.freshen(0)

    assert (behind.count, behind.is_partial, behind.is_late) == (0, True, True)
    assert not memory.freshen(0, views=False).is_late
