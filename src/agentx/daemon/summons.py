"""What tells a daemon to stop: a signal, or a call.

Both are a byte in a pipe. A signal may come at any moment and to any thread; one
that comes just before a thread goes to sleep on a lock does not wake it, but a
byte in a pipe is still there when the thread looks.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_CALL = 0


class Summons:
    """Wakes the main thread when it is time to stop."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        for end in (self._reader, self._writer):
            os.set_blocking(end, False)

    @classmethod
    @contextmanager
    def listening(cls) -> Iterator[Self]:
        """Let SIGTERM and SIGINT be reasons to stop for as long as the block runs."""
        summons = cls()
        before = {number: signal.signal(number, _leave_to_the_pipe) for number in _SIGNALS}
        woken_before = signal.set_wakeup_fd(summons._writer, warn_on_full_buffer=False)
        try:
            yield summons
        finally:
            signal.set_wakeup_fd(woken_before)
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(summons._reader)
            os.close(summons._writer)

    def call(self) -> None:
        """Ask to stop, from any thread."""
        os.write(self._writer, bytes((_CALL,)))

    def wait(self, wait_ms: int) -> str:
        """Return why it is time to stop, or nothing when that time has passed."""
        ready, _, _ = select.select([self._reader], [], [], wait_ms / 1000)
        for number in os.read(self._reader, 64) if ready else b"":
            if number == _CALL:
                return "asked to stop"
            if number in _SIGNALS:
                return signal.Signals(number).name
        return ""


def _leave_to_the_pipe(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the number of the signal is in the pipe."""
