"""The machine itself: its time, its randomness, its processes and its name.

Nothing else in the house asks the operating system for these. Code that needs
time or entropy is handed it; this is what the composition root hands over.
"""

from __future__ import annotations

import functools
import os
import time
from pathlib import Path

from agentx.kernel.clock import Millis

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_PID_NAMESPACE = Path("/proc/self/ns/pid")


class SystemClock:
    """The wall clock of this machine."""

    def now_ms(self) -> Millis:
        """Return the time now."""
        return Millis(time.time_ns() // 1_000_000)

    def sleep_ms(self, duration_ms: int) -> None:
        """Wait."""
        time.sleep(max(duration_ms, 0) / 1000)


def system_entropy(count: int) -> bytes:
    """Return random bytes fit for keys and ids."""
    return os.urandom(count)


def process_id() -> int:
    """Return the id of this process, also after a fork."""
    return os.getpid()


@functools.cache
def host_name() -> str:
    """Return the name of this machine."""
    return os.uname().nodename


@functools.cache
def boot_id() -> str:
    """Return what stays the same for as long as a process id means the same process.

    That is the boot, and within it the pid namespace: two containers on one kernel share the
    first and not the second. Empty where the system does not say.
    """
    try:
        boot = _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""
    try:
        namespace = str(_PID_NAMESPACE.readlink())
    except OSError:
        namespace = ""
    return f"{boot} {namespace}".strip()


def pid_alive(pid: int) -> bool:
    """Tell whether a process of this machine lives; one of another user does too.

    One that ended and that nobody has asked after yet does nothing any more.
    """
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return not _has_ended(pid)


def _has_ended(pid: int) -> bool:
    """Tell whether only the name of a process is left; False where the system does not say."""
    try:
        said = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    # After its name, which may hold anything: the state, and 17 words on how many threads it has.
    words = said.rpartition(b")")[2].split()
    return words[:1] in ([b"Z"], [b"X"]) and words[17:18] in ([b"0"], [b"1"])


def environment_without(prefix: str) -> dict[str, str]:
    """Return this process's environment without the variables that begin so: for children."""
    return {n: value for n, value in _read_environment().items() if not n.startswith(prefix)}


_environment: tuple[dict[bytes, bytes], dict[str, str]] = ({}, {})


def _read_environment() -> dict[str, str]:
    """Return this process's environment as texts, which are made anew where it changed."""
    global _environment  # noqa: PLW0603  whoever drives a run asks thousands of times
    said: dict[bytes, bytes] = os.environ._data  # type: ignore[attr-defined]  # noqa: SLF001  as bytes
    known, texts = _environment
    if known != said:
        known, texts = said.copy(), os.environ.copy()
        _environment = known, texts
    return texts
