"""The way to the project's memory and to its jobs, whichever it is today.

Only the way that is taken is imported: gRPC where a daemon serves, RocksDB where none does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentx.app.project import Project
from agentx.app.settings import DaemonSettings
from agentx.kernel.limits import DAEMON_IDLE_EXIT_MS
from agentx.surfaces.rpc.client import connect

if TYPE_CHECKING:
    from agentx.app.memory import Memory
    from agentx.app.scheduler import SchedulerDoor


def open_memory(project: Project) -> Memory:
    """Return the daemon's memory if one serves this store, else open the store here."""
    remote = connect(project.store, project=project.id)
    if remote is None and project.config.section(DaemonSettings).autostart:
        from agentx.surfaces.cli.daemon_process import DaemonWish, launch

        launch(project, DaemonWish(idle_exit_ms=DAEMON_IDLE_EXIT_MS))
        remote = connect(project.store, project=project.id)
    if remote is not None:
        return remote
    from agentx.app.local import LocalMemory

    return LocalMemory(project)


@contextmanager
def open_scheduler(project: Project) -> Iterator[SchedulerDoor]:
    """Give the daemon's scheduler if one serves this store, else the jobs as the disk has them."""
    remote = connect(project.store, project=project.id)
    if remote is None:
        from agentx.app.jobs import local_scheduler

        yield local_scheduler(project)
    else:
        with remote:
            yield remote
