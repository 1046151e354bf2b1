"""The doorbell: synchronous, typed, in order, within one process.

A listener's failure is handed to `on_failure` and harms nobody else. The bus is
not a ledger: views catch up from checkpoints, not from here. The last facts told
are kept for a person who asks what just happened.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, TypeVar

Fact = TypeVar("Fact")
Listener = Callable[[Any], None]
OnFailure = Callable[[object, Exception], None]
# How far a long job is: (done, total). It may raise to make the job leave off.
HowFar = Callable[[int, int], None]
Say = Callable[[str], None]  # what a person who waits is told meanwhile


def _ignore(_fact: object, _failure: Exception) -> None:
    """Drop a failure that nobody asked to hear of."""


class Bus:
    """Tells facts to those who listen for their type."""

    def __init__(self, on_failure: OnFailure = _ignore) -> None:
        self._listeners: dict[type[object], list[Listener]] = {}
        self._on_failure = on_failure
        self._lock = RLock()

    def listen(self, kind: type[Fact], listener: Callable[[Fact], None]) -> Callable[[], None]:
        """Call `listener` for every fact of `kind`; return a function that stops it."""
        with self._lock:
            self._listeners.setdefault(kind, []).append(listener)

        def stop() -> None:
            with self._lock:
                heard = self._listeners.get(kind, [])
                if listener in heard:
                    heard.remove(listener)

        return stop

    def tell(self, fact: object) -> None:
        """Tell a fact to the listeners of its type and of its parents, in the order they came."""
        with self._lock:
            heard = [
                listener
                for kind in type(fact).__mro__
                for listener in self._listeners.get(kind, ())
            ]
        for listener in heard:
            try:
                listener(fact)
            except Exception as failure:  # noqa: BLE001  one of the three places: a listener may not break the teller
                self._on_failure(fact, failure)


def unheard(_done: int, _total: int) -> None:
    """Tell nobody how far a job is."""
