"""Who was left behind: what a program started that left its session, and whose starter is gone.

On Linux such a process comes to whoever said that it takes orphans in, else to the first process
of the machine, where nobody knows any more whose it was. Elsewhere nobody can say so.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agentx.host.limits import ORPHANS_END_MS

_TAKE_ORPHANS, _TAKES_ORPHANS = 36, 37  # PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER
_ROUND_S = 0.005


@contextmanager
def ending_orphans() -> Iterator[None]:
    """Take in who is left behind while the block runs, and end them all after it.

    In the block this process starts nothing that is to live longer.
    """
    if sys.platform != "linux":
        yield
        return
    library = ctypes.CDLL(None)
    took = ctypes.c_int(0)
    library.prctl(_TAKES_ORPHANS, ctypes.byref(took), 0, 0, 0)
    before = frozenset(_find_children(_list_parents(), os.getpid()))
    library.prctl(_TAKE_ORPHANS, 1, 0, 0, 0)
    try:
        yield
    finally:
        _end_all(before)
        library.prctl(_TAKE_ORPHANS, took.value, 0, 0, 0)


def _end_all(spared: frozenset[int]) -> None:
    until = time.monotonic() + ORPHANS_END_MS / 1000
    while time.monotonic() < until:
        parents, left = _list_parents(), set[int]()
        waiting = set(_find_children(parents, os.getpid())) - spared
        while waiting:  # and whom they started
            left |= waiting
            waiting = {pid for pid, parent in parents.items() if parent in waiting} - left
        if not left:
            return
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(_ROUND_S)  # who is being killed takes a moment to go


def _find_children(parents: dict[int, int], of: int) -> list[int]:
    return [pid for pid, parent in parents.items() if parent == of]


def _list_parents() -> dict[int, int]:
    """Return the parent of each process."""
    found = {}
    with suppress(OSError):
        for each in Path("/proc").iterdir():
            if each.name.isdigit():
                with suppress(OSError, ValueError, IndexError):
                    said = (each / "stat").read_text("utf-8", "replace")
                    # The name in parentheses may hold anything, even parentheses.
                    found[int(each.name)] = int(said.rpartition(")")[2].split()[1])
    return found
