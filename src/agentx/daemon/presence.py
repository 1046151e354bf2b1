"""How a daemon shows that it is there, and how others see it.

* `daemon.lock`  locked by the operating system for as long as the daemon lives,
                 and so free at the moment it dies, however it dies. It holds who
                 the owner is. It is never removed: a lock on a removed file locks nobody out.
* `daemon.json`  written when the daemon serves, removed when it begins to stop.

Whoever holds the lock may remove what a killed daemon left; nobody else may.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agentx.daemon.limits import DAEMON_LOCK_WAIT_MS
from agentx.host.files.plain import read_text
from agentx.host.limits import LOCK_POLL_MS
from agentx.host.process import Process, is_alive, this_process
from agentx.kernel.clock import Millis
from agentx.kernel.errors import LockHeld
from agentx.kernel.paths import StorePaths
from agentx.kernel.values import frozen
from agentx.memory.wire.address import UNIX

_NOTE_BYTES_MAX = 65_536
# Not blocking: where somebody has put a pipe nobody may wait for its other end.
_LOCK = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@frozen
class Presence:
    """What `daemon.json` says: where the daemon that serves a store can be reached."""

    pid: int
    address: str
    started_ms: Millis
    version: str
    tcp_address: str = ""
    token_file: str = ""
    hatch: str = ""  # the path of the socket that takes JSON; an older daemon has none
    leaves_when_idle: bool = False  # nobody started it by hand
    in_foreground: bool = False  # of a terminal or a service manager, which has it to itself


@frozen(kw_only=False)
class HeldLock:
    """The daemon lock, in our hands."""

    path: Path
    descriptor: int

    def is_still_ours(self) -> bool:
        """Tell whether the lock file is still the one we locked: its folder may be gone."""
        try:
            there = self.path.stat()
        except OSError:
            return False
        ours = os.fstat(self.descriptor)
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


@contextmanager
def daemon_lock(paths: StorePaths, *, to_serve: bool = True) -> Iterator[HeldLock]:
    """Hold the daemon lock of a store, to serve it or only to sweep.

    Raises: LockHeld when another daemon has it.
    """
    # Whoever only looks or sweeps has it for an instant, and that is worth waiting for. A daemon is
    # not: who waited for its end would come up when the user has just stopped it.
    deadline = time.monotonic() + DAEMON_LOCK_WAIT_MS / 1000
    descriptor = os.open(paths.daemon_lock, _LOCK | os.O_RDWR | os.O_CREAT, 0o600)
    try:
        while not _try_lock(descriptor, fcntl.LOCK_EX):
            owner = lock_owner(paths)
            if time.monotonic() > deadline or (owner is not None and is_alive(owner)):
                raise LockHeld(
                    f"{paths.root} is served by a daemon already"
                    + (f", process {owner.pid}" if owner else ""),
                    hint="`agentx daemon status` shows it, `agentx daemon stop` ends it",
                )
            time.sleep(LOCK_POLL_MS / 1000)
        if to_serve:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(asdict(this_process())).encode(), 0)
        yield HeldLock(paths.daemon_lock, descriptor)
        os.ftruncate(descriptor, 0)  # we live on for a moment, and own nothing any more
    finally:
        os.close(descriptor)


def is_served(paths: StorePaths) -> bool:
    """Tell whether a daemon lives, whatever state it is in."""
    try:
        descriptor = os.open(paths.daemon_lock, _LOCK | os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _try_lock(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def lock_owner(paths: StorePaths) -> Process | None:
    """Return who took the lock last."""
    said = _json_object(paths.daemon_lock)
    match said:
        case {"pid": int(pid), "began": str(began)}:
            return Process(pid=pid, began=began)
        case _:
            return None


def read_presence(paths: StorePaths) -> Presence | None:
    """Return what `daemon.json` says; None when there is none or it says nothing usable."""
    said = _json_object(paths.daemon)
    match said:
        case {"pid": int(pid), "address": str(address), "started_ms": int(started_ms)}:
            return Presence(
                pid=pid,
                address=address,
                started_ms=Millis(started_ms),
                version=str(said.get("version", "")),
                tcp_address=str(said.get("tcp_address", "")),
                token_file=str(said.get("token_file", "")),
                hatch=str(said.get("hatch", "")),
                leaves_when_idle=said.get("leaves_when_idle") is True,
                in_foreground=said.get("in_foreground") is True,
            )
        case _:
            return None


def reachable(paths: StorePaths) -> Presence | None:
    """Return where a daemon can be called now; None when there is none, or it comes or goes.

    A daemon that has just taken the lock may not have swept yet what the one before it left, so
    what the file says is held against the lock's owner and against the socket itself.
    """
    presence = read_presence(paths)
    if presence is None or not is_served(paths):
        return None
    owner = lock_owner(paths)
    if owner is not None and owner.pid != presence.pid:
        return None
    return presence if _accepts(presence.hatch or presence.address) else None


def write_presence(paths: StorePaths, presence: Presence) -> None:
    """Say where the daemon can be reached. Only for who holds the lock."""
    said = {
        name: value
        for name, value in asdict(presence).items()
        if value != "" and value is not False
    }
    # Only the holder of the lock writes, so one name for the new file is enough.
    new = paths.daemon.with_suffix(".new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(said, file)
    new.replace(paths.daemon)


def clear_presence(paths: StorePaths) -> None:
    """Remove `daemon.json` and the sockets it names. Only for who holds the lock."""
    presence = read_presence(paths)
    paths.daemon.unlink(missing_ok=True)
    sockets = {paths.socket, paths.hatch}
    if presence is not None and presence.address.startswith(UNIX):
        sockets.add(Path(presence.address.removeprefix(UNIX)))
    if presence is not None and presence.hatch:
        sockets.add(Path(presence.hatch))
    for path in sockets:
        remove_socket(path)


def remove_socket(path: Path) -> None:
    """Remove a socket of ours; leave alone what is something else."""
    with suppress(FileNotFoundError, NotADirectoryError):
        there = path.lstat()
        if stat.S_ISSOCK(there.st_mode) and there.st_uid == os.getuid():
            path.unlink()


def _accepts(address: str) -> bool:
    """Tell whether somebody listens on a socket, even one too busy to answer."""
    import socket  # noqa: PLC0415  every command looks for a daemon, and most find none

    with socket.socket(socket.AF_UNIX) as caller:
        caller.setblocking(False)
        try:
            caller.connect(address.removeprefix(UNIX))
        except BlockingIOError:
            return True
        except OSError:
            return False
    return True


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _json_object(path: Path) -> dict[str, Any]:
    try:
        said = json.loads(read_text(path, bytes_max=_NOTE_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
