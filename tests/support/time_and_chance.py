"""A clock that stands still until told, and entropy that counts."""

from __future__ import annotations

import time

from agentx.host.system import SystemClock
from agentx.kernel.clock import Millis

_NAP_MS = 5
START_MS = Millis(1_772_445_600_000)  # 2026-03-02T10:00:00Z


class FakeClock:
    """A clock in the hands of the test."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> Millis:
        """Return the time it was set to."""
        return Millis(self._now_ms)

    def sleep_ms(self, duration_ms: int) -> None:
        """Let time pass at once."""
        self.advance(duration_ms)

    def advance(self, duration_ms: int) -> None:
        """Let time pass."""
        self._now_ms += duration_ms


class Awake(SystemClock):
    """The clock of the machine, which hardly sleeps between two tries."""

    def sleep_ms(self, duration_ms: int) -> None:
        """Let others run, and go on."""
        time.sleep(min(duration_ms, _NAP_MS) / 1000)


class CountingEntropy:
    """Bytes that never come twice, and are the same in every run."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, size: int) -> bytes:
        """Return the next bytes."""
        self._count += 1
        return self._count.to_bytes(size)
