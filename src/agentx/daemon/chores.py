"""What a daemon does by itself: takes what was spooled, keeps the views close to the log and
its memory small.

None of it may be felt. Looking in vain takes little of the machine, and the views
rest while somebody's call is at work. Each chore has a thread of its own; one that
fails is logged and tried again, later and later while it keeps failing. No chore runs
twice at once, and after `stop` none runs.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Thread

from agentx.daemon.activity import Activity
from agentx.daemon.limits import (
    DAEMON_DRAIN_REST_MS_MAX,
    DAEMON_DROWSY_AFTER_MS,
    DAEMON_HEAP_SLACK_BYTES,
    DAEMON_LULL_MS,
    DAEMON_VIEWS_REST_MS_MAX,
    JOB_RETRY_MS_MAX,
)
from agentx.host.heap import give_back, measure_bytes
from agentx.kernel.values import frozen
from agentx.memory.port import Memory

_log = logging.getLogger(__name__)

# A look that found nothing is followed by a rest this many times as long: at most 5 % of a core.
_REST_PER_LOOK = 19


@frozen
class Chore:
    """Something to do, and the pause after it was done."""

    name: str
    every_ms: int
    run: Callable[[], object]


class Chores:
    """Runs chores from `start` to `stop`."""

    def __init__(self, chores: Sequence[Chore], pace: Callable[[], int] = lambda: 1) -> None:
        self._stopping = Event()
        self._pace = pace  # by how much pauses are longer now
        self._threads = [
            Thread(target=self._repeat, args=(chore,), name=f"agentx-{chore.name}", daemon=True)
            for chore in chores
        ]

    def start(self) -> None:
        """Let every chore begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Begin no chore any more, and return when those that run are done."""
        self._stopping.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _repeat(self, chore: Chore) -> None:
        pause_ms = chore.every_ms
        while not self._stopping.wait(pause_ms * self._pace() / 1000):
            try:
                chore.run()
                pause_ms = chore.every_ms
            except Exception:  # noqa: BLE001  one of the three places: a chore may fail and is tried again
                pause_ms = min(max(pause_ms, 1) * 2, max(JOB_RETRY_MS_MAX, chore.every_ms))
                _log.exception("%s failed; tried again in %d ms", chore.name, pause_ms)


def pace_of(activity: Activity) -> int:
    """Return by how much a pause is longer: a daemon that nobody needs looks half as often."""
    return 2 if is_drowsy(activity) else 1


def is_drowsy(activity: Activity) -> bool:
    """Tell whether nobody has needed the daemon for a while."""
    return activity.idle_ms() > DAEMON_DROWSY_AFTER_MS


class Drain:
    """Takes what is spooled as it comes, and takes little of the machine while nothing comes."""

    def __init__(self, memory: Memory, activity: Activity) -> None:
        self._memory = memory
        self._activity = activity
        self._not_before = 0.0

    def again(self) -> None:
        """Drain, unless looking in vain took so long just now that it is too early."""
        began = time.monotonic()
        if began < self._not_before:
            return
        taken = self._memory.drain().files
        ended = time.monotonic()
        if taken:
            self._activity.note_activity()
        else:
            rest = (ended - began) * _REST_PER_LOOK
            self._not_before = ended + min(rest, DAEMON_DRAIN_REST_MS_MAX / 1000)


class Views:
    """Brings the views up to date step by step, and leaves off when it is told to."""

    def __init__(self, memory: Memory, activity: Activity) -> None:
        self._memory = memory
        self._activity = activity
        self._left_off = Event()

    def again(self) -> None:
        """Catch up with the log; what is left when told to leave off is for the next daemon."""
        with suppress(_LeftOff):
            self._memory.catch_up(self._between_steps)

    def leave_off(self) -> None:
        """Begin no further step."""
        self._left_off.set()

    def _between_steps(self, _done: int, _total: int) -> None:
        if self._left_off.is_set():
            raise _LeftOff
        self._activity.await_lull(lull_ms=DAEMON_LULL_MS, wait_ms=DAEMON_VIEWS_REST_MS_MAX)


class Heap:
    """Gives back what a large batch needed and nobody needs any more."""

    def __init__(
        self,
        measure: Callable[[], int] = measure_bytes,
        release: Callable[..., None] = give_back,
        is_idle: Callable[[], bool] = lambda: True,
    ) -> None:
        self._measure = measure
        self._release = release
        self._is_idle = is_idle
        self._least = measure()

    def again(self) -> None:
        """Give memory back, if there is more than after the last time by what is worth it.

        What work in hand had in use just then is free soon after, and stays with the process
        until it is given back as well. So what could not be given back counts as needed by half
        only: the next looks try again, a few times, until there is less or it proves to be needed.
        All there is is looked through only while nobody asks: whoever did would wait for it.
        """
        now = self._measure()
        if now - self._least >= DAEMON_HEAP_SLACK_BYTES:
            self._release(whole=self._is_idle())
            now = self._measure()
            self._least += max(0, now - self._least) // 2
        self._least = min(self._least, now)


class _LeftOff(Exception):
    """The views were told to leave off. Every step before is on disk."""
