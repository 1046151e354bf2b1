"""The hatch: how one JSON request and its answer travel over a daemon's second socket.

    request and answer   4 bytes, the length, most significant first; then that many bytes of JSON

One connection carries one request: whoever asks connects, sends, reads and closes, so that
neither end keeps anything between two questions. Every wait has an end and every length a
bound. Standard library only, and little of it: a program whose start is a promise asks here.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

LENGTH_BYTES = 4
_CHUNK_BYTES = 256 * 1024
_BUSY_PAUSE_MS = 5


class HatchClosed(Exception):
    """Nobody listens there: nothing was asked."""


def exchange(path: str, request: bytes, *, wait_ms: int, answer_bytes_max: int) -> bytearray:
    """Ask on the socket at a path; return the answer.

    Raises: HatchClosed when nobody listens, TimeoutError, EOFError when the answer is not whole,
    ValueError when it is longer than it may be, OSError.
    """
    import socket  # noqa: PLC0415  who finds no daemon does not pay for it

    deadline = time.monotonic() + wait_ms / 1000
    with socket.socket(socket.AF_UNIX) as caller:
        _connect(caller, path, deadline)
        send_frame(caller, request, deadline)
        return receive_frame(caller, deadline, answer_bytes_max)


def send_frame(to: socket.socket, payload: bytes, deadline: float) -> None:
    """Send a length and as many bytes.

    Raises: TimeoutError, OSError when the other end is gone.
    """
    to.settimeout(_left(deadline))
    to.sendall(len(payload).to_bytes(LENGTH_BYTES) + payload)


def receive_frame(of: socket.socket, deadline: float, bytes_max: int) -> bytearray:
    """Receive a length and as many bytes.

    Raises: TimeoutError, EOFError when less comes, ValueError when it is more than may be, OSError.
    """
    length = int.from_bytes(_receive(of, LENGTH_BYTES, deadline))
    if length > bytes_max:
        raise ValueError(f"{length:,} bytes are more than {bytes_max:,}")
    return _receive(of, length, deadline)


def _connect(caller: socket.socket, path: str, deadline: float) -> None:
    while True:
        caller.settimeout(_left(deadline))
        try:
            caller.connect(path)
        except BlockingIOError:  # so many wait already that one more cannot
            time.sleep(_BUSY_PAUSE_MS / 1000)
        except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError) as error:
            raise HatchClosed(path) from error
        else:
            return


def _receive(of: socket.socket, length: int, deadline: float) -> bytearray:
    received = bytearray()
    while len(received) < length:
        of.settimeout(_left(deadline))
        some = of.recv(min(length - len(received), _CHUNK_BYTES))
        if not some:
            raise EOFError(f"{len(received):,} of {length:,} bytes came")
        received += some
    return received


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("no time is left")
    return left
