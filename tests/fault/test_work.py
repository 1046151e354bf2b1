"""Goal: processes killed while they make issues or queue changes lose nothing acknowledged.

Method: two children at once write as fast as they can and print what was acknowledged; both
are killed, and what is on disk is compared with what they printed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.paths import ProjectPaths
from agentx.work.model import NewIssue
from agentx.work.store.github.queue import SendQueue
from agentx.work.store.local import LocalIssues

ROOT = Path(__file__).parents[2]
ENOUGH = 12


def _acknowledged(kind: str, place: Path) -> list[str]:
    """Let two processes write, kill both, and return what they were told is safe."""
    children = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.fault.work_child", kind, str(place)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for _ in range(2)
    ]
    said: list[str] = []
    for child in children:
        assert child.stdout is not None
        said.extend(child.stdout.readline().strip() for _ in range(ENOUGH))
    for child in children:
        os.kill(child.pid, signal.SIGKILL)
    for child in children:
        rest, _ = child.communicate(timeout=60)
        # A line that was cut short was never heard by anybody.
        said.extend(line.strip() for line in rest.splitlines(keepends=True) if line.endswith("\n"))
    return said


def test_killed_makers_of_issues_lose_none_and_share_no_number(tmp_path: Path) -> None:
    numbers = [int(line) for line in _acknowledged("issues", tmp_path)]
    paths = ProjectPaths(tmp_path)
    issues = LocalIssues(paths, SystemClock())
    kept = {issue.number for issue in issues.all()}

    assert len(numbers) >= 2 * ENOUGH
    assert len(numbers) == len(set(numbers))
    assert set(numbers) <= kept
    assert issues.damaged == []
    # Whoever comes next is held up by no lock of the dead.
    assert issues.create(NewIssue(title="after")).number == max(kept) + 1
    for path in paths.issues.glob("*.json"):
        assert json.loads(path.read_text("utf-8"))["number"] == int(path.stem)


def test_killed_writers_of_the_queue_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "queue.jsonl"
    ids = _acknowledged("queue", path)
    queue = SendQueue(path, SystemClock(), system_entropy)
    waiting = [entry.id for entry in queue.waiting()]

    assert len(ids) == len(set(ids))
    assert set(ids) <= set(waiting)
    queue.add(1, "comment", {})
    assert len(queue.waiting()) == len(waiting) + 1
