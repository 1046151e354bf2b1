"""What happens while somebody looks: one look for all who follow, and none where nobody does.

A look asks the memory how far it is and which sessions were last; what differs from the look
before is told to every follower: `{"changed": [names]}`. Who begins to follow is told so after
the first look, and asks for what came between its page and that: nothing is kept for anybody.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Condition, Thread

from agentx.kernel.errors import AgentXError

_log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
_FAILED_SECONDS = 5.0

# How things stand: by a name (a session, `questions`, `runs`) something that changes with it.
Standing = Mapping[str, object]


class Follower:
    """One who is told."""

    def __init__(self) -> None:
        self.is_begun = False  # what changes from now on is told
        self._told: SimpleQueue[str] = SimpleQueue()

    def tell(self, what: str) -> None:
        """Say that something changed."""
        self._told.put(what)

    def wait(self, seconds: float) -> str:
        """Return what changed, within so many seconds; nothing where nothing did."""
        try:
            return self._told.get(timeout=seconds)
        except Empty:
            return ""


class Watch:
    """Looks for all followers."""

    def __init__(
        self,
        look: Callable[[], Standing],
        *,
        seconds: float = LOOK_SECONDS,
        failed_seconds: float = _FAILED_SECONDS,
    ) -> None:
        self._look = look
        self._seconds = seconds
        self._failed_seconds = failed_seconds
        self._changing = Condition()
        self._followers: list[Follower] = []
        self._is_ending = False
        self._thread = Thread(target=self._run, name="agentx-page-watch", daemon=True)
        self._thread.start()

    @contextmanager
    def following(self) -> Iterator[Follower]:
        """Give a follower, who is told until the block ends."""
        mine = Follower()
        with self._changing:
            self._followers.append(mine)
            self._changing.notify_all()
        try:
            yield mine
        finally:
            with self._changing:
                self._followers.remove(mine)

    def end(self) -> None:
        """Look no more."""
        with self._changing:
            self._is_ending = True
            self._changing.notify_all()
            for each in self._followers:
                each.tell("")  # nobody waits for what does not come
        self._thread.join(timeout=self._seconds + _FAILED_SECONDS)

    def _run(self) -> None:
        before: Standing | None = None
        pause = self._seconds
        while True:
            with self._changing:
                if not self._is_ending and not self._followers:
                    before = None  # who comes next has just read how things stand
                    self._changing.wait_for(lambda: self._is_ending or bool(self._followers))
                elif not self._is_ending:
                    self._changing.wait_for(lambda: self._is_ending, timeout=pause)
                if self._is_ending:
                    return
            try:
                now, pause = self._look(), self._seconds
            except (AgentXError, OSError) as error:
                _log.debug("a look failed: %s", error)
                pause = self._failed_seconds
                continue
            self._tell(_find_changed(before, now) if before is not None else [])
            before = now

    def _tell(self, changed: list[str]) -> None:
        with self._changing:
            for each in self._followers:
                if not each.is_begun:
                    each.is_begun = True
                    each.tell(json.dumps({"begun": True}))
                elif changed:
                    each.tell(json.dumps({"changed": changed}))


def _find_changed(before: Standing, now: Standing) -> list[str]:
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
