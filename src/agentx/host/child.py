"""A program that was started here, and is waited for without looking again and again.

To wait for no longer than some time Python looks after 1 ms, 2, 4 and so on up to 50 whether the
program has ended. Where the system tells of it (Linux), the end is heard as it comes.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from contextlib import suppress

_HEARD_MS_MAX = 24 * 3_600 * 1000  # the system takes no more than some weeks


class Child(subprocess.Popen[bytes]):
    """A program that was started here."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end, as long as that may take; return its code.

        Raises: subprocess.TimeoutExpired.
        """
        if timeout is None or self.returncode is not None:
            return super().wait(timeout)
        until = time.monotonic() + timeout
        with suppress(OSError):  # it is gone already, or no descriptor is left
            _hear_end(self.pid, timeout)
        return super().wait(max(until - time.monotonic(), 0))


def _hear_end(pid: int, timeout_s: float) -> None:
    """Return when a process has ended, or after that time; at once where nobody tells.

    Raises: OSError.
    """
    if not hasattr(os, "pidfd_open"):
        return
    process = os.pidfd_open(pid)
    try:
        hearing = select.poll()
        hearing.register(process, select.POLLIN)
        # A time that is over already is below zero, which would mean for ever.
        hearing.poll(min(max(timeout_s * 1000, 0), _HEARD_MS_MAX))
    finally:
        os.close(process)
