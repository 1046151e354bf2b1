"""A process for the fault tests to kill while it makes issues or fills the queue for GitHub.

    python -m tests.fault.work_child issues FOLDER
    python -m tests.fault.work_child queue FILE

It prints the number or the id of each thing after it was acknowledged, until it is killed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.paths import ProjectPaths
from agentx.work.model import NewIssue
from agentx.work.store.github.queue import SendQueue
from agentx.work.store.local import LocalIssues

CLOCK = SystemClock()


def main() -> None:
    """Do it until the end."""
    kind, place = sys.argv[1], Path(sys.argv[2])
    if kind == "issues":
        issues = LocalIssues(ProjectPaths(place), CLOCK)
        while True:
            print(issues.create(NewIssue(title="\u2705 made")).number, flush=True)
    queue = SendQueue(place, CLOCK, system_entropy)
    while True:
        entry = queue.add(1, "comment", {"mark": "m", "body": "x" * 2000})
        print(entry.id, flush=True)


if __name__ == "__main__":
    main()
