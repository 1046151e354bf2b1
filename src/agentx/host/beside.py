"""A process of ours that works beside this one, and whoever it works for.

    here --a line a job--> a module of ours, run by itself --frames of bytes--> here

It writes nothing but its answers, and ends when nobody asks or listens any more. Whatever
becomes of it nothing is lost: what it did not answer is done here.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

_LENGTH_BYTES = 4
_END_WAIT_S = 5
_PIPE_BYTES = 1024 * 1024  # as much as anybody may ask for
# What is read makes objects by the million and hardly a ring of them: Python would look for
# rings after every 700.
_GARBAGE_OBJECTS = 100_000


class Beside:
    """The process, as whoever started it sees it."""

    def __init__(self, module: str) -> None:
        """Start a module of ours.

        Raises: OSError.
        """
        self._process = subprocess.Popen(
            # A project's own modules must not stand in for ours.
            (sys.executable, "-P", "-m", module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        _widen(self._process.stdout.fileno())

    def ask(self, jobs: Iterable[bytes]) -> None:
        """Hand jobs over, each without a line's end; after the last it may end by itself."""
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as asked:
            for job in jobs:
                asked.write(job + b"\n")
                asked.flush()

    def answers(self) -> Iterator[bytes]:
        """Yield each frame, for as long as whole ones come."""
        assert self._process.stdout is not None
        with suppress(OSError), self._process.stdout as said:
            while len(head := said.read(_LENGTH_BYTES)) == _LENGTH_BYTES:
                size = int.from_bytes(head)
                data = said.read(size)
                if len(data) < size:
                    return
                yield data

    def kill(self) -> None:
        """End it, whatever it is doing."""
        self._process.kill()

    def end(self) -> None:
        """End it, and wait until it is gone."""
        self.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_WAIT_S)


def _widen(pipe: int) -> None:
    """Let a pipe hold much: who reads from it is at work, and gets round to it now and then."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl  # noqa: PLC0415  not everywhere

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def answer_jobs(answer: Callable[[bytes], Iterable[bytes]]) -> None:
    """Answer what is asked for on stdin, until nobody asks any more."""
    # Who is told to stop by the keyboard is who asks; here nothing is to be saved.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(_GARBAGE_OBJECTS)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with suppress(BrokenPipeError):
        for line in sys.stdin.buffer:
            for frame in answer(line):
                out.write(len(frame).to_bytes(_LENGTH_BYTES))
                out.write(frame)
                out.flush()
    with suppress(OSError):
        out.close()
