"""Goal: who follows sessions all day prepares digests seldom, and at once where something must go.

Method: the view over an empty folder, with a clock that stands still but for what is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agentx.kernel.paths import StorePaths
from agentx.views.digests import Digests
from agentx.views.port import Gone
from tests.support.time_and_chance import FakeClock

TOOK_MS = 100


@dataclass
class Place:
    """What digests are made of, and how often they were."""

    clock: FakeClock = field(default_factory=FakeClock)
    stamp: str = "as it is"
    news: int = 0
    made: int = 0

    def write(self, _made_from: str) -> int:
        self.made += 1
        self.clock.advance(TOOK_MS)
        return 1


@pytest.fixture
def place() -> Place:
    return Place()


@pytest.fixture
def view(place: Place, tmp_path: Path) -> Digests:
    return Digests(
        store=StorePaths(tmp_path),
        clock=place.clock,
        stamp=lambda: place.stamp,
        news=lambda: str(place.news),
        write=place.write,
    )


def told(_done: int, _total: int) -> None:
    """Hear how far it is, as a daemon does."""


def test_more_to_tell_waits_until_they_were_left_alone_for_long_enough(
    place: Place, view: Digests
) -> None:
    assert view.catch_up(told)
    for _ in range(18):
        place.news += 1
        place.clock.advance(TOOK_MS)
        assert not view.catch_up(told)

    place.clock.advance(TOOK_MS)
    assert view.catch_up(told)
    assert not view.catch_up(told), "there is nothing new"
    assert place.made == 2


def test_what_may_have_to_leave_them_waits_for_nothing(place: Place, view: Digests) -> None:
    view.catch_up(told)
    place.stamp = "a memory was dropped"

    assert view.catch_up(told)
    with view.forget(Gone(session_ids=("s-1",), whole=True)):
        pass
    assert place.made == 3


def test_who_is_asked_for_them_makes_them(place: Place, view: Digests) -> None:
    view.catch_up(told)
    place.news += 1

    assert view.catch_up()
    assert place.made == 2
