"""Whether anybody needs the daemon: what is in flight, and how long nothing was.

An auto-started daemon leaves when it has been idle long enough. A call that is
still open counts as activity for as long as it is open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock


class Activity:
    """Counts what is in flight and remembers when the last thing ended."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._in_flight = 0
        self._last = seconds()

    @contextmanager
    def working(self) -> Iterator[None]:
        """Be active for as long as the block runs."""
        with self._lock:
            self._in_flight += 1
        try:
            yield
        finally:
            with self._lock:
                self._in_flight -= 1
                self._last = self._seconds()

    def seen(self) -> None:
        """Say that something happened."""
        with self._lock:
            self._last = self._seconds()

    def idle_ms(self) -> int:
        """Return for how long nothing has happened; 0 while something is in flight."""
        with self._lock:
            if self._in_flight:
                return 0
            return int((self._seconds() - self._last) * 1000)
