"""Which commands a driver runs as checks: those of a person, or that a person approved.

An agent may name checks: in a plan, and by the commands of runs. Those are told, and nobody runs
them before a person says so. Approved here is approved for this machine: it is noted in the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentx.kernel.errors import ConflictError, InvalidValue
from agentx.kernel.ids import shorten_run
from agentx.kernel.text import preview
from agentx.operations.driving.asked import DriveRequest, NewsOf
from agentx.operations.driving.desk import DriveDesk
from agentx.project.project import Project
from agentx.runs.model import Run, Task
from agentx.runs.rules.gates import list_declared
from agentx.wiring.bound.lane_turns import open_approvals

_NAMED_CHARS = 80


def approve_known(desk: DriveDesk) -> None:
    """See that a person at this machine saw every check of a run: an agent may have named it.

    Raises: ConflictError where one of the whole run stays unapproved: nothing would be finished.
    """
    approve(desk, desk.request.checks)
    new = list_unseen(desk.project, desk.run, desk.request)
    if new and desk.request.approve(new):
        approve(desk, new)
    _require(desk, desk.run, list_of_whole(desk.run))


def see_checks(desk: DriveDesk) -> None:
    """See that something says when the work is done, and that a person saw it, before the run is
    taken from who drives it.

    Raises: InvalidValue, ConflictError.
    """
    if desk.request.checks:  # they are declared
        return
    lack = find_lack(desk.run)
    if lack is not None:
        raise lack
    approve_known(desk)


def find_lack(run: Run) -> InvalidValue | None:
    """Return that nothing says when a run's work is done; None where something does."""
    if list_of_whole(run):
        return None
    return InvalidValue(
        "nothing that you or somebody you trust wrote says when the work is done",
        hint="name what must pass: --check 'make test'",
    )


def list_unseen(project: Project, run: Run, request: DriveRequest) -> tuple[str, ...]:
    """Return the checks of a run and its tasks that nobody approved on this machine."""
    known = open_approvals(project, run.id).read().union(request.checks)
    return tuple(each for each in _list_to_run(run, None) if each not in known)


def refuse_unseen(run: Run, request: DriveRequest, check: str, what: str = "") -> ConflictError:
    """Return why a check is not run that nobody saw."""
    return ConflictError(
        f"{what or 'the run'} asks for `{preview(check, _NAMED_CHARS)}`, "
        "which nobody approved on this machine",
        hint="look at it, then: "
        f"agentx run drive {shorten_run(run.id)}{request.say_again()} --approve-checks",
    )


def approve(desk: DriveDesk, checks: Iterable[str]) -> None:
    """Take checks for approved that a person gave, or said yes to."""
    open_approvals(desk.project, desk.run_id).add(checks)


def require_approved(desk: DriveDesk, run: Run, task: Task | None) -> None:
    """See that a person approved what would be run, for a task or for the whole run.

    Raises: ConflictError.
    """
    _require(desk, run, _list_to_run(run, task), "" if task is None else task.id)


def leave_out(desk: DriveDesk, checks: Sequence[str]) -> None:
    """Say which checks of a plan are not run."""
    for each in checks:
        desk.news(NewsOf.PLAN, f"the check `{each}` is left out: nobody approved it")


def list_of_whole(run: Run) -> tuple[str, ...]:
    """Return what the whole run must pass, as far as somebody said it whom this person trusts."""
    return tuple(each for each in run.checks if each not in run.doubted)


def _require(desk: DriveDesk, run: Run, checks: Iterable[str], what: str = "") -> None:
    known = open_approvals(desk.project, desk.run_id).read()
    for each in checks:
        if each not in known:
            raise refuse_unseen(run, desk.request, each, what)


def _list_to_run(run: Run, task: Task | None) -> tuple[str, ...]:
    declared, doubted = list_declared(run, task)
    if task is not None and not task.contract.checks:
        return list_of_whole(run)
    return tuple(each for each in declared if each not in doubted)
