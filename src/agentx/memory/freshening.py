"""Taking in what is new for who waits for an answer: while they wait, and no longer.

It is done in a thread of its own, one at a time: whoever asks next waits for the same one. What
is left when nobody waits any more goes on beside the answers, until the memory is closed; then
it leaves off between two steps, each of which is on disk. A step may take long, so who closes
the memory does not wait for it: what remains to be done is done by whoever is last.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread
from time import monotonic

from agentx.kernel.bus import HowFar


class Freshening:
    """What is new, being taken in."""

    def __init__(self, take: Callable[[bool, HowFar], None]) -> None:
        """Take with `take`: for the views too, or not; it tells between two steps how far it is."""
        self._take = take
        self._changing = Lock()
        self._leaving = Event()
        self._thread: Thread | None = None
        self._with_views = False
        self._failure: BaseException | None = None
        self._last: Callable[[], None] | None = None

    def take_in(self, wait_ms: int, *, views: bool) -> bool:
        """Take in what is new, or as much of it as can be in so long; tell whether that was all.

        Raises: whatever went wrong with it meanwhile.
        """
        deadline = monotonic() + wait_ms / 1000
        while (thread := self._start(views=views)) is not None:
            enough = self._with_views or not views
            thread.join(max(0.0, deadline - monotonic()))
            if thread.is_alive():
                return False
            if self._failure is not None:
                raise self._failure
            if enough:
                return True
        return False

    def leave_off(self, then: Callable[[], None]) -> None:
        """Begin no further step, and let `then` be done after the one at work, if one is."""
        with self._changing:
            self._leaving.set()
            if self._thread is not None:
                self._last = then
                return
        then()

    def _start(self, *, views: bool) -> Thread | None:
        """Return the thread at work, a new one if there is none; None after it was left off."""
        with self._changing:
            if self._leaving.is_set():
                return None
            if self._thread is None:
                self._failure, self._with_views = None, views
                self._thread = Thread(target=self._run, name="agentx-fresh", daemon=True)
                self._thread.start()
            return self._thread

    def _run(self) -> None:
        try:
            self._take(self._with_views, self._between_steps)
        except _Parted:
            pass
        except BaseException as error:  # noqa: BLE001  it is raised where somebody waits for it
            self._failure = error
        finally:
            with self._changing:
                self._thread = None
                last = self._last
            if last is not None:
                last()

    def _between_steps(self, _done: int, _total: int) -> None:
        if self._leaving.is_set():
            raise _Parted


class _Parted(Exception):
    """It was told to leave off. Every step before is on disk."""
