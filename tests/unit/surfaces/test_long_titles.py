"""Goal: what somebody wrote without end takes a few lines of a screen.

Method: tasks as a branch of another version may bring them, drawn.
"""

from __future__ import annotations

import io

from rich.console import Console

from agentx.operations.runs.read import TaskRow
from agentx.surfaces.cli.commands.runs.draw import draw_tasks


def test_a_title_without_end_is_cut_in_a_table() -> None:
    row = TaskRow(
        task_id="TASK-001",
        title="word " * 20_000,
        status="PENDING",
        ready=True,
        waits_for=(),
        depends_on=(),
        lane="",
        reason="",
        verdict="",
        stale="",
        checks=(),
        version=1,
        attempts=0,
        last_log="",
    )
    out = io.StringIO()

    draw_tasks(Console(file=out, width=80), (row,))

    assert len(out.getvalue().splitlines()) < 20
    assert "TASK-001" in out.getvalue()
