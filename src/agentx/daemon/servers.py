"""What a daemon is handed to be reached: whoever starts it brings the servers.

The daemon says what it offers and where; the servers answer calls until they are told
to stop. So the daemon knows of no protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from agentx.daemon.activity import Activity
from agentx.daemon.address import Tcp
from agentx.daemon.scheduler.door import SchedulerDoor
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.values import frozen
from agentx.memory.port import Memory


@frozen
class Host:
    """The process that serves, as it tells about itself."""

    pid: int
    started_ms: Millis
    clock: Clock
    end: Callable[[], None]  # asks the process to end; returns at once

    def stop(self) -> int:
        """Ask the process to end; return its number. It goes after this returned."""
        self.end()
        return self.pid


@frozen
class Offer:
    """What is to be served, and to whom a call is told."""

    memory: Memory  # safe to use from many threads
    host: Host
    activity: Activity
    scheduler: SchedulerDoor | None = None


@frozen
class Places:
    """Where to listen: on a socket, and on TCP when asked, for who knows the token in a file."""

    socket: Path
    tcp: Tcp | None
    token_file: Path


class Server(Protocol):
    """Answers calls in one place, where it listens already."""

    address: str

    def start(self) -> None:
        """Accept calls."""
        ...

    def refuse_new_calls(self, grace_ms: int) -> None:
        """Accept nothing new; what is in flight may take `grace_ms` more, or less if told again."""
        ...

    def wait_until_ended(self) -> None:
        """Return when no call runs any more; only then may the memory be closed."""
        ...


# The one of the socket, then that of TCP when asked.
OpenServers = Callable[[Offer, Places], Sequence[Server]]
