"""Waiting for a lock: first come, first served, within bounds, and without trusting the order.

Threads of one process stand in line in memory; then the first of each process
stands in line in `<name>.queue.lock`, a list of waiting processes that is read and
changed under the operating system's lock on that file. Only the head asks for the
lock, so a holder that releases and asks again at once cannot overtake anybody.

The line is a courtesy and never decides who holds. Who died is dropped from it. Who
was stopped does not come when it is called: whoever sees the lock free for a while
drops it and goes first. A list that was torn by a crash begins anew.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentx.host.files import json_text
from agentx.host.files.plain import exists, read_bytes
from agentx.host.limits import LOCK_FIRST_WAIT_MS, LOCK_LAST_WAIT_MS, LOCK_POLL_MS, LOCK_TRIES_MAX
from agentx.host.locks.file import LockFile
from agentx.host.locks.flock import Flock
from agentx.host.locks.record import Here
from agentx.host.system import system_entropy
from agentx.kernel.clock import Clock

# The specified five tries, with waits that double from 200 ms, within five seconds in all.
LOCK_WAIT_MS = min(
    LOCK_LAST_WAIT_MS, sum(LOCK_FIRST_WAIT_MS << number for number in range(LOCK_TRIES_MAX))
)
_HEAD_POLL_MS = 2
# More than that many are too many to keep in order; the rest wait to be let into the line.
_LINE_MAX = 1_000
_LEAVE_TRIES = 200
_LEAVE_PAUSE_SECONDS = 0.001


class Patience:
    """How long one has waited, and how long one will."""

    def __init__(self, clock: Clock, wait_ms: int) -> None:
        self._clock = clock
        self._wait_ms = wait_ms
        self._began_ms = clock.now_ms()
        self._slept_ms = 0

    @property
    def elapsed_ms(self) -> int:
        """The time waited; a clock that was set back does not shorten it."""
        return max(self._slept_ms, self._clock.now_ms() - self._began_ms)

    @property
    def left_ms(self) -> int:
        """The time left to wait."""
        return max(self._wait_ms - self.elapsed_ms, 0)

    def pause(self, poll_ms: int) -> None:
        """Wait about so long; never twice the same, so that pollers do not fall into step."""
        duration_ms = poll_ms // 2 + 1 + system_entropy(1)[0] * poll_ms // 256
        duration_ms = min(duration_ms, max(self.left_ms, 1))
        self._clock.sleep_ms(duration_ms)
        self._slept_ms += duration_ms


class ThreadLine:
    """First come, first served, for the threads of this process."""

    def __init__(self) -> None:
        self._lines: dict[Path, deque[threading.Event]] = {}
        self._lock = threading.Lock()

    def enter(self, path: Path, wait_ms: int) -> bool:
        """Wait to be first; tell whether it came to that in time."""
        turn = threading.Event()
        with self._lock:
            line = self._lines.setdefault(path, deque())
            line.append(turn)
            if line[0] is turn:
                return True
        if turn.wait(wait_ms / 1000):
            return True
        with self._lock:
            if turn.is_set():
                return True
            line.remove(turn)
            return False

    def leave(self, path: Path) -> None:
        """Let the next one be first."""
        with self._lock:
            line = self._lines[path]
            line.popleft()
            if line:
                line[0].set()
            else:
                del self._lines[path]


class ProcessLine:
    """First come, first served, for the processes that wait for one file's lock."""

    def __init__(self, path: Path, here: Here) -> None:
        self._file = path.with_name(path.name + ".queue.lock")
        self._here = here
        self._token = [system_entropy(8).hex(), here.pid, here.host, here.boot]
        self._joined = False

    def is_empty(self) -> bool:
        """Tell whether nobody stands in line."""
        return not exists(self._file)

    def place(self) -> int:
        """Return how many are before us; join the line if need be.

        Looking needs no lock, so that many who wait do not get in each other's way. A look at a
        moment of change may find us missing; then the line is looked at under its lock.
        """
        waiting = self._see()
        if self._token in waiting and not self._is_dead(waiting[0]):
            return waiting.index(self._token)
        with self._changing() as line:
            if line is None:
                return _LINE_MAX
            line[:] = [each for each in line if not self._is_dead(each)]
            if self._token not in line and len(line) < _LINE_MAX:
                line.append(self._token)
                self._joined = True
            return line.index(self._token) if self._token in line else _LINE_MAX

    def drop_head(self) -> None:
        """Drop whoever is first and does not come; if it comes after all, it joins again."""
        with self._changing() as waiting:
            if waiting and waiting[0] != self._token:
                waiting.pop(0)

    def leave(self) -> None:
        """Go out of the line; where somebody was stopped while changing it, it is left as it is."""
        for _ in range(_LEAVE_TRIES):
            if not self._joined:
                return
            with self._changing() as waiting:
                if waiting is not None:
                    self._joined = False
                    waiting[:] = [each for each in waiting if each != self._token]
            if self._joined:
                time.sleep(_LEAVE_PAUSE_SECONDS)

    def _see(self) -> list[list[object]]:
        try:
            return _parse(read_bytes(self._file))
        except FileNotFoundError:
            return []

    @contextmanager
    def _changing(self) -> Iterator[list[list[object]] | None]:
        """Give the line, to be changed in place; None when another process is changing it."""
        held = Flock.claim(self._file)
        if held is None:
            yield None
            return
        with held:
            raw = os.pread(held.descriptor, os.fstat(held.descriptor).st_size, 0)
            waiting = _parse(raw)
            yield waiting
            changed = json_text.line_of(waiting)
            if not waiting:
                held.remove()
            elif changed != raw:
                os.pwrite(held.descriptor, changed, 0)
                os.ftruncate(held.descriptor, len(changed))

    def _is_dead(self, token: list[object]) -> bool:
        match token:
            case [str(), int(pid), self._here.host, self._here.boot]:
                return not self._here.alive(pid)
            case [str(), int(), str(), str()]:
                return False
            case _:
                return True


def ask_in_turn(lock: LockFile, patience: Patience, here: Here) -> bool:
    """Take the lock when it is our turn; False when patience is at its end.

    Raises: OSError.
    """
    line = ProcessLine(lock.path, here)
    if line.is_empty() and lock.try_acquire():
        return True
    try:
        return _stand(line, lock, patience)
    finally:
        line.leave()


def _stand(line: ProcessLine, lock: LockFile, patience: Patience) -> bool:
    free_since_ms: int | None = None
    while True:
        over = patience.left_ms == 0
        before = line.place()
        if (before == 0 or over) and lock.try_acquire():
            return True
        if over:
            return False
        if before == 0 or not lock.is_free():
            free_since_ms = None
        elif free_since_ms is None:
            free_since_ms = patience.elapsed_ms
        elif patience.elapsed_ms - free_since_ms >= LOCK_FIRST_WAIT_MS:
            line.drop_head()
            free_since_ms = None
            if lock.try_acquire():
                return True
        # The nearer to the head, the sooner one must notice that one's turn has come.
        patience.pause(min(_HEAD_POLL_MS * max(before, 1), LOCK_POLL_MS))


def _parse(raw: bytes) -> list[list[object]]:
    try:
        said = json_text.parse_json(raw)
    except ValueError:
        return []
    return [each for each in said if isinstance(each, list)] if isinstance(said, list) else []


_lines = [ThreadLine()]


def thread_line() -> ThreadLine:
    """Return the line of this process's threads."""
    return _lines[0]


def _begin_anew() -> None:
    """Give a forked child its own: those who stood in line are not there."""
    _lines[0] = ThreadLine()


os.register_at_fork(after_in_child=_begin_anew)
