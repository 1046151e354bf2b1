"""Daemons that nobody started by hand: which may run, for how long, and how many.

A hook sends for one where a session begins or ends. It serves the store of the project and
leaves when idle. There is one for a store, whoever sends for it, and at most
`AUTO_DAEMONS_MAX` for a user: the one that was idle longest goes. A newer AgentX takes the place
of an older one, never the other way, so that two that are installed do not take turns.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agentx import __version__
from agentx.daemon.control import stop
from agentx.daemon.launch import DaemonWish, serve
from agentx.daemon.limits import AUTO_DAEMONS_MAX, INHERITED_DESCRIPTORS_MAX
from agentx.daemon.presence import is_served, reachable
from agentx.daemon.servers import OpenServers
from agentx.kernel.errors import AgentXError, LockHeld
from agentx.kernel.paths import DataPaths, StorePaths
from agentx.project.project import Project
from agentx.project.settings import DaemonSettings

_MINUTE_MS = 60_000


def serve_for_hooks(project: Project, open_servers: OpenServers) -> None:
    """Be the daemon of a project if one is wanted and none is there; return when it has left."""
    leave_behind()
    settings = project.config.section(DaemonSettings)
    if not (settings.auto and may_serve(project)):
        return
    if is_served(project.store) and not _replace_older(project.store):
        return
    make_room(project.data, project.store)
    wish = DaemonWish(idle_exit_ms=settings.idle_minutes * _MINUTE_MS)
    with suppress(LockHeld):  # somebody else was faster
        serve(project, wish, open_servers, log_to_file=True)


def leave_behind() -> None:
    """Let go of what came from the agent CLI: its descriptors, and the folder it is in."""
    os.closerange(3, INHERITED_DESCRIPTORS_MAX)
    os.chdir("/")


def may_serve(project: Project) -> bool:
    """Tell whether a daemon may run here: on no build server, and in a home that takes it."""
    if project.environment.variables.get("CI"):
        return False
    folder = project.data.root
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK)


def make_room(data: DataPaths, own: StorePaths) -> None:
    """End those that were idle longest, so that with ours there are no more than may be."""
    others = sorted(_list_running(data, own))
    for _, folder in others[: max(len(others) + 1 - AUTO_DAEMONS_MAX, 0)]:
        with suppress(AgentXError):  # it may go by itself just now
            stop(StorePaths(folder))


def is_older(version: str, than: str) -> bool:
    """Tell whether a version comes before another; one that cannot be read comes before none."""
    try:
        one, other = (tuple(map(int, each.split("."))) for each in (version, than))
    except ValueError:
        return False
    return one < other


def _replace_older(store: StorePaths) -> bool:
    """End the daemon of an older AgentX; tell whether the store is free now."""
    presence = reachable(store)
    if presence is None or not is_older(presence.version, __version__):
        return False
    try:
        stop(store)
    except AgentXError:
        return False
    return True


def _list_running(data: DataPaths, own: StorePaths) -> Iterator[tuple[float, Path]]:
    """Yield the stores of the user that a daemon serves by itself, with when it was last needed."""
    for file in data.root.glob("*/daemon.json"):
        paths = StorePaths(file.parent)
        presence = reachable(paths) if paths.root != own.root else None
        if presence is not None and presence.leaves_when_idle:
            with suppress(OSError):
                yield file.stat().st_mtime, paths.root
