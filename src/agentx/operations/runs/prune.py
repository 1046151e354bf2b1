"""Branches and folders that are left of runs: listed, and taken away on request."""

from __future__ import annotations

from agentx.kernel.errors import ConflictError
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls
from agentx.wiring.bound.leftovers import (
    ask_what_is_pushed,
    find_leftovers,
    prune_leftover,
    tell_why_it_stays,
)
from agentx.wiring.runs import may_git_run_all
from agentx.wiring.trust.git_refusal import require_git
from agentx.wiring.trust.persons_word import require_person


@frozen
class PrunedRow:
    """What is left of a run, and whether it is gone now."""

    run_id: str
    name: str
    is_folder: bool
    why: str
    stays: str = ""  # why it is not taken away


@frozen
class Pruned:
    """What `run prune` took away, and what stays."""

    gone: tuple[PrunedRow, ...]
    kept: tuple[PrunedRow, ...]


def prune_runs(
    project: Project, *, dry_run: bool = False, caller: WhoCalls | None = None
) -> Pruned:
    """Take away branches and folders of runs that are over, where nothing is lost with them.

    Raises: NotThePerson; ConflictError for a repository that is not trusted; UnavailableError, also
        for one that git refuses.
    """
    if not dry_run:
        what = "that branches and folders of runs go"
        require_person(project, what, hint="agentx run prune", caller=caller, about="runs")
    if not dry_run and not may_git_run_all(project):
        raise ConflictError(
            f"{project.root} is not trusted: git would run what its settings name",
            hint="look at them, then say `agentx trust`",
        )
    require_git(project)
    gone: list[PrunedRow] = []
    kept: list[PrunedRow] = []
    leftovers = find_leftovers(project)
    pushed = ask_what_is_pushed(project, leftovers)
    take_away = tell_why_it_stays if dry_run else prune_leftover
    for left in leftovers:
        stays = take_away(project, left, pushed)
        row = PrunedRow(
            run_id=left.run_id, name=left.name, is_folder=left.is_folder, why=left.why, stays=stays
        )
        (kept if stays else gone).append(row)
    return Pruned(gone=tuple(gone), kept=tuple(kept))
