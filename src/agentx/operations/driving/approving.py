"""Which commands a driver runs as checks: those of a person, or that a person approved.

An agent may name checks: in a plan, and by the commands of runs. Those are told, and nobody runs
them before a person says so. Approved here is approved for this machine: it is noted in the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentx.kernel.errors import ConflictError
from agentx.kernel.ids import shorten_run
from agentx.kernel.text import preview
from agentx.operations.driving.asked import NewsOf
from agentx.operations.driving.desk import DriveDesk
from agentx.runs.model import Run, Task
from agentx.runs.rules.gates import list_declared
from agentx.wiring.bound.lane_turns import open_approvals

_NAMED_CHARS = 80


def approve_known(desk: DriveDesk) -> None:
    """Take the checks that a run has for approved where it is first driven here; later ask a person
    about those that were added since.
    """
    notes, run = open_approvals(desk.project, desk.run_id), desk.run
    named = _list_to_run(run, None)
    if not notes.is_there:
        notes.add(named)
    notes.add(desk.request.checks)
    added = tuple(each for each in named if each not in notes.read())
    if added and desk.request.approve(added):
        notes.add(added)


def approve(desk: DriveDesk, checks: Iterable[str]) -> None:
    """Take checks for approved that a person gave, or said yes to."""
    open_approvals(desk.project, desk.run_id).add(checks)


def require_approved(desk: DriveDesk, run: Run, task: Task | None) -> None:
    """See that a person approved what would be run.

    Raises: ConflictError.
    """
    known = open_approvals(desk.project, desk.run_id).read()
    for each in _list_to_run(run, task):
        if each not in known:
            what = "the run" if task is None else task.id
            short = shorten_run(run.id)
            raise ConflictError(
                f"{what} asks for `{preview(each, _NAMED_CHARS)}`, which nobody approved",
                hint=f"look at it, then: agentx run drive {short} --approve-checks",
            )


def leave_out(desk: DriveDesk, checks: Sequence[str]) -> None:
    """Say which checks of a plan are not run."""
    for each in checks:
        desk.news(NewsOf.PLAN, f"the check `{each}` is left out: nobody approved it")


def _list_to_run(run: Run, task: Task | None) -> tuple[str, ...]:
    declared, doubted = list_declared(run, task)
    found = declared if task is None or task.contract.checks else run.checks
    unsure = doubted if task is None or task.contract.checks else run.doubted
    return tuple(each for each in found if each not in unsure)
