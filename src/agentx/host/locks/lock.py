"""Who may change a file: `.lock` files that survive crashes, pauses and other tools.

    with locked(ledger, owner="engineer", clock=clock) as held:
        document = read(ledger)
        ...
        held.write(ledger, changed)

The record beside the file, `<name>.lock`, is written aside, linked if the name is free, and holds
`{pid, timestamp, agent}`, so that any tool that knows the convention takes part.
`lock_record` says what is in it and when it is stale, `lock_file` has the protocol
and its laws, `lock_queue` the waiting, `heartbeat` the sign of life.

Law: what `held.write` wrote, nobody overwrote unread. It writes only if the lock
was never lost in between, and nobody can take the lock over while it writes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from agentx.host.files.atomic import PRIVATE_FILE, replace_file
from agentx.host.files.disk import refusal_of, sync_directory
from agentx.host.files.ground import find_ground, make_folders
from agentx.host.files.plain import remove, rename
from agentx.host.locks.file import LockFile, Timing
from agentx.host.locks.heartbeat import heartbeat
from agentx.host.locks.queue import LOCK_WAIT_MS, Patience, ask_in_turn, thread_line
from agentx.host.locks.record import Here
from agentx.kernel.clock import Clock
from agentx.kernel.errors import LockHeld

_SPECIFIED = Timing()


class Held:
    """The locks that one `with locked(...)` holds."""

    def __init__(self, locks: dict[Path, LockFile], waited_ms: int) -> None:
        self._locks = locks
        self.waited_ms = waited_ms

    def write(self, path: Path, data: bytes, mode: int = PRIVATE_FILE) -> None:
        """Replace a locked file, on disk when this returns.

        Raises: StaleVersion when the lock was lost meanwhile, LockHeld when its guard does not
            come free, UnavailableError when the disk refuses; nothing was written then.
        """
        with self.committing(path):
            replace_file(path, data, mode)

    @contextmanager
    def committing(self, path: Path) -> Iterator[None]:
        """Do what counts only while the lock is ours: nobody can take it over meanwhile.

        Raises: StaleVersion when the lock was lost meanwhile, LockHeld when its guard does not
            come free.
        """
        with self._lock(path).committing():
            yield

    def move(self, path: Path, target: Path) -> None:
        """Rename a locked file within its folder.

        Raises: as `write`.
        """
        with self._lock(path).committing():
            try:
                rename(path, target)
            except OSError as error:
                raise refusal_of(path, error) from error

    def remove(self, path: Path) -> None:
        """Delete a locked file; one that is not there is no error.

        Raises: as `write`.
        """
        with self._lock(path).committing():
            try:
                remove(path)
                sync_directory(path.parent)
            except OSError as error:
                raise refusal_of(path, error) from error

    def _lock(self, path: Path) -> LockFile:
        lock = self._locks.get(_canonical(path))
        assert lock is not None, f"{path} is not among the locked files"
        return lock


@contextmanager
def locked(
    *paths: Path,
    owner: str,
    clock: Clock,
    wait_ms: int = LOCK_WAIT_MS,
    timing: Timing = _SPECIFIED,
) -> Iterator[Held]:
    """Hold the locks of some files, taken in the order of their paths: nobody waits in a circle.

    Raises: LockHeld when they do not come free in time, saying who has them; UnavailableError.
    """
    patience = Patience(clock, wait_ms)
    locks: dict[Path, LockFile] = {}
    here = Here()
    with ExitStack() as stack:
        for path in sorted({_canonical(path) for path in paths}):
            lock = LockFile(path, owner=owner, clock=clock, timing=timing, here=here)
            stack.enter_context(_holding(lock, patience, here))
            locks[path] = lock
        yield Held(locks, patience.elapsed_ms)


@contextmanager
def _holding(lock: LockFile, patience: Patience, here: Here) -> Iterator[None]:
    line = thread_line()
    if not line.enter(lock.path, patience.left_ms):
        raise _say_held(lock)
    try:
        try:
            make_folders(lock.path.parent, private=True)
            if not ask_in_turn(lock, patience, here):
                raise _say_held(lock)
        except OSError as error:
            raise refusal_of(lock.path, error) from error
        heartbeat().add(lock)
        try:
            yield
        finally:
            heartbeat().remove(lock)
            lock.release()
    finally:
        line.leave(lock.path)


def _say_held(lock: LockFile) -> LockHeld:
    seen = lock.sighting()
    who = "others" if seen is None else seen.holder()
    seconds = lock.timing.stale_ms / 1000
    return LockHeld(
        f"{lock.path}: locked by {who}",
        hint=f"try again; the lock of a holder that shows no life for {seconds:g} s is taken over",
    )


def _canonical(path: Path) -> Path:
    """Return the one name of a file, whichever way its folder was named."""
    ground = find_ground(path) or path.parent
    return Path(os.path.realpath(ground)) / path.relative_to(ground)
