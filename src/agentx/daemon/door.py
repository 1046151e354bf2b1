"""The way to the project's memory and to its jobs, whichever it is today.

Commands and the MCP server come in here. Only the way that is taken is imported: the hatch
or gRPC where a daemon serves, RocksDB where none does; start-up time is a promise. A daemon
that is coming up or going is waited for: it has the store, so a command that went on without
it would only wait for the store instead, and in vain.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from agentx.daemon.limits import (
    DAEMON_ANSWER_MS,
    DAEMON_POLL_MS,
    OTHER_STORE_WAIT_MS,
    PASSING_STORE_WAIT_MS,
    STORE_TURN_MS,
)
from agentx.daemon.presence import Presence, is_served, lock_owner, reachable
from agentx.host.files.plain import exists, remove_tree
from agentx.host.limits import STORE_OPEN_WAIT_MS
from agentx.kernel.errors import (
    AgentXError,
    DaemonUnavailable,
    LockHeld,
    NotFound,
    UnavailableError,
)
from agentx.kernel.paths import DataPaths, StorePaths
from agentx.project.project import Project
from agentx.project.settings import StorageSettings

if TYPE_CHECKING:
    from agentx.daemon.scheduler.door import SchedulerDoor
    from agentx.memory.port import Memory
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
    from agentx.memory.remote import dial  # noqa: PLC0415  see above

    return dial(presence.address, hatch=presence.hatch, project=project)


def open_memory(project: Project, *, wait_ms: int = STORE_OPEN_WAIT_MS) -> Memory:
    """Return the daemon's memory if one serves this store, else open the store here.

    A daemon may come up while the store is waited for, and then has it for good: it is asked.

    Raises: as `find_daemon`, DaemonUnavailable where it is there and answers nothing, and LockHeld
    when another command has the store for too long.
    """
    deadline = time.monotonic() + wait_ms / 1000
    while True:
        left_ms = max(int((deadline - time.monotonic()) * 1000), 0)
        remote = connect(project.store, project=project.id, wait_ms=left_ms)
        if remote is not None:
            if remote.is_answered(max(left_ms, DAEMON_ANSWER_MS)):
                return remote
            with remote:  # nothing is asked of it any more: it is held, or was just killed
                if time.monotonic() > deadline:
                    raise _say_held(project.store)
            time.sleep(DAEMON_POLL_MS / 1000)
            continue
        from agentx.wiring.memory import open_store  # noqa: PLC0415  see above

        try:
            return open_store(project, wait_ms=min(left_ms, STORE_TURN_MS))
        except LockHeld:
            if time.monotonic() > deadline:
                raise


def is_held(paths: StorePaths) -> bool:
    """Tell whether a daemon takes calls and answers none: its process was stopped, or hangs."""
    presence = reachable(paths)
    if presence is None:
        return False
    from agentx.memory.remote import dial  # noqa: PLC0415  see above

    with dial(presence.address, hatch=presence.hatch) as remote:
        if remote.is_answered(DAEMON_ANSWER_MS):
            return False
    return reachable(paths) is not None  # else it was going


def _say_held(paths: StorePaths) -> DaemonUnavailable:
    owner = lock_owner(paths)
    who = f" (process {owner.pid})" if owner is not None else ""
    return DaemonUnavailable(
        f"the daemon{who} does not answer: it may be stopped or hang",
        hint="`agentx daemon stop` ends it; what was captured is kept",
    )


@contextmanager
def open_to_read(
    project: Project, told: Callable[[AgentXError], None] | None = None
) -> Iterator[Memory]:
    """Give the memory of a project to who only reads: where none was ever begun, none is.

    Who is `told` hears why it is the store as it is now. Such a folder gets one for the moment, in
    a place that goes with it: every answer has its shape.
    """
    if has_begun(project):
        with open_or_look(project, told) as memory:
            yield memory
        return
    import tempfile  # noqa: PLC0415  see above

    from agentx.wiring.memory import open_store  # noqa: PLC0415  see above

    folder = Path(tempfile.mkdtemp(prefix="agentx-"))
    data = DataPaths(folder)
    # All of the data folder is elsewhere: nothing may note where a store is that is gone soon.
    passing = replace(
        project,
        environment=replace(project.environment, data=data),
        store=StorePaths(data.root / project.store.root.name),
    )
    try:
        with open_store(passing) as memory:
            yield memory
    finally:
        _take_away(folder)


def _take_away(folder: Path) -> None:
    """Remove a folder in which threads of a store that was closed may still end their files."""
    deadline = time.monotonic() + PASSING_STORE_WAIT_MS / 1000
    while exists(folder) and time.monotonic() < deadline:
        try:
            remove_tree(folder)
        except OSError:
            time.sleep(DAEMON_POLL_MS / 1000)


def open_or_look(project: Project, told: Callable[[AgentXError], None] | None = None) -> Memory:
    """Return the memory of a project; as it is now, where it cannot be written: somebody else
    keeps it for too long, or the disk is full.

    Raises: LockHeld or UnavailableError where there is nothing yet to look at, DataError.
    """
    try:
        return open_memory(project, wait_ms=project.config.section(StorageSettings).wait_ms)
    except (LockHeld, UnavailableError) as error:
        from agentx.wiring.memory import look_into_store  # noqa: PLC0415  see above

        is_had = isinstance(error, LockHeld | DaemonUnavailable)
        with suppress(NotFound, UnavailableError):
            looked = look_into_store(project, is_unwritable=not is_had)
            if told is not None:
                told(error)
            return looked
        raise


def prepare_next(project: Project) -> None:
    """Have what was just kept told to the session that begins next, where no daemon sees to it.

    What cannot be prepared now is kept all the same, and told by whoever can.
    """
    if is_served(project.store):
        return
    wait_ms = project.config.section(StorageSettings).wait_ms
    with suppress(AgentXError), open_memory(project, wait_ms=wait_ms) as memory:
        memory.freshen(wait_ms)


def has_begun(project: Project) -> bool:
    """Tell whether anything of a project is remembered, or waits to be.

    What merely lies in its folder, a stranger's or after `agentx init`, begins nothing.
    """
    if exists(project.store.root):
        return True
    from agentx.capture.spool import Why  # noqa: PLC0415  see above
    from agentx.wiring.spool import open_spool  # noqa: PLC0415  see above

    return any(group.why in (Why.NEXT, Why.EXCLUDED) for group in open_spool(project).survey())


@contextmanager
def open_scheduler(project: Project) -> Iterator[SchedulerDoor]:
    """Give the daemon's scheduler if one serves this store, else the jobs as the disk has them."""
    presence = find_daemon(project.store)
    if presence is None:
        from agentx.daemon.jobs import local_scheduler  # noqa: PLC0415  see above

        yield local_scheduler(project)
        return
    from agentx.daemon.remote import RemoteScheduler  # noqa: PLC0415  see above
    from agentx.memory.wire.connection import connect_to  # noqa: PLC0415  see above

    with closing(connect_to(presence.address)) as connection:
        yield RemoteScheduler(connection)


def open_other(project: Project) -> Memory:
    """Open a store beside the user's own: starting no daemon, and not waiting long for it.

    Raises: LockHeld, DaemonUnavailable, DataError.
    """
    remote = connect(project.store, project=project.id, wait_ms=OTHER_STORE_WAIT_MS)
    if remote is not None:
        return remote
    from agentx.wiring.memory import open_store  # noqa: PLC0415  see above

    return open_store(project, wait_ms=OTHER_STORE_WAIT_MS)
