"""Calls that take their time: each on a thread, a few at once, and nobody waits for one that
was called off.

A question cannot be stopped in the middle; whoever is about to begin one, or waited for its turn,
asks first whether it is still wanted. What is called off while it works is not answered.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Condition, Thread, local
from typing import TypeVar

Answer = TypeVar("Answer")

_AT_ONCE_MAX = 8
_WAITING_MAX = 1_000
_HEARD_EVERY_S = 0.2

Work = Callable[[], None]
TellFar = Callable[[int, int, str], None]  # so much of so much, in words

_here = local()  # whether what this thread works for is still wanted


class CalledOffError(Exception):
    """The client does not want an answer any more."""


def work_while(
    is_wanted: Callable[[], bool], work: Callable[[], Answer], tell: TellFar | None = None
) -> Answer:
    """Do something that may be called off; who wants to hear how far it is gives a way."""
    _here.is_wanted, _here.tell = is_wanted, tell
    try:
        check_wanted()
        return work()
    finally:
        _here.is_wanted = _here.tell = None


def tell_far(done: int, total: int, message: str) -> None:
    """Say how far the work of this thread is, where its client wants to hear it."""
    tell: TellFar | None = getattr(_here, "tell", None)
    if tell is not None:
        tell(done, total, message)


def check_wanted() -> None:
    """Leave off where what this thread works for was called off.

    Raises: CalledOffError.
    """
    is_wanted = getattr(_here, "is_wanted", None)
    if is_wanted is not None and not is_wanted():
        raise CalledOffError


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

    def finish(self, seconds: float, is_heard: Callable[[], bool]) -> None:
        """Wait until everything is done, but not for long, nor for who hears no answer."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while self._unfinished and is_heard() and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(min(left, _HEARD_EVERY_S))

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
