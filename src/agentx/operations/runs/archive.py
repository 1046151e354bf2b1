"""Pack runs away, and lay them out again."""

from __future__ import annotations

from dataclasses import replace

from agentx.kernel.bus import Say
from agentx.kernel.errors import ConflictError
from agentx.kernel.values import frozen
from agentx.lessons.promotion import Policy
from agentx.operations.lessons.candidates import find_policy
from agentx.operations.lessons.known import name_author
from agentx.project.project import Project
from agentx.runs.rendering import say_doubted_end
from agentx.runs.replies import REOPEN, Archived
from agentx.runs.resuming import name_belief
from agentx.wiring.bound.claims import meeting_others
from agentx.wiring.bound.lane_turns import find_push_remote
from agentx.wiring.runs import open_runs
from agentx.wiring.taught.archive import open_archiving
from agentx.wiring.taught.lessons import open_archive


@frozen
class Cleaned:
    """What `run clean` packed away, and what it left."""

    archived: tuple[Archived, ...]
    kept: int


def archive_run(
    project: Project, run_id: str, *, policy: str = "", told: Say = lambda _step: None
) -> Archived:
    """Take a run's lessons in, note how it went, and pack it away; others know it at once.

    Raises: NotFound, ConflictError while it goes on, or is not over as far as git knows.
    """
    chosen = Policy(policy) if policy else find_policy(project)
    with meeting_others(project) as remarks:
        name = open_runs(project).which.choose_to_see(run_id)
        _check_end(project, name)
        archiving, author = open_archiving(project), name_author(project)
        archiving.sweep()
        done = _left(project, archiving.archive(name, chosen, actor=author, told=told))
    if done.learnt and find_push_remote(project):
        where = project.paths.lessons.relative_to(project.root)
        remarks.append(f"{where} goes with the code: commit and push it, so that others are told")
    return replace(done, remarks=tuple(remarks))


def _check_end(project: Project, run_id: str) -> None:
    """See that a run which counts as over by a stranger's word is so as far as git knows.

    Raises: ConflictError.
    """
    runs = open_runs(project)
    run, _ = runs.run(run_id)
    end = run.doubted_end
    lost = runs.list_unmerged(run) if end is not None and end.counts else ()
    if end is not None and lost:
        raise ConflictError(
            f"{run.id}: {say_doubted_end(run)}, and {lost[0].lane} is not merged: {lost[0].why}",
            hint=f"look at it, then believe them: `{name_belief(end.writer)}`; "
            f"or go on: `{runs.which.complete(REOPEN, run)}`",
        )


def clean_runs(project: Project, *, dry_run: bool = False) -> tuple[Cleaned, tuple[str, ...]]:
    """Pack away every run that has stayed long enough; return what was done and which were due."""
    archiving = open_archiving(project)
    archiving.sweep()
    runs = tuple(open_runs(project).all())
    due = archiving.due(runs, project.clock.now_ms())
    policy = find_policy(project)
    packed = [] if dry_run else [run.id for run in due]
    done = tuple(
        _left(project, archiving.archive(run_id, policy, actor="retention")) for run_id in packed
    )
    kept = len(runs) - len(done)
    return Cleaned(archived=done, kept=kept), tuple(run.id for run in due)


def _left(project: Project, done: Archived) -> Archived:
    """Take away the folders in which the run's lanes were worked on; its branches stay."""
    stay = open_runs(project).git.leave_all(done.run_id)
    kept = tuple(str(folder) for folder in stay)
    return replace(done, folders_kept=kept, folders_why=tuple(stay.values()))


def restore_run(project: Project, run_id: str) -> str:
    """Lay a packed run out again, by its id or the end of it; return its folder.

    Raises: NotFound, InvalidValue, CorruptRecord.
    """
    runs = open_runs(project)
    name = runs.which.choose_packed(run_id)
    folder = open_archive(project).unpack(name)
    runs.rebuild(name)
    return str(folder.relative_to(project.root))
