"""Which run, lane and task are meant where none is named: where somebody stands decides.

<store>/worktrees/<run>/<lane>/...      the folder of a lane says run, lane and its task
AGENTX_RUN, AGENTX_LANE, AGENTX_TASK    else the environment does
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agentx.kernel.values import frozen
from agentx.runs.paths import WORK_FOLDER, RunNotes

RUN_VARIABLE, LANE_VARIABLE, TASK_VARIABLE = "AGENTX_RUN", "AGENTX_LANE", "AGENTX_TASK"


@frozen
class WorkPlace:
    """What is said of run, lane and task by where somebody stands; empty is not said."""

    run: str = ""
    lane: str = ""
    task: str = ""
    is_said: bool = False  # by the environment, which may name what is not there


@frozen
class Aim:
    """What somebody names: a run, a task, a lane; what is empty is where they stand."""

    run_id: str = ""
    task: str = ""
    lane: str = ""


def find_place(notes: RunNotes, directory: Path, variables: Mapping[str, str]) -> WorkPlace:
    """Return where somebody stands; a folder of a run comes before the environment."""
    said = WorkPlace(
        run=variables.get(RUN_VARIABLE, "").strip(),
        lane=variables.get(LANE_VARIABLE, "").strip(),
        task=variables.get(TASK_VARIABLE, "").strip(),
        is_said=True,
    )
    run, name = _find_folder(notes.worktrees, directory)
    if name and name != WORK_FOLDER:
        return WorkPlace(run=run, lane=name)
    if run and said.run and not run.endswith(said.run):
        return WorkPlace(run=run)
    return WorkPlace(run=run, lane=said.lane, task=said.task) if run else said


def _find_folder(worktrees: Path, directory: Path) -> tuple[str, str]:
    """Return the run and the name of the worktree that a folder is in; empty for none."""
    try:
        below = directory.resolve().relative_to(worktrees.resolve()).parts
    except (ValueError, OSError, RuntimeError):
        return "", ""
    return (below[0], below[1]) if len(below) > 1 else ("", "")
