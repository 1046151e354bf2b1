"""Who a process is: its number and when it began, so that a recycled number is nobody we know.

Only code that ends a process needs this. A process that has ended and was not
yet reaped by its parent counts as gone.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

from agentx.kernel.values import frozen

_PROC = Path("/proc")


@frozen
class Process:
    """A process, told apart from every other that had or will have its number."""

    pid: int
    began: str  # opaque: equal for the same process only


def this_process() -> Process:
    """Return who we are."""
    return Process(pid=os.getpid(), began=began(os.getpid()))


def is_alive(process: Process) -> bool:
    """Tell whether that very process is still there."""
    return bool(process.began) and began(process.pid) == process.began


def send_signal(process: Process, number: signal.Signals) -> bool:
    """Signal that very process; tell whether it was there to be signalled."""
    if process.pid <= 1:
        return False
    try:
        if hasattr(os, "pidfd_open"):
            # The descriptor pins the process: what is checked below is what is signalled.
            pinned = os.pidfd_open(process.pid)
            try:
                if not is_alive(process):
                    return False
                signal.pidfd_send_signal(pinned, number)
            finally:
                os.close(pinned)
        else:
            if not is_alive(process):
                return False
            os.kill(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def began(pid: int) -> str:
    """Return when a process began, as opaque text; empty when there is no such process."""
    if pid <= 0:
        return ""
    if (_PROC / "self" / "stat").exists():
        return _began_linux(pid)
    return _began_elsewhere(pid)


def _began_linux(pid: int) -> str:
    try:
        stat = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
        boot = (_PROC / "sys" / "kernel" / "random" / "boot_id").read_text("ascii").strip()
    except OSError:
        return ""
    # The name in parentheses may hold anything, even parentheses: count from the last one.
    fields = stat.rpartition(")")[2].split()
    if fields[0] in ("Z", "X"):
        return ""
    return f"{boot}:{fields[19]}"


def _began_elsewhere(pid: int) -> str:
    import subprocess  # noqa: PLC0415  only where there is no /proc, and it takes long to load

    answer = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    state, _, start = answer.stdout.strip().partition(" ")
    return "" if state.startswith("Z") else start.strip()
