"""Goal: who follows a page is told what changed, once, and nobody is asked where nobody follows.

Method: a watch that looks often at what the test holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from agentx.kernel.errors import UnavailableError
from agentx.surfaces.page.live import Follower, Watch

WAIT_S = 20.0


class Scene:
    """How things stand."""

    def __init__(self) -> None:
        self.now: dict[str, object] = {"a": 1}
        self.looks = 0
        self.fails = 0
        self.looked = Event()

    def look(self) -> dict[str, object]:
        """Look at it; fail as often as wanted."""
        self.looks += 1
        self.looked.set()
        if self.fails:
            self.fails -= 1
            raise UnavailableError("not now")
        return dict(self.now)


@contextmanager
def watching(scene: Scene) -> Iterator[Watch]:
    """Give a watch on a scene."""
    watch = Watch(scene.look, seconds=0.005, failed_seconds=0.005)
    try:
        yield watch
    finally:
        watch.end()


def hear(follower: Follower) -> dict[str, object]:
    """Return what a follower is told next."""
    told: dict[str, object] = json.loads(follower.wait(WAIT_S))
    return told


def test_each_who_follows_is_told_when_that_begins_and_what_changes() -> None:
    scene = Scene()
    with watching(scene) as watch, watch.following() as first:
        assert hear(first) == {"begun": True}
        with watch.following() as second:
            assert hear(second) == {"begun": True}
            scene.now = {"a": 2, "b": 1}

            assert hear(first) == {"changed": ["a", "b"]}
            assert hear(second) == {"changed": ["a", "b"]}
        assert first.wait(0.05) == ""


def test_nobody_looks_where_nobody_follows() -> None:
    scene = Scene()
    with watching(scene) as watch:
        assert not scene.looked.wait(0.05)
        with watch.following() as only:
            hear(only)
        scene.now = {"a": 2}
        with watch.following() as again:
            assert hear(again) == {"begun": True}  # it has just read how things stand


def test_a_look_that_fails_is_made_again() -> None:
    scene = Scene()
    scene.fails = 3
    with watching(scene) as watch, watch.following() as follower:
        assert hear(follower) == {"begun": True}
        assert scene.looks > 3


def test_who_waits_is_let_go_when_it_ends() -> None:
    scene = Scene()
    with watching(scene) as watch, watch.following() as follower:
        hear(follower)
        watch.end()

        assert follower.wait(WAIT_S) == ""
