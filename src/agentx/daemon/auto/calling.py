"""Sending for a daemon from a command that left work for one."""

from __future__ import annotations

import subprocess
import sys

from agentx.daemon.auto.keeping import may_serve
from agentx.daemon.presence import is_served
from agentx.project.project import Project
from agentx.project.settings import DaemonSettings


def may_call(project: Project) -> bool:
    """Tell whether a daemon runs, or may be sent for."""
    if is_served(project.store):
        return True
    return project.config.section(DaemonSettings).auto and may_serve(project)


def call_daemon(project: Project) -> bool:
    """See that a daemon runs or is about to, without waiting for it; tell whether one may be."""
    if is_served(project.store):
        return True
    if not may_call(project):
        return False
    command = (sys.executable, "-P", "-m", "agentx.surfaces.cli.main", "daemon", "start")
    subprocess.Popen(
        (*command, "--by-hook", "--project", str(project.directory)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    )
    return True
