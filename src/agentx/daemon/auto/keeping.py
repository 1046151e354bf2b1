"""Daemons that nobody started by hand: which may run, for how long, and how many.

A hook sends for one where a session begins, asks or ends. It serves the store of the project and
leaves when idle. There is one for a store, whoever sends for it, and at most
`AUTO_DAEMONS_MAX` for a user: each holds one of so many places, and the one that was idle longest
gives its place away. A newer AgentX takes the place of an older one, never the other way, so that
two that are installed do not take turns.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from agentx import __version__
from agentx.daemon.address import private_folder
from agentx.daemon.control import stop
from agentx.daemon.launch import DaemonWish, serve
from agentx.daemon.limits import (
    AUTO_DAEMONS_MAX,
    AUTO_PLACE_WAIT_MS,
    AUTO_REST_MS,
    DAEMON_POLL_MS,
    INHERITED_DESCRIPTORS_MAX,
)
from agentx.daemon.presence import is_served, reachable
from agentx.daemon.servers import OpenServers
from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import exists
from agentx.host.locks.flock import Flock
from agentx.kernel.errors import AgentXError, LockHeld
from agentx.kernel.paths import DataPaths, StorePaths
from agentx.kernel.places import is_no, is_older, origin_of
from agentx.project.project import Project
from agentx.project.settings import DaemonSettings

_MINUTE_MS = 60_000


def serve_for_hooks(find_project: Callable[[], Project], open_servers: OpenServers) -> None:
    """Be the daemon of a project if one is wanted and none is there; return when it has left."""
    leave_behind()
    project = find_project()
    passing = _wish_passing(project)
    if passing is None or not may_serve(project):
        _rest(project)
        return
    wish = replace_older(project.store, passing) if is_served(project.store) else passing
    if wish is None:
        return
    place = take_place(project.data, project.store) if wish.idle_exit_ms else nullcontext()
    with suppress(LockHeld), place:  # somebody else was faster, or nobody makes room
        anew = _wish_passing if wish.idle_exit_ms else None
        serve(project, wish, open_servers, log_to_file=True, wish_anew=anew)


def _wish_passing(project: Project) -> DaemonWish | None:
    """Return how a daemon that a hook sent for runs by the settings; None if none is wanted."""
    settings = project.config.section(DaemonSettings)
    idle_ms = max(settings.idle_minutes, 1) * _MINUTE_MS
    return DaemonWish(idle_exit_ms=idle_ms) if settings.auto else None


def leave_behind() -> None:
    """Let go of what came from the agent CLI: descriptors, how few there may be, the folder."""
    os.closerange(3, INHERITED_DESCRIPTORS_MAX)
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if few < INHERITED_DESCRIPTORS_MAX and few != most:
        enough = min(most, INHERITED_DESCRIPTORS_MAX) if most >= 0 else INHERITED_DESCRIPTORS_MAX
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (enough, most))
    os.chdir("/")


def _rest(project: Project) -> None:
    """Let hooks send for nobody for a while: what keeps us from serving will last."""
    origin = origin_of(str(project.directory), project.environment.project_id)
    note = project.data.spool(origin).called
    with suppress(OSError, AgentXError):
        if exists(note):
            replace_file(note, str(AUTO_REST_MS).encode())


def may_serve(project: Project) -> bool:
    """Tell whether a daemon may run here: on no build server, and in a home that takes it."""
    if not is_no(project.environment.variables.get("CI", "")):
        return False
    folder = project.data.root
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK)


@contextmanager
def take_place(
    data: DataPaths, own: StorePaths, *, wait_ms: int = AUTO_PLACE_WAIT_MS
) -> Iterator[None]:
    """Hold one of the places that there are for daemons; who was idle longest makes room.

    Raises: LockHeld when somebody else serves the store by now, or no place came free in time.
    """
    private_folder(data.places)
    deadline = time.monotonic() + wait_ms / 1000
    while True:
        make_room(data, own)
        for number in range(AUTO_DAEMONS_MAX):
            place = Flock.claim(data.places / f"{number}.lock")
            if place is not None:
                with place:
                    yield
                return
        if is_served(own) or time.monotonic() > deadline:
            raise LockHeld(f"{own.root}: served by now, or no place is free for its daemon")
        time.sleep(DAEMON_POLL_MS / 1000)


def make_room(data: DataPaths, own: StorePaths) -> None:
    """End those that were idle longest, so that with ours there are no more than may be."""
    others = sorted(_list_running(data, own))
    for _, folder in others[: max(len(others) + 1 - AUTO_DAEMONS_MAX, 0)]:
        with suppress(AgentXError):  # it may go by itself just now
            stop(StorePaths(folder))


def make_way(store: StorePaths) -> None:
    """End a daemon that would leave when idle, or is of an older AgentX: for one that is to stay.

    One of a newer AgentX serves on. Raises: DaemonUnavailable.
    """
    presence = reachable(store)
    if presence is None or is_older(__version__, presence.version):
        return
    if presence.leaves_when_idle:
        stop(store)
    else:
        replace_older(store, DaemonWish())


def replace_older(store: StorePaths, passing: DaemonWish) -> DaemonWish | None:
    """End the daemon of an older AgentX; return how its successor runs, None if it is to stay.

    Who was started by hand has a successor that stays as it would have. Who runs in somebody's
    foreground, or listens on TCP, was given more than a successor knows of, and is left alone.
    """
    presence = reachable(store)
    if presence is None or not is_older(presence.version, __version__):
        return None
    if presence.in_foreground or presence.tcp_address:
        return None
    try:
        stop(store)
    except AgentXError:
        return None
    return passing if presence.leaves_when_idle else DaemonWish()


def _list_running(data: DataPaths, own: StorePaths) -> Iterator[tuple[float, Path]]:
    """Yield the stores of the user that a daemon serves by itself, with when it was last needed."""
    for file in data.root.glob("*/daemon.json"):
        paths = StorePaths(file.parent)
        presence = reachable(paths) if paths.root != own.root else None
        if presence is not None and presence.leaves_when_idle:
            with suppress(OSError):
                yield file.stat().st_mtime, paths.root
