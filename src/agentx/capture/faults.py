"""What could not be taken as it should have been: written down for `doctor`, never dropped.

It names files and reasons, and holds no text of a conversation.
"""

from __future__ import annotations

from pathlib import Path

from agentx.host.files.logfile import LogFile, read_records
from agentx.kernel.clock import Clock
from agentx.kernel.values import frozen


@frozen
class CaptureFault:
    """One thing that went wrong."""

    at: str
    kind: str
    file: str
    reason: str


class Faults:
    """The record of one store's faults."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._log = LogFile(path, clock)

    def report(self, kind: str, *, file: str, reason: str) -> None:
        """Write a fault down; this never fails."""
        self._log.record("warning", kind, file=file, reason=reason)

    def newest(self, limit: int) -> tuple[CaptureFault, ...]:
        """Return the newest faults, oldest of them first."""
        return tuple(
            CaptureFault(
                at=str(record.get("time", "")),
                kind=str(record.get("event", "")),
                file=str(record.get("file", "")),
                reason=str(record.get("reason", "")),
            )
            for record in read_records(self._path, limit)
        )
