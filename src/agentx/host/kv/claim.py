"""A store held from outside: nobody opens it while it is looked at, mended and replaced.

RocksDB itself holds the file `LOCK` by a POSIX lock, which is what is taken here. A process loses
such a lock as soon as it closes any descriptor of that file: whoever claims a store must not have
it open.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentx.host.files.atomic import make_private_directory
from agentx.host.files.disk import refusal_of
from agentx.kernel.errors import LockHeld


@contextmanager
def claiming(path: Path) -> Iterator[None]:
    """Let no process open the store in a folder while this is open.

    Raises: LockHeld when one has it open.
    """
    make_private_directory(path)
    try:
        descriptor = os.open(path / "LOCK", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise refusal_of(path, error) from error
    try:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LockHeld(
                f"{path}: the store is open in another process",
                hint="`agentx daemon stop` ends a daemon; wait for other commands to end",
            ) from None
        yield
    finally:
        os.close(descriptor)
