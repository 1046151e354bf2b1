"""Work in lanes: open, finish, merge, fail, retry, reassign; rebase what they were merged into."""

from __future__ import annotations

from agentx.operations.runs.write import Saying, check_speaker, tell_people
from agentx.project.project import Project
from agentx.runs.replies import LaneTold
from agentx.wiring.runs import open_lanes


def open_lane(project: Project, by: Saying) -> LaneTold:
    """Open a lane: a branch and a folder of its own, for a task if one is named."""
    return open_lanes(project).open(
        by.run_id, actor=check_speaker(project, by.actor), lane=by.lane, task=by.task
    )


def finish_lane(project: Project, by: Saying) -> LaneTold:
    """Say that a lane's work is done and committed."""
    return open_lanes(project).finish(by.run_id, by.lane, actor=check_speaker(project, by.actor))


def merge_lane(project: Project, by: Saying) -> LaneTold:
    """Merge a lane into the work branch, or record the conflict."""
    done = open_lanes(project).merge(by.run_id, by.lane, actor=check_speaker(project, by.actor))
    tell_people(project, done.told)
    return done


def rebase_work(project: Project, by: Saying) -> LaneTold:
    """Put the work branch on top of its base, or record the conflict."""
    done = open_lanes(project).rebase(by.run_id, actor=check_speaker(project, by.actor))
    tell_people(project, done.told)
    return done


def fail_lane(project: Project, by: Saying, reason: str) -> LaneTold:
    """Say that a lane did not work."""
    return open_lanes(project).fail(
        by.run_id, by.lane, reason, actor=check_speaker(project, by.actor)
    )


def retry_lane(project: Project, by: Saying, reason: str = "") -> LaneTold:
    """Try a failed lane again."""
    return open_lanes(project).retry(
        by.run_id, by.lane, actor=check_speaker(project, by.actor), reason=reason
    )


def reassign_lane(project: Project, by: Saying, reason: str = "") -> LaneTold:
    """Give a lane's task to a new lane."""
    return open_lanes(project).reassign(
        by.run_id, by.lane, actor=check_speaker(project, by.actor), reason=reason
    )
