"""Work in lanes: open, finish, merge, fail, retry, reassign; rebase what they were merged into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentx.kernel.ids import shorten_run
from agentx.operations.runs.saying import Saying, check_speaker, refuse_driven
from agentx.operations.runs.write import tell_people
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls
from agentx.runs.choosing.place import Aim
from agentx.runs.model import Happening, Lane, Run
from agentx.runs.replies import LaneTold
from agentx.runs.rules.decide import find_lane
from agentx.wiring.bound.claims import holding, meeting_others
from agentx.wiring.bound.lane_turns import find_push_remote
from agentx.wiring.runs import open_lanes, open_runs
from agentx.wiring.trust.persons_word import require_person


def open_lane(project: Project, by: Saying, caller: WhoCalls | None = None) -> LaneTold:
    """Open a lane: a branch and a folder of its own, for a task if one is named."""
    actor = check_speaker(project, by.actor, caller)
    refuse_driven(project, by.run_id, caller)
    lanes = open_lanes(project, caller=caller)
    if not by.task:
        return lanes.open(by.run_id, actor=actor, lane=by.lane)
    # Refused as the lane itself would be; what it will be called is not known yet.
    probe = Happening(kind="lane-opened", actor=actor, lane="lane", detail={"branch": "lane"})
    with holding(project, Aim(run_id=by.run_id, task=by.task), probe, caller) as remarks:
        done = lanes.open(by.run_id, actor=actor, lane=by.lane, task=by.task)
    return _add_remarks(done, remarks)


def finish_lane(project: Project, by: Saying, caller: WhoCalls | None = None) -> LaneTold:
    """Say that a lane's work is done and committed."""
    actor = check_speaker(project, by.actor, caller)
    refuse_driven(project, by.run_id, caller)
    with meeting_others(project) as remarks:
        done = open_lanes(project, caller=caller).finish(by.run_id, by.lane, actor=actor)
    return _add_remarks(done, remarks)


def merge_lane(
    project: Project,
    by: Saying,
    *,
    before_said: Callable[[], None] | None = None,
    caller: WhoCalls | None = None,
) -> LaneTold:
    """Merge a lane into the work branch, or record the conflict.

    `before_said` is done once git has merged and before an event says so.
    """
    actor = check_speaker(project, by.actor, caller)
    refuse_driven(project, by.run_id, caller)

    def see_person(run: Run, lane: Lane) -> None:
        what = f"that what is left of {lane.id} here is wanted: another checkout has the lane"
        hint = f"agentx run lane merge {lane.id} --run {shorten_run(run.id)}"
        require_person(project, what, hint=hint, caller=caller, about=lane.id)

    with meeting_others(project) as remarks:
        lanes = open_lanes(project, caller=caller)
        done = lanes.merge(
            by.run_id, by.lane, actor=actor, see_person=see_person, before_said=before_said
        )
    tell_people(project, done.told)
    unpushed = () if done.conflict else lanes.tell_unpushed(done.told.run)
    if unpushed and find_push_remote(project):  # who shares the run is told that it is merged
        remarks += unpushed
    return _add_remarks(done, remarks)


def rebase_work(project: Project, by: Saying, *, is_kept: bool = False) -> LaneTold:
    """Put the work branch on top of its base, or record the conflict.

    What must stay as it was pushed (`is_kept`) has its base merged into it.
    """
    actor = check_speaker(project, by.actor)
    done = open_lanes(project).rebase(by.run_id, actor=actor, is_kept=is_kept)
    tell_people(project, done.told)
    return done


def fail_lane(project: Project, by: Saying, reason: str) -> LaneTold:
    """Say that a lane did not work."""
    actor = check_speaker(project, by.actor)
    with meeting_others(project) as remarks:
        done = open_lanes(project).fail(by.run_id, by.lane, reason, actor=actor)
    return _add_remarks(done, remarks)


def retry_lane(project: Project, by: Saying, reason: str = "") -> LaneTold:
    """Try a failed lane again."""
    actor = check_speaker(project, by.actor)
    return _begin_again(
        project,
        by,
        "lane-retried",
        lambda: open_lanes(project).retry(by.run_id, by.lane, actor=actor, reason=reason),
    )


def reassign_lane(project: Project, by: Saying, reason: str = "") -> LaneTold:
    """Give a lane's task to a new lane."""
    actor = check_speaker(project, by.actor)
    return _begin_again(
        project,
        by,
        "lane-reassigned",
        lambda: open_lanes(project).reassign(by.run_id, by.lane, actor=actor, reason=reason),
    )


def _begin_again(project: Project, by: Saying, kind: str, act: Callable[[], LaneTold]) -> LaneTold:
    """Begin work on the task of a lane again, held at the remote first."""
    runs = open_runs(project)
    run, _ = runs.run(runs.which.choose(by.run_id))
    lane = find_lane(run, by.lane)
    if lane.task not in run.tasks or run.tasks[lane.task].over:
        return act()
    detail = {"to": "lane"} if kind == "lane-reassigned" else {}
    probe = Happening(kind=kind, actor=by.actor, lane=lane.id, detail=detail)
    with holding(project, Aim(run_id=run.id, task=lane.task), probe) as remarks:
        done = act()
    return _add_remarks(done, remarks)


def _add_remarks(done: LaneTold, remarks: list[str]) -> LaneTold:
    # That a remote was not reached is said once.
    missed = tuple(f"{each.partition(';')[0]}, " for each in remarks if "was not reached;" in each)
    others = (each for each in done.told.remarks if not (missed and each.startswith(missed)))
    told = replace(done.told, remarks=(*remarks, *others))
    return replace(done, told=told)
