"""One thread a process that says, for every lock it holds, that the holder lives.

Most locks are held for milliseconds and never beat: the thread is not woken for them. It starts
with the first lock, and ends when for a while none was held.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

from agentx.host.locks.file import LockFile
from agentx.kernel.errors import LockHeld

_IDLE_SECONDS = 10.0
# It looks by itself so often, while there may be nothing to beat for.
_LOOK_SECONDS = 1.0
# A guard that is busy at this moment will be free in the next.
_AGAIN_SECONDS = 0.05


@dataclass(slots=True)
class _Pulse:
    lock: LockFile
    due: float


class Heartbeat:
    """Keeps locks fresh while they are registered."""

    def __init__(self) -> None:
        self._pulses: dict[int, _Pulse] = {}
        self._changed = threading.Condition()
        self._running = False
        self._wakes_at = 0.0  # when the thread looks again by itself

    def add(self, lock: LockFile) -> None:
        """Begin to beat for a lock."""
        with self._changed:
            due = _next_due(lock)
            self._pulses[id(lock)] = _Pulse(lock, due)
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="lock-heartbeat", daemon=True).start()
            elif due < self._wakes_at:
                self._changed.notify()

    def remove(self, lock: LockFile) -> None:
        """Beat for it no more. A beat that comes too late finds the lock gone and does nothing."""
        with self._changed:
            self._pulses.pop(id(lock), None)

    def _run(self) -> None:
        while (due := self._next()) is not None:
            for pulse in due:
                self._beat(pulse)

    def _next(self) -> list[_Pulse] | None:
        """Wait until some lock's beat is due; None when there was nothing to do for a while."""
        with self._changed:
            ends_at = time.monotonic() + _IDLE_SECONDS
            while (now := time.monotonic()) < ends_at or self._pulses:
                due = [pulse for pulse in self._pulses.values() if pulse.due <= now]
                if due:
                    return due
                if self._pulses:
                    ends_at = now + _IDLE_SECONDS
                looks_at = now + _LOOK_SECONDS
                self._wakes_at = min([looks_at, *(each.due for each in self._pulses.values())])
                self._changed.wait(self._wakes_at - now)
            self._running = False
            return None

    def _beat(self, pulse: _Pulse) -> None:
        try:
            holds = pulse.lock.beat()
        except (OSError, LockHeld):
            pulse.due = time.monotonic() + _AGAIN_SECONDS
            return
        pulse.due = _next_due(pulse.lock)
        if not holds:
            self.remove(pulse.lock)


def _next_due(lock: LockFile) -> float:
    return time.monotonic() + lock.timing.heartbeat_ms / 1000


_hearts = [Heartbeat()]


def heartbeat() -> Heartbeat:
    """Return the heartbeat of this process."""
    return _hearts[0]


def _begin_anew() -> None:
    """Give a forked child its own: it has none of its parent's threads and none of its locks."""
    _hearts[0] = Heartbeat()


os.register_at_fork(after_in_child=_begin_anew)
