"""Whether anybody needs the daemon: what is in flight, what is at work, and how long nothing was.

A call is in flight from its beginning to its end, and at work unless it only waits
for its caller, as an open stream does between two batches. An auto-started daemon
leaves when nothing was in flight for long enough; one that was told to stop waits
for what is at work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition


class Activity:
    """Counts what is in flight and at work, and remembers when the last of it ended."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._changed = Condition()
        self._in_flight = 0
        self._at_work = 0
        self._last = self._last_work = seconds()

    @contextmanager
    def working(self) -> Iterator[None]:
        """Be in flight and at work for as long as the block runs."""
        with self._changed:
            self._in_flight += 1
            self._at_work += 1
        try:
            yield
        finally:
            with self._changed:
                self._in_flight -= 1
                self._last = self._seconds()
                self._leave_work()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Within `working`: be in flight and not at work for as long as the block runs."""
        with self._changed:
            self._leave_work()
        try:
            yield
        finally:
            with self._changed:
                self._at_work += 1

    def note_activity(self) -> None:
        """Say that something happened."""
        with self._changed:
            self._last = self._seconds()

    def idle_ms(self) -> int:
        """Return for how long nothing has happened; 0 while something is in flight."""
        with self._changed:
            if self._in_flight:
                return 0
            return int((self._seconds() - self._last) * 1000)

    def await_lull(self, *, lull_ms: int, wait_ms: int) -> bool:
        """Wait until nothing was at work for so long; False when it took longer than `wait_ms`."""
        give_up = self._seconds() + wait_ms / 1000
        with self._changed:
            while True:
                now = self._seconds()
                lull_begins = now if self._at_work else self._last_work
                left = lull_begins + lull_ms / 1000 - now
                if left <= 0 and not self._at_work:
                    return True
                if now >= give_up:
                    return False
                self._changed.wait(give_up - now if self._at_work else min(left, give_up - now))

    def _leave_work(self) -> None:
        self._at_work -= 1
        if not self._at_work:
            self._last_work = self._seconds()
            self._changed.notify_all()
