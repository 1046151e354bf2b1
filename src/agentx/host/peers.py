"""Which process is at the other end of a connection on this machine, as the system tells it.

What cannot be read is not there: another user's process, one that has left, or a system that does
not tell.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

Place = tuple[str, int]  # an address and a port

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_NEAR, _FAR, _INODE = 1, 2, 9  # columns of a table


def list_holders(near: Place, far: Place) -> Iterator[int]:
    """Yield the processes that hold the end of a connection that is `near`."""
    inode = _find_inode(_write(near), _write(far))
    if inode:
        wanted = f"socket:[{inode}]"
        yield from (pid for pid in _list_processes() if _holds(pid, wanted))


def _find_inode(near: str, far: str) -> str:
    for table in _TABLES:
        with suppress(OSError):
            for line in Path(table).read_text("ascii", "replace").splitlines()[1:]:
                row = line.split()
                # An address of version 6 that means one of version 4 ends as that does.
                if len(row) > _INODE and row[_NEAR].endswith(near) and row[_FAR].endswith(far):
                    return row[_INODE] if row[_INODE] != "0" else ""
    return ""


def _write(place: Place) -> str:
    """Return an address as the tables have it: in the machine's own order of bytes."""
    [number] = struct.unpack("=I", socket.inet_aton(place[0]))
    return f"{number:08X}:{place[1]:04X}"


def _list_processes() -> Iterator[int]:
    with suppress(OSError):
        yield from (int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208


def _holds(pid: int, wanted: str) -> bool:
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208
            with suppress(OSError):
                if os.readlink(f"/proc/{pid}/fd/{name}") == wanted:  # noqa: PTH115
                    return True
    return False
