"""Lines from a client and to it, over two descriptors that nothing else in this process has.

A line may be long, not endless. Writes are whole, whichever thread makes them; once nobody
reads any more they are dropped, and whoever waits for lines is told that there are none.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterator
from fcntl import F_DUPFD_CLOEXEC, fcntl
from threading import Lock

LINE_BYTES_MAX = 16 * 1024 * 1024
_PIECE = 1 << 16


class TooLong:
    """Stands for a line that was longer than any may be."""


class Lines:
    """Both ways to one client."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._one_writer = Lock()
        self._is_gone = False

    def read(self, wait_s: Callable[[], float]) -> Iterator[bytes | TooLong | None]:
        """Yield each line; None whenever so many seconds brought nothing. Ends with the client."""
        held = bytearray()
        too_long = False
        while True:
            while (end := held.find(b"\n")) >= 0:
                line = bytes(held[:end])
                del held[: end + 1]
                if too_long:
                    too_long = False
                    yield TooLong()
                elif line.strip():
                    yield line
            if len(held) > LINE_BYTES_MAX:
                too_long = True
                held.clear()
            if not select.select([self._reading], [], [], wait_s())[0]:
                if self._is_gone:
                    return
                yield None
                continue
            try:
                piece = os.read(self._reading, _PIECE)
            except BlockingIOError:
                continue
            except OSError:
                return
            if not piece:
                if held.strip() and not too_long:
                    yield bytes(held)
                return
            held += piece

    def is_heard(self) -> bool:
        """Tell whether somebody may still read what is written."""
        ends = select.poll()
        ends.register(self._writing, 0)  # of an end that is gone one is told without asking
        return not self._is_gone and not ends.poll(0)

    def write(self, line: bytes) -> None:
        """Send a whole line, or nothing to who has hung up."""
        with self._one_writer:
            left = memoryview(line)
            while left and not self._is_gone:
                try:
                    left = left[os.write(self._writing, left) :]
                except BlockingIOError:
                    select.select([], [self._writing], [])
                except OSError:
                    self._is_gone = True


def take_over() -> Lines:
    """Return the lines of this process, and keep everybody else off them.

    What the house, a library or a program it starts prints goes to stderr, and none of them
    reads what a client said.

    Raises: OSError when one of the two is closed.
    """
    # Beyond the first three, one of which may be closed.
    reading, writing = (fcntl(known, F_DUPFD_CLOEXEC, 3) for known in (0, 1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        os.dup2(2, 1)
    except OSError:  # nobody hears stderr
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return Lines(reading, writing)
