"""What a daemon does by itself: it takes what was spooled and keeps the views close to the log.

Neither may be felt. Looking in vain takes little of the machine, and the views
rest while somebody's call is at work.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event

from agentx.daemon.activity import Activity
from agentx.daemon.limits import DAEMON_DRAIN_REST_MS_MAX, DAEMON_LULL_MS, DAEMON_VIEWS_REST_MS_MAX
from agentx.kernel.progress import Told
from agentx.memory.port import Memory

# A look that found nothing is followed by a rest this many times as long: at most 5 % of a core.
_REST_PER_LOOK = 19


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
            self._activity.seen()
        else:
            rest = (ended - began) * _REST_PER_LOOK
            self._not_before = ended + min(rest, DAEMON_DRAIN_REST_MS_MAX / 1000)


class Views:
    """Brings the views up to date step by step, and leaves off when it is told to."""

    def __init__(
        self, memory: Memory, activity: Activity, work: Callable[[Told], object] | None = None
    ) -> None:
        """Keep the views of a memory; `work` is another way of doing so in steps."""
        self._work = work if work is not None else memory.catch_up
        self._activity = activity
        self._left_off = Event()

    def again(self) -> None:
        """Catch up with the log; what is left when told to leave off is for the next daemon."""
        with suppress(_LeftOff):
            self._work(self._between_steps)

    def leave_off(self) -> None:
        """Begin no further step."""
        self._left_off.set()

    def _between_steps(self, _done: int, _total: int) -> None:
        if self._left_off.is_set():
            raise _LeftOff
        self._activity.await_lull(lull_ms=DAEMON_LULL_MS, wait_ms=DAEMON_VIEWS_REST_MS_MAX)


class _LeftOff(Exception):
    """The views were told to leave off. Every step before is on disk."""
