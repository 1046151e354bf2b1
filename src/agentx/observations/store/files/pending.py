"""The journal of what was stored and is not in the JSON files yet.

    {"record": "01K...", "op": "store",    "observations": [...]}
    {"record": "01K...", "op": "amend",    "observations": [...]}
    {"record": "01K...", "op": "repeat",   "observations": [...]}
    {"record": "01K...", "op": "remove",   "ids": [...]}
    {"record": "01K...", "op": "recalled", "ids": [...]}

One line an act, synced before the act is acknowledged: what it costs does not depend on how
much is stored. `settle` moves the acts into the files and then empties the journal.

Law: the journal is read *before* the files, and emptied only *after* they hold all of it. So
journal and files together always hold everything. Acts may be applied twice: all but
`recalled` come to the same, and that one is guarded by the mark in the manifest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from agentx.host.crash import CrashPoint, passing
from agentx.host.files.atomic import make_private_directory
from agentx.host.files.disk import unreadable
from agentx.host.files.journal import Journal
from agentx.host.files.plain import look, open_to_read
from agentx.host.limits import JOURNAL_WAIT_MS, LOCK_POLL_MS
from agentx.host.locks.flock import Flock
from agentx.kernel.clock import Clock
from agentx.kernel.errors import LockHeld
from agentx.kernel.ids import Entropy, mint
from agentx.kernel.values import frozen
from agentx.observations.store.records import ObservationRecord, decoder_of


class Act(msgspec.Struct, omit_defaults=True):
    """One line of the journal."""

    record: str
    op: str
    observations: tuple[ObservationRecord, ...] = ()
    ids: tuple[str, ...] = ()


_decode = decoder_of(Act)


@frozen(kw_only=False)
class Seen:
    """What a file looked like."""

    inode: int
    size: int
    changed_ns: int


def look_at(path: Path) -> Seen | None:
    """Return what a file looks like now, or None when there is none."""
    found = look(path)
    return None if found is None else Seen(found.st_ino, found.st_size, found.st_mtime_ns)


class Pending:
    """The journal of one store, as this process knows it."""

    def __init__(self, path: Path, clock: Clock, entropy: Entropy) -> None:
        self.path = path
        self._clock = clock
        self._entropy = entropy
        self._journal = Journal(path, clock)
        self._seen: Seen | None = None
        self._read = 0  # bytes of whole lines that are parsed
        self.acts: list[Act] = []
        self.damaged: list[bytes] = []
        # What the acts say of each observation, in their order; None where it was removed.
        self._said: dict[str, list[tuple[str, ObservationRecord | None]]] = {}

    def append(
        self, op: str, *, observations: Sequence[ObservationRecord] = (), ids: Sequence[str] = ()
    ) -> None:
        """Write an act; return after it is on disk.

        Raises: LockHeld, UnavailableError.
        """
        make_private_directory(self.path.parent)
        act = Act(
            record=mint(self._clock.now_ms(), self._entropy),
            op=op,
            observations=tuple(observations),
            ids=tuple(ids),
        )
        self._journal.append((msgspec.to_builtins(act),))

    def refresh(self) -> bool:
        """Read what is new; tell whether `acts` began anew instead of growing.

        Raises: UnavailableError.
        """
        now = look_at(self.path)
        if now == self._seen:
            return False
        anew = (
            now is None
            or self._seen is None
            or now.inode != self._seen.inode
            or now.size < self._read
            or not self._goes_on()
        )
        if anew:
            self._read = 0
            self.acts = []
            self.damaged = []
            self._said = {}
        self._seen = now
        if now is not None:
            self._parse(self._bytes_from(self._read))
        return anew

    def list_said(self, observation_id: str) -> Sequence[tuple[str, ObservationRecord | None]]:
        """Return what acts say of an observation: what was done, and to what it led."""
        return self._said.get(observation_id, ())

    def size(self) -> int:
        """Return how many bytes the journal has."""
        now = look_at(self.path)
        return 0 if now is None else now.size

    def empty(self) -> bool:
        """Empty the journal if it holds no more than was read here; tell whether it was done.

        Raises: LockHeld, UnavailableError.
        """
        with self.hold() as descriptor:
            return self.empty_held(descriptor)

    def empty_held(self, descriptor: int) -> bool:
        """Empty the journal, as `empty`, while nobody may append."""
        # A torn last line belongs to somebody who died before it was acknowledged.
        if whole_bytes(descriptor) != self._read:
            return False
        os.ftruncate(descriptor, 0)
        os.fsync(descriptor)
        passing(CrashPoint.OBSERVATIONS_JOURNAL_EMPTIED)
        self.refresh()
        return True

    @contextmanager
    def hold(self) -> Iterator[int]:
        """Keep others from appending.

        Raises: LockHeld, UnavailableError.
        """
        waited_ms = 0
        try:
            taken = Flock.claim(self.path)
            while taken is None:
                if waited_ms >= JOURNAL_WAIT_MS:
                    raise LockHeld(
                        f"{self.path}: another process does not let go of it",
                        hint="a process that writes it may be stopped; end it and try again",
                    )
                self._clock.sleep_ms(LOCK_POLL_MS)
                waited_ms += LOCK_POLL_MS
                taken = Flock.claim(self.path)
        except OSError as error:
            raise unreadable(self.path, error) from error
        with taken:
            yield taken.descriptor

    def _goes_on(self) -> bool:
        """Tell whether what was read is still there: it may have been emptied and refilled."""
        if not self.acts:
            return self._read == 0
        head = f'{{"record":"{self.acts[0].record}"'.encode()
        return self._bytes_from(0, len(head)) == head

    def _bytes_from(self, start: int, count: int = -1) -> bytes:
        try:
            with open_to_read(self.path) as file:
                file.seek(start)
                return file.read(count)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise unreadable(self.path, error) from error

    def _parse(self, data: bytes) -> None:
        whole = data.rfind(b"\n") + 1
        for line in data[:whole].split(b"\n")[:-1]:
            try:
                act = _decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                self.damaged.append(line)
                continue
            self.acts.append(act)
            for record in act.observations:
                self._said.setdefault(record.id, []).append((act.op, record))
            for each in act.ids if act.op == "remove" else ():
                self._said.setdefault(each, []).append((act.op, None))
        self._read += whole


def whole_bytes(descriptor: int) -> int:
    """Return where the last whole line of an open file ends."""
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, 0).rfind(b"\n") + 1
