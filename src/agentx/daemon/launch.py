"""The daemon as a process: how this installation starts it, and what it serves."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agentx.daemon import control
from agentx.daemon.address import tcp
from agentx.daemon.control import Started
from agentx.kernel.paths import runtime_folder
from agentx.kernel.places import are_changed
from agentx.kernel.values import frozen
from agentx.project.project import Project, follow_settings

if TYPE_CHECKING:
    from agentx.daemon.servers import OpenServers


@frozen
class DaemonWish:
    """How a daemon is to run, as the command line says it."""

    listen: str = ""  # HOST:PORT
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    idle_exit_ms: int = 0

    def arguments(self) -> list[str]:
        """Return the wish as arguments of `agentx daemon start`."""
        said = {
            "--tcp": self.listen,
            "--tls-cert": str(self.tls_certificate.absolute()) if self.tls_certificate else "",
            "--tls-key": str(self.tls_key.absolute()) if self.tls_key else "",
            "--idle-exit-ms": str(self.idle_exit_ms) if self.idle_exit_ms else "",
        }
        return [part for name, value in said.items() if value for part in (name, value)]


def launch(project: Project, wish: DaemonWish) -> Started:
    """Start a daemon for a project in the background.

    Raises: DaemonUnavailable.
    """
    command_line = [
        sys.executable,
        "-P",  # a project's own modules must not stand in for ours
        "-m",
        "agentx.surfaces.cli.main",
        "daemon",
        "start",
        "--project",
        str(project.directory),
        "--foreground",
        "--to-log",
        *wish.arguments(),
    ]
    return control.start(project.store, command_line)


def serve(
    project: Project,
    wish: DaemonWish,
    open_servers: OpenServers,
    *,
    log_to_file: bool,
    wish_anew: Callable[[Project], DaemonWish | None] | None = None,
) -> None:
    """Be the daemon of a project until told to stop; `open_servers` brings the servers.

    Where the user's settings change it begins anew by them: what was switched off may not go on in
    a daemon that lives for days. `wish_anew` says how it runs then, or that it does not.

    Raises: LockHeld when there is one.
    """
    from agentx.daemon.life import SET_ANEW  # noqa: PLC0415  only the daemon pays

    now: DaemonWish | None = wish
    while now is not None:
        if _serve_once(project, now, open_servers, log_to_file=log_to_file) != SET_ANEW:
            return
        project = follow_settings(project)
        now = wish_anew(project) if wish_anew is not None else wish


def _serve_once(
    project: Project, wish: DaemonWish, open_servers: OpenServers, *, log_to_file: bool
) -> str:
    from agentx.daemon.jobs import daemon_scheduler  # noqa: PLC0415  only the daemon pays
    from agentx.daemon.life import DaemonPlan, run_daemon  # noqa: PLC0415  only the daemon pays
    from agentx.operations.recall.origins import mark_reply  # noqa: PLC0415  only the daemon pays
    from agentx.operations.recall.recall import recall_for  # noqa: PLC0415  only the daemon pays
    from agentx.operations.recall.section import RECALL  # noqa: PLC0415  only the daemon pays
    from agentx.operations.recall.telling import TELL, tell_for  # noqa: PLC0415  only the daemon pays
    from agentx.wiring.memory import open_store  # noqa: PLC0415  only the daemon pays
    from agentx.wiring.observations import OpenObservations  # noqa: PLC0415  only the daemon pays

    plan = DaemonPlan(
        store=project.store,
        short_folder=runtime_folder(
            project.environment.runtime, Path(tempfile.gettempdir()), os.getuid()
        ),
        tcp=tcp(wish.listen, wish.tls_certificate, wish.tls_key) if wish.listen else None,
        idle_exit_ms=wish.idle_exit_ms,
        log_to_file=log_to_file,
        root=project.root,
        is_set_anew=lambda: are_changed(project.config.stamp),
    )
    with closing(OpenObservations()) as kept:
        return run_daemon(
            plan,
            lambda: open_store(project, keeps_zone=True),
            open_servers,
            clock=project.clock,
            scheduler=lambda memory: daemon_scheduler(project, lambda: nullcontext(memory)),
            mark=partial(mark_reply, project),
            besides=(
                (RECALL, partial(recall_for, project.store)),
                (TELL, partial(tell_for, project.store, kept)),
            ),
        )
