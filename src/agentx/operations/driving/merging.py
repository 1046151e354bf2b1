"""From a lane whose checks passed to the work branch: only what was checked, and all of it."""

from __future__ import annotations

from agentx.operations.driving.asked import NewsOf
from agentx.operations.driving.desk import DriveDesk
from agentx.operations.runs.lane import merge_lane
from agentx.operations.runs.saying import Saying
from agentx.runs.driving.schedule import Move
from agentx.runs.model import Run
from agentx.wiring.runs import open_runs

_WAITS_STILL = "waits for an answer still"


def tell_unchecked(desk: DriveDesk, move: Move, run: Run) -> str:
    """Return why the checks of a lane that passed are not of what would be merged; or nothing."""
    report = run.tasks[move.task].reports[-1]
    if report.dirty:
        return f"while they ran: {', '.join(report.dirty[:3])}"
    return open_runs(desk.project).tell_stale(run, only=move.task).get(move.task, "")


def merge(desk: DriveDesk, move: Move, run: Run) -> None:
    """Merge a lane, and push the work before an event says that it holds the lane.

    Raises: AgentXError where something is in the way; DriveLost.
    """
    desk.drive.require()

    def push() -> None:
        if run.git.work_branch:
            desk.push(run.git.work_branch, task=move.task, lane=move.lane)

    by = Saying(run_id=desk.run_id, lane=move.lane)
    told = merge_lane(desk.project, by, before_said=push)
    if told.conflict is not None:
        text = f"does not go together with the work in {', '.join(told.conflict.files)}"
        desk.news(NewsOf.MERGE, text, task=move.task, lane=move.lane)
        return
    desk.news(NewsOf.MERGE, "merged into the work branch", task=move.task, lane=move.lane)
    for remark in told.told.remarks:
        if not remark.endswith(_WAITS_STILL):  # which was said when it was asked
            desk.news(NewsOf.RUN, remark)
