"""How long something takes, on a machine that others use too."""

from __future__ import annotations

import time
from collections.abc import Callable

_TRIES_MAX = 3
_ROUNDS = 300_000
_ROUNDS_S = 0.015  # what they take on the machine that the promises are measured on


def least_s(
    work: Callable[[], object], enough_s: float, watch: Callable[[], float] = time.process_time
) -> float:
    """Return the least time that some work took, looking again while it is not little enough.

    What others do at the same time only ever adds to it, to processor time as well: caches and
    cores are shared. So the least is nearest to what the work takes. On a slower machine than that
    of the promises, processor time is told as it would be there.
    """
    least = enough_s
    for _ in range(_TRIES_MAX):
        began = watch()
        work()
        least = watch() - began
        if least >= enough_s and watch is time.process_time:
            least /= _slowness()
        if least < enough_s:
            break
    return least


def _slowness() -> float:
    began, total = time.process_time(), 0
    for number in range(_ROUNDS):
        total += number % 7
    return max((time.process_time() - began) / _ROUNDS_S, 1)
