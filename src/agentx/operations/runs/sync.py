"""Runs and a remote: what others pushed is taken in, what is here is pushed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agentx.kernel.clock import to_iso
from agentx.kernel.errors import ConflictError
from agentx.kernel.values import frozen
from agentx.operations.setup.writers import tell_refused
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls
from agentx.wiring.bound.claims import Meeting
from agentx.wiring.bound.run_branch import open_exchange, tell_no_branch
from agentx.wiring.runs import open_lanes, open_runs
from agentx.wiring.trust.persons_word import require_person

_TRIES = 5


@frozen
class Exchanged:
    """What `run sync` did."""

    remote: str
    taken_in: tuple[str, ...]  # runs that are others now
    is_pushed: bool
    commit: str  # where the branch is
    remarks: tuple[str, ...] = ()


def sync_runs(
    project: Project,
    remote: str = "",
    *,
    agrees: Callable[[str], bool],
    says_yes: bool = False,
    caller: WhoCalls | None = None,
) -> Exchanged:
    """Exchange the branch of runs with a remote; the first push there asks a person.

    `agrees` is asked then, with where to; who `says_yes` is heard also where nothing is to push
    yet.

    Raises: NotFound, ConflictError, UnavailableError where the remote is not reached; NotThePerson.
    """
    exchange = open_exchange(project, remote)
    if exchange is None:
        raise tell_no_branch(project)
    taken: dict[str, None] = {}
    name = exchange.remote.name
    meeting = Meeting(project)
    for _ in range(_TRIES):
        taken |= dict.fromkeys(exchange.take_in())
        meeting.prepare(exchange)
        is_ahead = exchange.is_ahead()
        if (is_ahead or says_yes) and not exchange.is_agreed():
            _see_agreed(project, name, f"{name} ({exchange.shown_url})", agrees, caller)
            exchange.agree(to_iso(project.clock.now_ms()))
            if not is_ahead:
                exchange.remarks.append(f"runs are pushed to {name} from now on")
        if not is_ahead or exchange.push():
            return Exchanged(
                remote=name,
                taken_in=tuple(taken),
                is_pushed=is_ahead,
                commit=exchange.find_tip(),
                remarks=(
                    *exchange.remarks,
                    *meeting.tell(),
                    *_bring_work(project),
                    *(_tell_unpushed(project) if exchange.is_agreed() else ()),
                    *tell_refused(project),
                ),
            )
    raise exchange.give_up()


def _bring_work(project: Project) -> Iterator[str]:
    """Fetch the work that runs speak of by now and that is not here; yield what came of it."""
    runs = open_runs(project)
    for run_id in runs.which.list_going():
        run, _ = runs.run(run_id)
        if runs.list_gone(run):
            said = runs.fetch(run_id)
            yield from () if runs.list_gone(run) else said  # who looks at the run is told


def _tell_unpushed(project: Project) -> Iterator[str]:
    """Yield of which runs others read by now what was done here, and do not have that."""
    runs, lanes = open_runs(project), open_lanes(project)
    for run_id in runs.which.list_going():
        run, _ = runs.run(run_id)
        if runs.git.find_work(run_id) != run.git.base_commit:
            yield from lanes.tell_unpushed(run)


def _see_agreed(
    project: Project,
    name: str,
    where: str,
    agrees: Callable[[str], bool],
    caller: WhoCalls | None,
) -> None:
    """See that a person agrees to runs being pushed to a remote.

    Raises: NotThePerson, ConflictError.
    """
    hint = f"agentx run sync {name}"
    require_person(project, f"that runs are pushed to {where}", hint=hint, caller=caller)
    if not agrees(where):
        raise ConflictError(
            f"nothing was pushed to {where}: nobody agreed to it yet",
            hint=f"`agentx run sync {name} --push` says yes; it is asked once",
        )
