"""Memory that the allocator keeps though nobody uses it any more: keep little of it, give it back.

The allocator of glibc has an arena for nearly every thread and gives freed memory back only from
the end of one: after a large batch a process stays three times as large as what it holds. Where
there is another allocator nothing is done, or what that one offers.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
from contextlib import suppress

_ARENA_MAX = -8  # `M_ARENA_MAX` of malloc.h
_ARENAS = 2
_KB = 1_024


def keep_few_arenas() -> None:
    """Let all threads share few arenas; for who has not begun any."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


def spare_what_is_here() -> None:
    """Let the collector pass over what is here by now; for who has begun, and keeps most of it."""
    gc.freeze()


def give_back(*, whole: bool = True) -> None:
    """Collect what is garbage and give what is free back to the system.

    Nothing else runs meanwhile. Not `whole`: what was there the last time is passed over, so that
    it is done in no time, and stays if it became garbage since.
    """
    if whole:
        gc.unfreeze()
    gc.collect()
    gc.freeze()
    with suppress(OSError, AttributeError):
        if sys.platform == "darwin":
            ctypes.CDLL(None).malloc_zone_pressure_relief(None, ctypes.c_size_t(0))
        else:
            ctypes.CDLL(None).malloc_trim(ctypes.c_size_t(0))


def measure_bytes() -> int:
    """Return how much memory this process has; the most it ever had where that is not told."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:  # noqa: PTH123  not a file of ours
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * _KB
