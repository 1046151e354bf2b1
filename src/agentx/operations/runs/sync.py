"""Runs and a remote: what others pushed is taken in, what is here is pushed."""

from __future__ import annotations

from collections.abc import Callable

from agentx.kernel.clock import to_iso
from agentx.kernel.errors import ConflictError, IllegalTransition, UnavailableError
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls
from agentx.runs.settings import BRANCH
from agentx.wiring.run_exchange import RunExchange, open_exchange
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
    caller: WhoCalls | None = None,
) -> Exchanged:
    """Exchange the branch of runs with a remote; the first push there asks a person.

    `agrees` is asked then, with what would be pushed and where to.

    Raises: NotFound, ConflictError, UnavailableError where the remote is not reached; NotThePerson.
    """
    exchange = open_exchange(project, remote)
    if exchange is None:
        raise IllegalTransition(
            "runs of this repository are committed with its code",
            hint=f"git push and git pull exchange them; `agentx config set runs.branch {BRANCH}` "
            "gives them a branch of their own",
        )
    taken: dict[str, None] = {}
    for _ in range(_TRIES):
        taken |= dict.fromkeys(exchange.take_in())
        if not exchange.is_ahead():
            return _tell(exchange, taken, is_pushed=False)
        _see_agreed(project, exchange, agrees, caller)
        if exchange.push():
            return _tell(exchange, taken, is_pushed=True)
    raise UnavailableError(
        f"{exchange.remote.name} is pushed to all the time", hint="try again in a while"
    )


def _see_agreed(
    project: Project,
    exchange: RunExchange,
    agrees: Callable[[str], bool],
    caller: WhoCalls | None,
) -> None:
    """See that a person agreed once to runs being pushed to a remote.

    Raises: NotThePerson, ConflictError.
    """
    if exchange.is_agreed():
        return
    where = f"{exchange.remote.name} ({exchange.shown_url})"
    hint = f"agentx run sync {exchange.remote.name}"
    require_person(project, f"that runs are pushed to {where}", hint=hint, caller=caller)
    if not agrees(where):
        raise ConflictError(
            f"nothing was pushed to {where}: nobody agreed to it yet",
            hint=f"`agentx run sync {exchange.remote.name} --push` says yes; asked once a remote",
        )
    exchange.agree(to_iso(project.clock.now_ms()))


def _tell(exchange: RunExchange, taken: dict[str, None], *, is_pushed: bool) -> Exchanged:
    return Exchanged(
        remote=exchange.remote.name,
        taken_in=tuple(taken),
        is_pushed=is_pushed,
        commit=exchange.find_tip(),
        remarks=tuple(exchange.remarks),
    )
