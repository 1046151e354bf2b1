"""Start a daemon, stop it, and say how it stands: from another process.

Whether one lives is what the lock says. To stop one it is asked; if it does not
go, it is told; if it still does not go, it is killed, and what it leaves is swept.
Only the very process that took the lock is ever signalled.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from enum import StrEnum

from agentx.daemon.address import private_folder
from agentx.daemon.limits import (
    DAEMON_LOG_TAIL_LINES,
    DAEMON_POLL_MS,
    DAEMON_START_WAIT_MS,
    DAEMON_STOP_WAIT_MS,
)
from agentx.daemon.presence import (
    clear_presence,
    daemon_lock,
    is_served,
    lock_owner,
    reachable,
    read_presence,
)
from agentx.host.limits import LOG_FILE_BYTES_MAX
from agentx.host.process import Process, began, is_alive, send_signal
from agentx.host.system import environment_without
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError, DaemonUnavailable, LockHeld
from agentx.kernel.paths import StorePaths
from agentx.kernel.places import SAID_TO_AGENTS
from agentx.kernel.values import frozen
from agentx.project.config import ROLE_VARIABLE

_LOG_TAIL_BYTES = 16 * 1024


class Condition(StrEnum):
    """How the daemon of a store stands."""

    RUNNING = "running"
    CHANGING = "starting or stopping"  # it lives, and cannot be reached now
    STALE = "stale"  # it was killed and left its files; the next one sweeps them
    STOPPED = "stopped"


@frozen
class DaemonState:
    """The daemon of a store, as seen from outside."""

    condition: Condition
    pid: int = 0
    address: str = ""
    tcp_address: str = ""
    token_file: str = ""
    version: str = ""
    started_ms: Millis | None = None


@frozen
class Started:
    """A daemon that serves; it may have been there before."""

    state: DaemonState
    was_running: bool


class Ending(StrEnum):
    """How a daemon came to its end."""

    NOT_RUNNING = "was not running"
    ASKED = "stopped"
    TOLD = "stopped by a signal"
    KILLED = "killed"


def state(paths: StorePaths) -> DaemonState:
    """Say how the daemon stands, without calling it."""
    if not is_served(paths):
        left = read_presence(paths)
        if left is None:
            return DaemonState(condition=Condition.STOPPED)
        return DaemonState(condition=Condition.STALE, pid=left.pid, address=left.address)
    presence = reachable(paths)
    if presence is None:
        owner = lock_owner(paths)
        return DaemonState(condition=Condition.CHANGING, pid=owner.pid if owner else 0)
    return DaemonState(
        condition=Condition.RUNNING,
        pid=presence.pid,
        address=presence.address,
        tcp_address=presence.tcp_address,
        token_file=presence.token_file,
        version=presence.version,
        started_ms=presence.started_ms,
    )


def start(
    paths: StorePaths, command: Sequence[str], *, wait_ms: int = DAEMON_START_WAIT_MS
) -> Started:
    """Start a daemon in the background and return when it answers.

    `command` runs it in the foreground, with its log going to the daemon's log.

    Raises: DaemonUnavailable with the end of its log when it does not come up.
    """
    deadline = time.monotonic() + wait_ms / 1000
    if state(paths).condition is Condition.RUNNING and _answers(paths):
        return Started(state=state(paths), was_running=True)
    private_folder(paths.root)
    log_from = _ready_log(paths)
    spawned = _spawn(paths, command)
    while time.monotonic() < deadline:
        if state(paths).condition is Condition.RUNNING and _answers(paths):
            now = state(paths)
            if now.pid != spawned.pid:
                # Another start was faster. Ours must not linger and come up after a stop.
                send_signal(spawned, signal.SIGTERM)
                _wait_until(lambda: not is_alive(spawned), DAEMON_STOP_WAIT_MS)
            return Started(state=now, was_running=now.pid != spawned.pid)
        if not is_alive(spawned) and not is_served(paths):
            raise DaemonUnavailable(
                f"the daemon did not come up; its log says:\n{_log_tail(paths, log_from)}",
                hint=f"the whole log: {paths.daemon_log}",
            )
        time.sleep(DAEMON_POLL_MS / 1000)
    send_signal(spawned, signal.SIGKILL)
    raise DaemonUnavailable(
        f"the daemon did not answer within {wait_ms // 1000} s; "
        f"its log says:\n{_log_tail(paths, log_from)}",
        hint=f"the whole log: {paths.daemon_log}",
    )


def stop(paths: StorePaths, *, wait_ms: int = DAEMON_STOP_WAIT_MS) -> Ending:
    """End the daemon and return when it is gone, its files too.

    Raises: DaemonUnavailable when it cannot be ended from here.
    """
    if not is_served(paths):
        _sweep(paths)
        return Ending.NOT_RUNNING
    owner = lock_owner(paths)
    steps: tuple[tuple[Ending, Callable[[], bool], float], ...] = (
        (Ending.ASKED, lambda: _ask(paths), 0.5),
        (Ending.TOLD, lambda: owner is not None and send_signal(owner, signal.SIGTERM), 0.3),
        (Ending.KILLED, lambda: owner is not None and send_signal(owner, signal.SIGKILL), 0.2),
    )
    for ending, take, share in steps:
        if take() and _wait_until(lambda: _is_gone(paths, owner), wait_ms * share):
            _sweep(paths)
            return ending
    if not is_served(paths):
        _sweep(paths)
        return Ending.ASKED
    raise DaemonUnavailable(
        f"the daemon of {paths.root} does not stop",
        hint=f"end process {owner.pid} yourself"
        if owner
        else "end the process that holds its lock",
    )


def _answers(paths: StorePaths) -> bool:
    presence = read_presence(paths)
    if presence is None:
        return False
    from agentx.memory.wire.connection import is_healthy  # noqa: PLC0415  gRPC costs 100 ms: only when one is there

    return is_healthy(presence.address)


def _ask(paths: StorePaths) -> bool:
    """Ask the daemon to stop; tell whether it heard."""
    presence = read_presence(paths)
    if presence is None:
        return False
    from agentx.daemon.remote import STOP  # noqa: PLC0415  as above
    from agentx.memory.wire.connection import connect_to  # noqa: PLC0415  as above

    try:
        with closing(connect_to(presence.address)) as connection:
            connection.ask(STOP)
    except AgentXError:
        return False
    return True


def _is_gone(paths: StorePaths, owner: Process | None) -> bool:
    return not is_served(paths) and (owner is None or not is_alive(owner))


def _wait_until(true: Callable[[], bool], wait_ms: float) -> bool:
    """Wait for something; tell whether it came true in time."""
    deadline = time.monotonic() + wait_ms / 1000
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(DAEMON_POLL_MS / 1000)
    return True


def _sweep(paths: StorePaths) -> None:
    """Remove what a killed daemon left, unless another one has come since, or nothing may be."""
    if not paths.daemon_lock.exists():
        return
    with suppress(LockHeld, OSError), daemon_lock(paths, to_serve=False):
        clear_presence(paths)


def _spawn(paths: StorePaths, command: Sequence[str]) -> Process:
    """Run a command that belongs to nobody: its own session, its parent gone at once."""
    log = os.open(paths.daemon_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        # The shell ends at once and leaves the daemon to init: we never have a child to reap.
        shell = subprocess.run(
            ["/bin/sh", "-c", '"$@" >&2 & echo $!', "sh", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=paths.root,
            env=_list_variables(),
            start_new_session=True,
            check=True,
        )
    finally:
        os.close(log)
    pid = int(shell.stdout)
    return Process(pid=pid, began=began(pid))


def _list_variables() -> dict[str, str]:
    """Return what is said to a daemon: not what makes an agent of whoever sends for it."""
    of_agents = (*SAID_TO_AGENTS, ROLE_VARIABLE)
    said = environment_without("\0").items()
    return {name: value for name, value in said if name not in of_agents}


def _ready_log(paths: StorePaths) -> int:
    """Put a full log aside; return where the next one to write begins."""
    try:
        size = paths.daemon_log.stat().st_size
    except FileNotFoundError:
        return 0
    if size <= LOG_FILE_BYTES_MAX:
        return size
    paths.daemon_log.replace(paths.daemon_log_before)
    return 0


def _log_tail(paths: StorePaths, begin: int) -> str:
    try:
        with paths.daemon_log.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(begin, end - _LOG_TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return "(nothing)"
    return "\n".join(lines[-DAEMON_LOG_TAIL_LINES:]) or "(nothing)"
