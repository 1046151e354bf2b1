"""The way to the daemon, for commands: cheap when there is none.

gRPC costs a tenth of a second to import, so it is imported only when a daemon
lives. One that is coming up or going is waited for: it has the store, so a command
that went on without it would only wait for the store instead, and in vain.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from agentx.daemon.limits import DAEMON_POLL_MS
from agentx.daemon.presence import Presence, is_served, reachable
from agentx.host.limits import STORE_OPEN_WAIT_MS
from agentx.kernel.errors import DaemonUnavailable
from agentx.kernel.paths import StorePaths

if TYPE_CHECKING:
    from agentx.memory.remote import RemoteMemory


def find_daemon(paths: StorePaths, *, wait_ms: int = STORE_OPEN_WAIT_MS) -> Presence | None:
    """Return where the daemon of a store can be called; None when there is no daemon.

    Raises: DaemonUnavailable when one is coming up or going for longer than `wait_ms`.
    """
    deadline = time.monotonic() + wait_ms / 1000
    while is_served(paths):
        presence = reachable(paths)
        if presence is not None:
            return presence
        if time.monotonic() > deadline:
            raise DaemonUnavailable(
                f"the daemon of {paths.root} is starting or stopping, for too long",
                hint="`agentx daemon stop` ends it for good",
            )
        time.sleep(DAEMON_POLL_MS / 1000)
    return None


def connect(
    paths: StorePaths, *, project: str = "", wait_ms: int = STORE_OPEN_WAIT_MS
) -> RemoteMemory | None:
    """Return the memory that the daemon of a store serves; None when there is no daemon.

    Raises: as `find_daemon`.
    """
    presence = find_daemon(paths, wait_ms=wait_ms)
    if presence is None:
        return None
    from agentx.memory.remote import dial  # noqa: PLC0415  see above: start-up time is a promise

    return dial(presence.address, project=project)
