"""A process that forgets a session, for the fault tests to kill.

    python -m tests.fault.forget_child PROJECT POINT SESSION

It kills itself the first time it passes POINT.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.operations.capture.forget import ForgetRequest, forget
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.wiring.memory import open_store


def main() -> None:
    """Do what the words say."""
    folder, point, session = sys.argv[1:]
    crash.arm(CrashPoint(point), lambda: os.kill(os.getpid(), signal.SIGKILL))
    project = open_project(Path(folder), read_environment())
    with open_store(project) as memory:
        forget(project, memory, ForgetRequest(session_id=session), dry_run=False)


if __name__ == "__main__":
    main()
