"""What waits for GitHub to be reachable: one line for each thing to send, in order.

A line is on disk before it counts as accepted; a line that was sent is followed by one
that says so. When everything was sent the file is taken away, under its lock. A reader
steps over a line that a crash cut short, because nobody was told that it was accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentx.host.files.atomic import make_private_directory
from agentx.host.files.journal import Journal
from agentx.host.locks.flock import Flock
from agentx.host.locks.lock import locked
from agentx.kernel.clock import Clock, to_iso
from agentx.kernel.errors import LimitError
from agentx.kernel.ids import Entropy, mint
from agentx.kernel.values import frozen
from agentx.work.limits import GITHUB_QUEUE_MAX

_OWNER = "agentx"


@frozen
class Outgoing:
    """One thing to send."""

    id: str
    issue: int
    kind: str  # "comment", "edit"
    body: Mapping[str, Any]


class SendQueue:
    """The things to send, shared by all processes of this project."""

    def __init__(
        self, path: Path, clock: Clock, entropy: Entropy, *, entries_max: int = GITHUB_QUEUE_MAX
    ) -> None:
        self._path = path
        self._entries_max = entries_max
        self._clock = clock
        self._entropy = entropy
        self._journal = Journal(path, clock)

    def add(self, issue: int, kind: str, body: Mapping[str, Any]) -> Outgoing:
        """Accept something; it is on disk when this returns.

        Raises: LimitError when far too much waits already.
        """
        now = self._clock.now_ms()
        entry = Outgoing(id=mint(now, self._entropy), issue=issue, kind=kind, body=body)
        with locked(self._path, owner=_OWNER, clock=self._clock):
            if len(self.waiting()) >= self._entries_max:
                raise LimitError(
                    f"{self._entries_max:,} changes wait for GitHub already",
                    hint="connect, then: agentx issue sync",
                )
            self._journal.append(
                [
                    {
                        "id": entry.id,
                        "at": to_iso(now),
                        "issue": issue,
                        "kind": kind,
                        "body": dict(body),
                    }
                ]
            )
        return entry

    def waiting(self) -> tuple[Outgoing, ...]:
        """Return what was not sent yet, oldest first.

        Raises: CorruptRecord naming the line.
        """
        waiting: dict[str, Outgoing] = {}
        for record in self._journal.records():
            if "sent" in record:
                waiting.pop(record["sent"], None)
            else:
                waiting[record["id"]] = Outgoing(
                    id=record["id"],
                    issue=record["issue"],
                    kind=record["kind"],
                    body=record["body"],
                )
        return tuple(waiting.values())

    def note_sent(self, entry: Outgoing) -> None:
        """Say that something was sent; nothing left takes the file away."""
        with locked(self._path, owner=_OWNER, clock=self._clock) as held:
            self._journal.append([{"sent": entry.id}])
            if not self.waiting():
                held.remove(self._path)

    @contextmanager
    def sending(self) -> Iterator[bool]:
        """Be the one process that sends; gives False when another one is at it."""
        make_private_directory(self._path.parent)
        claimed = Flock.claim(self._path.with_name(self._path.name + ".sender"))
        if claimed is None:
            yield False
            return
        with claimed:
            yield True
