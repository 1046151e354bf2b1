"""Calls that take their time: each on a thread, a few at once, and nobody waits for one that
was called off.

Work cannot be stopped in the middle, so a call that the client cancels goes on and its answer
is dropped.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Condition, Thread

_AT_ONCE_MAX = 8
_WAITING_MAX = 1_000

Work = Callable[[], None]


class Calls:
    """What a client waits for."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[Work] = SimpleQueue()
        self._changed = Condition()
        self._unfinished = 0
        self._threads = 0

    def begin(self, work: Work) -> bool:
        """Do something on a thread, now or when one is free; say whether there is room for it."""
        with self._changed:
            if self._unfinished >= _WAITING_MAX:
                return False
            self._unfinished += 1
            self._waiting.put(work)
            if self._threads < min(_AT_ONCE_MAX, self._unfinished):
                self._threads += 1
                Thread(target=self._work, daemon=True).start()
        return True

    def finish(self, seconds: float) -> None:
        """Wait until everything is done, but not for long."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while self._unfinished and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)

    def _work(self) -> None:
        while True:
            try:
                work = self._waiting.get_nowait()
            except Empty:
                with self._changed:
                    if self._waiting.empty():
                        self._threads -= 1
                        return
                continue
            try:
                work()
            finally:
                with self._changed:
                    self._unfinished -= 1
                    self._changed.notify_all()
