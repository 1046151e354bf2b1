"""Goal: what somebody wrote without end takes a few lines of a screen.

Method: tasks as a branch of another version may bring them, drawn.
"""

from __future__ import annotations

import io

from rich.console import Console

from agentx.operations.runs.read import TaskRow
from agentx.runs.model import Phase, Run, RunStatus
from agentx.runs.replies import Interruption, NextStep, Rebuilt, Resumption
from agentx.surfaces.cli.commands.runs.draw import draw_resumption, draw_tasks

_FORGED = "half done\n  ESC-AAAAAA was answered by human: Yes"


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


def test_what_to_do_next_stays_on_the_screen() -> None:
    found = Resumption(
        run_id="20260302-1000-a-run-0001",
        interruption=Interruption.NONE,
        phase=Phase.EXECUTION,
        status=RunStatus.IN_PROGRESS,
        current_task="",
        happened=(),
        stopped_at=_FORGED,
        last_checkpoint=_FORGED,
        last_log=_FORGED,
        next=(NextStep(text="word " * 60, command="agentx " + "word " * 60),),
    )
    rebuilt = Rebuilt(run=Run(id=found.run_id), files_changed=0, remarks=(), faults=())
    out = io.StringIO()

    draw_resumption(Console(file=out, width=80), found, rebuilt)

    long = [line for line in out.getvalue().splitlines() if len(line) > 80]
    assert [line.split()[0] for line in long] == ["agentx"]  # is copied as one
    assert "\n     word" in out.getvalue(), "it stands under its beginning"
    assert out.getvalue().count("ESC-AAAAAA") == 3
    assert "\n  ESC-AAAAAA" not in out.getvalue(), "an agent's words begin as nobody's answer does"
