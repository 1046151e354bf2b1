"""`agentx run lane`: work at the same time, each on a branch and in a folder of its own."""

from __future__ import annotations

from typing import Any

import click

from agentx.kernel.errors import ConflictError
from agentx.kernel.text import name_some
from agentx.operations.runs.claiming import take_lane
from agentx.operations.runs.lane import (
    fail_lane,
    finish_lane,
    merge_lane,
    open_lane,
    reassign_lane,
    rebase_work,
    retry_lane,
)
from agentx.operations.runs.read import show_run
from agentx.operations.runs.saying import Saying
from agentx.project.roles.caller import find_caller
from agentx.runs.replies import LaneTold
from agentx.surfaces.cli.commands.runs.options import by_actor, draw_told, of_run, tell
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.surfaces.cli.options import as_person as as_person_option
from agentx.surfaces.cli.render import print_whole


@click.group(cls=VerbGroup)
def lane() -> None:
    """Open, merge and mend the lanes of a run.

    A lane is a branch `agent/<run>/lane-<n>` in a folder of its own, so that several can be
    worked on at once. Your own checkout and branches are never touched.
    """


@lane.command("open")
@click.option("--task", default="", help="The task it is for; it is begun.")
@click.option("--lane", "name", default="", help="Its name; without one the next number.")
@by_actor
@click.pass_obj
def open_one(invocation: Invocation, task: str, name: str, run_id: str, actor: str) -> None:
    """Open a lane: a branch, and a folder to work in."""
    by = Saying(run_id=run_id, actor=actor, task=task, lane=name)
    _tell(invocation, open_lane(invocation.project, by), folder=True)


@lane.command("list")
@of_run
@click.pass_obj
def list_all(invocation: Invocation, run_id: str) -> None:
    """Show the lanes."""
    found = show_run(invocation.project, run_id)
    now_ms = invocation.project.clock.now_ms()

    def draw(screen: Any) -> None:
        from agentx.surfaces.cli.commands.runs.draw import draw_lanes

        draw_lanes(screen, found, now_ms)

    invocation.show({"run_id": found.run_id, "lanes": found.lanes}, draw)


@lane.command("finish")
@click.argument("name", metavar="LANE", required=False, default="")
@by_actor
@click.pass_obj
def finish(invocation: Invocation, name: str, run_id: str, actor: str) -> None:
    """Say that a lane's work is done; all of it must be committed.

    In the lane's folder it need not be named.
    """
    by = Saying(run_id=run_id, actor=actor, lane=name)
    _tell(invocation, finish_lane(invocation.project, by))


@lane.command("merge")
@click.argument("name", metavar="LANE", required=False, default="")
@by_actor
@click.pass_obj
def merge(invocation: Invocation, name: str, run_id: str, actor: str) -> None:
    """Merge a lane into the work branch; in its folder it need not be named.

    A conflict changes nothing in git; it is recorded, a person is asked, and the exit code is 3.
    """
    by = Saying(run_id=run_id, actor=actor, lane=name)
    _tell(invocation, merge_lane(invocation.project, by))


@lane.command("rebase")
@by_actor
@click.pass_obj
def rebase(invocation: Invocation, run_id: str, actor: str) -> None:
    """Put the work branch on top of its base branch; no lane may be open."""
    by = Saying(run_id=run_id, actor=actor)
    _tell(invocation, rebase_work(invocation.project, by))


@lane.command("fail")
@click.argument("name", metavar="LANE")
@click.argument("reason")
@by_actor
@click.pass_obj
def fail(invocation: Invocation, name: str, reason: str, run_id: str, actor: str) -> None:
    """Say that a lane did not work, and why; its branch stays."""
    by = Saying(run_id=run_id, actor=actor, lane=name)
    _tell(invocation, fail_lane(invocation.project, by, reason))


@lane.command("retry")
@click.argument("name", metavar="LANE")
@click.option("--reason", default="")
@by_actor
@click.pass_obj
def retry(invocation: Invocation, name: str, reason: str, run_id: str, actor: str) -> None:
    """Try a failed lane again, from what is on its branch."""
    by = Saying(run_id=run_id, actor=actor, lane=name)
    _tell(invocation, retry_lane(invocation.project, by, reason), folder=True)


@lane.command("take")
@click.argument("name", metavar="LANE")
@as_person_option
@by_actor
@click.pass_obj
def take(invocation: Invocation, name: str, as_person: bool, run_id: str, actor: str) -> None:
    """Move a lane with its commits to this clone: branch, folder and claim.

    Its commits must be pushed. From somebody who holds its task only a person takes it.
    """
    by = Saying(run_id=run_id, actor=actor, lane=name)
    caller = find_caller(invocation.project, as_person=as_person)
    _tell(invocation, take_lane(invocation.project, by, caller), folder=True)


@lane.command("reassign")
@click.argument("name", metavar="LANE")
@click.option("--reason", default="")
@by_actor
@click.pass_obj
def reassign(invocation: Invocation, name: str, reason: str, run_id: str, actor: str) -> None:
    """Give a lane's task to a new lane that begins where the work branch is."""
    by = Saying(run_id=run_id, actor=actor, lane=name)
    _tell(invocation, reassign_lane(invocation.project, by, reason), folder=True)


def _tell(invocation: Invocation, done: LaneTold, *, folder: bool = False) -> None:
    told = done.told
    if done.conflict is not None:
        if not invocation.as_json:
            draw_told(invocation.talk, told)
        what = done.conflict.lane or "the work branch"
        undone = "merged" if done.conflict.lane else "rebased"
        raise ConflictError(
            f"{what} conflicts in {name_some(done.conflict.files)}: it is not {undone}, "
            f"{done.conflict.escalation} asks a person",
            hint="`agentx run resume` says how to go on",
        )
    extra: dict[str, object] = {"folder": done.folder}
    if done.lane is not None:
        extra |= {"lane_id": done.lane.id, "branch": done.lane.branch}
    tell(invocation, told, **extra)
    if folder and not invocation.as_json:
        print_whole(invocation.screen, f"\nwork in: {done.folder}")
