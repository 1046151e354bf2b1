"""Goal: in the folder of a lane words alone are of its task, and a slip completes nothing.

Method: a real repository with a lane; somebody stands in its folder.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.errors import NotFound
from agentx.operations.runs.lane import open_lane
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import add_task, start_run, task_step
from agentx.runs.model import Contract, TaskStatus
from tests.support.run_clones import Clones


def test_words_alone_complete_the_task_of_the_lane_and_a_slip_does_not(tmp_path: Path) -> None:
    project = Clones(tmp_path).clone("one")
    start_run(project, "ours", actor="orchestrator")
    add_task(project, Saying(), Contract(title="first"))
    there = replace(project, directory=Path(open_lane(project, Saying(task="TASK-001")).folder))

    for slip in ("TASK-099", "written"):
        with pytest.raises(NotFound, match=f"{slip}: no such task") as said:
            task_step(there, Saying(task=slip), "task-completed", {})
        assert f'agentx run task done TASK-001 "{slip}"' in said.value.hint
    words = "written, with tests"
    with pytest.raises(NotFound):  # who stands elsewhere names the task
        task_step(project, Saying(task=words), "task-completed", {})

    done = task_step(there, Saying(task=words), "task-completed", {}).run.tasks["TASK-001"]

    assert (done.status, done.log[-1].words) == (TaskStatus.COMPLETED, words)
