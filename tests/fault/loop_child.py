"""A process in which the loop works until it kills itself, for the fault tests.

    python -m tests.fault.loop_child HOME URL POINT AFTER

It works on issue 1 of HOME/shop, and kills itself the AFTER-th time it passes POINT.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.operations.agents.assignment import RunRequest
from agentx.operations.agents.run import run_agent
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.wiring.memory import open_store
from tests.support.looping import variables_for


def main(home: str, url: str, point: str, after: str) -> None:
    """Work until the end, or the kill."""
    left = int(after)

    def strike() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    crash.arm(CrashPoint(point), strike)
    environment = read_environment(variables_for(Path(home), url))
    project = open_project(Path(home) / "shop", environment)
    request = RunRequest(role="engineer", issue=1, runner="loop")
    run_agent(project, request, lambda: open_store(project))


if __name__ == "__main__":
    main(*sys.argv[1:])
