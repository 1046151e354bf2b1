"""What a `.lock` file says, and when it no longer counts.

Other tools write `{pid, timestamp, agent}` only, or leave an empty file when they
die: what is missing is not guessed. A record is stale when

* its process is dead, where host and boot say that its pid means a process here, or
* its timestamp (or, unreadable, the file's own) is more than the stale time away
  from now. In either direction: a clock that was set back must not lock for ever.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import field
from pathlib import Path

from agentx.host.crash import CrashPoint, passing
from agentx.host.files import json_text, plain
from agentx.host.files.disk import write_all
from agentx.host.files.ground import opening_parent
from agentx.host.system import boot_id, host_name, pid_alive, process_id
from agentx.kernel.clock import Millis, from_iso, to_iso
from agentx.kernel.values import frozen

_RECORD_BYTES_MAX = 64 * 1024


@frozen
class Here:
    """Which process this is, and which pids it can tell alive from dead."""

    pid: int = field(default_factory=process_id)
    host: str = field(default_factory=host_name)
    boot: str = field(default_factory=boot_id)
    alive: Callable[[int], bool] = pid_alive


@frozen
class LockRecord:
    """Who holds a lock; what other tools do not write is empty."""

    pid: int
    agent: str
    timestamp_ms: Millis  # the last heartbeat
    acquired_ms: Millis
    nonce: str = ""
    host: str = ""
    boot: str = ""

    def to_bytes(self) -> bytes:
        """Return the file's content."""
        return json_text.line_of(
            {
                "pid": self.pid,
                "timestamp": to_iso(self.timestamp_ms),
                "agent": self.agent,
                "acquired": to_iso(self.acquired_ms),
                "nonce": self.nonce,
                "host": self.host,
                "boot": self.boot,
            }
        )


@frozen
class Sighting:
    """A lock file as it was seen: its record, or None when it cannot be read, and its own time."""

    record: LockRecord | None
    changed_ms: Millis

    def is_stale(self, now_ms: Millis, stale_ms: int, here: Here) -> bool:
        """Tell whether the lock no longer counts."""
        record = self.record
        if record is None:
            return abs(now_ms - self.changed_ms) > stale_ms
        if abs(now_ms - record.timestamp_ms) > stale_ms:
            return True
        ours = bool(record.host) and (record.host, record.boot) == (here.host, here.boot)
        return ours and not here.alive(record.pid)

    def holder(self) -> str:
        """Say who holds it and since when."""
        if self.record is None:
            return f"a process that left no name, since {to_iso(self.changed_ms)}"
        record = self.record
        place = f" on {record.host}" if record.host else ""
        since = to_iso(record.acquired_ms)
        return f"{record.agent or 'somebody'} (process {record.pid}{place}) since {since}"


def look(path: Path) -> Sighting | None:
    """Return what lies at a lock's path; None when nothing does."""
    try:
        with plain.open_to_read(path) as file:
            changed_ms = Millis(os.fstat(file.fileno()).st_mtime_ns // 1_000_000)
            raw = file.read(_RECORD_BYTES_MAX)
    except FileNotFoundError:
        return None
    except OSError:
        found = plain.look(path)
        if found is None:
            return None
        changed_ms = Millis(found.st_mtime_ns // 1_000_000)
        raw = b""
    return Sighting(record=_parse(raw), changed_ms=changed_ms)


def create_record(path: Path, record: LockRecord) -> bool:
    """Lay a record at a name that is free: whoever sees the name sees the whole record.

    Who is killed before that leaves no lock, who is killed after it one whose holder is known to
    be dead. False when the name is not free.

    Raises: OSError; `has_no_links` tells whether the file system cannot do this.
    """

    def fill(file: int) -> None:
        write_all(file, record.to_bytes())
        passing(CrashPoint.LOCK_BEFORE_NAMED)

    with opening_parent(path) as (folder, name):
        temporary = plain.temporary_name(name, record.nonce[:16])
        return plain.create_in(folder, name, 0o600, fill, temporary=temporary)


def replace_record(path: Path, record: LockRecord) -> None:
    """Put a record in the place of another: nobody ever sees the name free or the file torn.

    Not synced: a lock does not outlive the machine's next start.
    """
    with opening_parent(path) as (folder, name):
        plain.replace_in(folder, name, 0o600, lambda file: write_all(file, record.to_bytes()))


def _parse(raw: bytes) -> LockRecord | None:
    try:
        said = json_text.parse_json(raw)
        timestamp_ms = from_iso(said["timestamp"])
        acquired = said.get("acquired")
        return LockRecord(
            pid=int(said["pid"]),
            agent=str(said.get("agent", "")),
            timestamp_ms=timestamp_ms,
            acquired_ms=timestamp_ms if acquired is None else from_iso(acquired),
            nonce=str(said.get("nonce", "")),
            host=str(said.get("host", "")),
            boot=str(said.get("boot", "")),
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return None
