"""A file whose only use is that the operating system lets one process hold it at a time.

The kernel frees it when its holder dies, however it dies. It may be removed while
held: whoever opened the old file in that moment notices that the name now means
another one, or none, and asks again.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from agentx.host.files.plain import look, open_to_write, remove
from agentx.kernel.values import frozen


@frozen(kw_only=False)
class Flock:
    """A held file. Leaving the `with` block lets go of it."""

    path: Path
    descriptor: int

    @classmethod
    def claim(cls, path: Path) -> Flock | None:
        """Hold the file, or return None at once when another does."""
        while True:
            descriptor = open_to_write(path, os.O_RDWR | os.O_CREAT)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                return None
            if is_at(descriptor, path):
                return cls(path, descriptor)
            os.close(descriptor)

    def remove(self) -> None:
        """Take the file away; to be called while it is held."""
        remove(self.path)

    def release(self) -> None:
        """Let go."""
        # Explicitly: a forked child may have a copy of the descriptor and keep the lock alive.
        fcntl.flock(self.descriptor, fcntl.LOCK_UN)
        os.close(self.descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def is_at(descriptor: int, path: Path) -> bool:
    """Tell whether the open file is the one that the name means now."""
    named = look(path)
    return named is not None and os.path.samestat(os.fstat(descriptor), named)
