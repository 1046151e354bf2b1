"""How long a command waits for somebody far away: all its waits together, tries and rests too.

What a command asks of GitHub is asked in many places, each with tries of its own. They share one
patience, so that their sum is bounded. Only time spent waiting counts; a process that lives long
has new patience after a while.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agentx.kernel.clock import MINUTE_MS, Clock


class WaitBudget:
    """What is left of the time that waiting may take."""

    def __init__(
        self, clock: Clock, *, limit_ms: int, once_ms: int, again_ms: int = MINUTE_MS
    ) -> None:
        self._clock = clock
        self._limit_ms = limit_ms
        self._once_ms = once_ms  # for one answer
        self._again_ms = again_ms
        self._began_ms = 0
        self._spent_ms = 0
        self._why = ""

    @property
    def left_ms(self) -> int:
        """How long all that follows may wait; 0 where nothing may any more."""
        return max(self._limit_ms - self._spend_since(), 0)

    @property
    def once_ms(self) -> int:
        """How long the next answer may take."""
        return min(self.left_ms, self._once_ms)

    @property
    def why_lost(self) -> str:
        """Why it was in vain to wait any longer; nothing where it was not."""
        return self._why if not self.left_ms else ""

    def lose(self, why: str) -> None:
        """Wait no more: it is known to be in vain."""
        self._spent_ms = max(self._limit_ms, self._spend_since())
        self._why = why

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Count the time that the block takes."""
        self._spend_since()
        began_ms = self._clock.now_ms()
        try:
            yield
        finally:
            self._spent_ms += max(self._clock.now_ms() - began_ms, 0)

    def _spend_since(self) -> int:
        now_ms = self._clock.now_ms()
        if not 0 <= now_ms - self._began_ms < self._again_ms:
            self._began_ms, self._spent_ms, self._why = now_ms, 0, ""
        return self._spent_ms
