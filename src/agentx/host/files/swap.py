"""Two folders change places in one step, so that nobody ever finds neither.

Linux and macOS can exchange two names at once. Where a file system cannot, the old one steps aside
first, and for an instant the name is free: whoever looks then finds the newcomer beside, complete.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

from agentx.host.files.disk import refusal_of, sync_directory

_AT_FDCWD = -100
_EXCHANGE_LINUX = 2
_EXCHANGE_MACOS = 2
_CANNOT = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP})


def put_in_place(new: Path, place: Path, aside: Path) -> None:
    """Give a folder its place; what was there goes aside. Durable when it returns.

    Raises: UnavailableError when the disk refuses; everything is then where it was.
    """
    try:
        if not place.exists():
            new.rename(place)
        elif _exchange(new, place):
            new.rename(aside)
        else:
            place.rename(aside)
            new.rename(place)
        for folder in {new.parent, place.parent, aside.parent}:
            sync_directory(folder)
    except OSError as error:
        raise refusal_of(place, error) from error


def _exchange(one: Path, other: Path) -> bool:
    """Let two names change places; tell whether the file system can."""
    names = os.fsencode(one), os.fsencode(other)
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "linux" and hasattr(library, "renameat2"):
        failed = library.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE_LINUX)
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(*names, _EXCHANGE_MACOS)
    else:
        return False
    if not failed:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(other))
