"""One holder's dealings with one `.lock` file: the protocol, without any waiting.

    free --create--> held --beat--> held --release--> free
                       |
                       `-- stale --takeover by another--> lost

Laws:

* Takeover, heartbeat, release and the holder's final write happen under an
  operating-system lock on a guard file, and each re-reads the record there. A
  holder that was paused anywhere else finds out that it lost the lock *before*
  it overwrites its successor's work; one paused inside the guard is waited for.
* A lock file is whole when it gets its name, so that nobody waits for one whose
  maker died; only where a file can have no second name it is made and then written.
* The name `<name>.lock` never vanishes during a takeover, so two takers cannot
  both get it.
* Nobody releases a lock whose nonce is not theirs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from agentx.host.crash import CrashPoint, passing
from agentx.host.files.disk import write_all
from agentx.host.files.plain import exists, has_no_links, open_to_write, remove
from agentx.host.limits import LOCK_HEARTBEAT_MS, LOCK_LAST_WAIT_MS, LOCK_STALE_MS
from agentx.host.locks.flock import Flock, is_at
from agentx.host.locks.record import (
    Here,
    LockRecord,
    Sighting,
    create_record,
    look,
    replace_record,
)
from agentx.host.system import process_id, system_entropy
from agentx.kernel.clock import Clock
from agentx.kernel.errors import LockHeld, StaleVersion
from agentx.kernel.values import frozen

_GUARD_POLL_MS = 1


@frozen
class Timing:
    """When a lock is stale and how often its holder says that it lives."""

    stale_ms: int = LOCK_STALE_MS
    heartbeat_ms: int = LOCK_HEARTBEAT_MS


class LockFile:
    """The lock of one file, as one would-be holder sees it."""

    def __init__(
        self,
        path: Path,
        *,
        owner: str,
        clock: Clock,
        timing: Timing,
        here: Here,
    ) -> None:
        self.path = path
        self.timing = timing
        self._lock = path.with_name(path.name + ".lock")
        self._guard = path.with_name(path.name + ".guard.lock")
        self._owner = owner
        self._clock = clock
        self._here = here
        self._record: LockRecord | None = None
        self._holder_pid = 0

    def try_acquire(self) -> bool:
        """Take the lock if it is free or stale.

        Raises: OSError.
        """
        mine = self._new_record()
        if self._create(mine) or self._take_over(mine):
            self._record = mine
            self._holder_pid = process_id()
            return True
        return False

    def beat(self) -> bool:
        """Say that the holder lives; tell whether it still holds.

        Raises: OSError, LockHeld when the guard is not free at this moment.
        """
        try:
            with self._hold_guard(wait_ms=0) as (_, mine):
                refreshed = replace(mine, timestamp_ms=self._clock.now_ms())
                replace_record(self._lock, refreshed)
        except StaleVersion:
            return False
        return True

    @contextmanager
    def committing(self) -> Iterator[None]:
        """Hold the guard for the final write; nobody can take the lock over meanwhile.

        Raises: StaleVersion when the lock was lost, LockHeld when the guard does not come free.
        """
        passing(CrashPoint.LOCK_BEFORE_COMMIT)
        with self._hold_guard():
            passing(CrashPoint.LOCK_IN_GUARD)
            yield

    def release(self) -> None:
        """Give the lock back, if it is still ours.

        Where that cannot be (somebody is stopped inside the guard, the disk refuses) it is left
        behind, to become stale.
        """
        try:
            with self._hold_guard() as (guard, _):
                remove(self._lock)
                guard.remove()
        except (StaleVersion, LockHeld, OSError):
            pass
        finally:
            self._record = None

    def sighting(self) -> Sighting | None:
        """Return who holds the lock now."""
        return look(self._lock)

    def is_free(self) -> bool:
        """Tell whether the lock could be had now."""
        seen = look(self._lock)
        return seen is None or self._counts_no_more(seen)

    def _new_record(self) -> LockRecord:
        now_ms = self._clock.now_ms()
        return LockRecord(
            pid=self._here.pid,
            agent=self._owner,
            timestamp_ms=now_ms,
            acquired_ms=now_ms,
            nonce=system_entropy(16).hex(),
            host=self._here.host,
            boot=self._here.boot,
        )

    def _create(self, mine: LockRecord) -> bool:
        if exists(self._lock):
            return False
        try:
            return create_record(self._lock, mine)
        except OSError as error:
            if not has_no_links(error):
                raise
        return self._create_in_place(mine)

    def _create_in_place(self, mine: LockRecord) -> bool:
        """Make the lock file and then write it, where a file can have one name only."""
        try:
            descriptor = open_to_write(self._lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            return False
        try:
            write_all(descriptor, mine.to_bytes())
            # Whoever paused here too long was taken over; what was written went to no name.
            return is_at(descriptor, self._lock)
        except OSError:
            self._withdraw(descriptor)
            raise
        finally:
            os.close(descriptor)

    def _withdraw(self, descriptor: int) -> None:
        """Take back a lock file that could not be written."""
        guard = Flock.claim(self._guard)
        if guard is None:
            return
        with guard:
            if is_at(descriptor, self._lock):
                remove(self._lock)
            guard.remove()

    def _take_over(self, mine: LockRecord) -> bool:
        if not self._is_stale():
            return False
        passing(CrashPoint.LOCK_BEFORE_TAKEOVER)
        guard = Flock.claim(self._guard)
        if guard is None:
            return False
        with guard:
            if not self._is_stale():
                return False
            passing(CrashPoint.LOCK_IN_GUARD)
            replace_record(self._lock, mine)
        return True

    def _is_stale(self) -> bool:
        seen = look(self._lock)
        return seen is not None and self._counts_no_more(seen)

    def _counts_no_more(self, seen: Sighting) -> bool:
        return seen.is_stale(self._clock.now_ms(), self.timing.stale_ms, self._here)

    @contextmanager
    def _hold_guard(self, wait_ms: int = LOCK_LAST_WAIT_MS) -> Iterator[tuple[Flock, LockRecord]]:
        mine = self._record
        # A forked child has its parent's memory, not its parent's lock.
        if mine is None or self._holder_pid != process_id():
            raise self._loss(look(self._lock))
        with self._wait_for_guard(wait_ms) as guard:
            seen = look(self._lock)
            if seen is None or seen.record is None or seen.record.nonce != mine.nonce:
                if seen is None:
                    guard.remove()
                raise self._loss(seen)
            yield guard, mine

    def _wait_for_guard(self, wait_ms: int) -> Flock:
        waited_ms = 0
        while (guard := Flock.claim(self._guard)) is None:
            if waited_ms >= wait_ms:
                raise LockHeld(
                    f"{self.path}: a process that is changing its lock does not go on",
                    hint="it may be stopped; let it continue or end it, then try again",
                )
            self._clock.sleep_ms(_GUARD_POLL_MS)
            waited_ms += _GUARD_POLL_MS
        return guard

    def _loss(self, seen: Sighting | None) -> StaleVersion:
        now = "nobody holds it now" if seen is None else f"it is held by {seen.holder()}"
        return StaleVersion(
            f"{self.path}: the lock was lost, {now}; nothing was written",
            hint="read the file again and repeat the change",
        )
