"""The verb by which a person goes on without a commit that is gone for good."""

from __future__ import annotations

from dataclasses import replace

from agentx.kernel.errors import IllegalTransition, NotFound
from agentx.kernel.roles import PERSON_ROLE
from agentx.runs.model import Happening, RunEvent
from agentx.runs.replies import Told
from agentx.runs.service import Runs
from agentx.runs.store.git_shared import find_instead, has_commit, list_named
from agentx.runs.store.run_store import OpenRun
from agentx.runs.store.shared.fetching import check_reached

_SHORT = 10


def give_up_commit(runs: Runs, run_id: str, commit: str, *, via: str) -> Told:
    """Go on without a commit, from the branches as they are; what it merged is open again.

    Raises: NotFound where no event names it, IllegalTransition where it is here, UnavailableError
        where it may lie at a remote that was not reached, or beyond a shallow clone.
    """
    name = runs.which.choose(run_id)
    check_reached(runs.git.root, runs.run(name)[0])
    runs.fetch(name)  # it may be pushed meanwhile

    def work(desk: OpenRun) -> tuple[RunEvent, ...]:
        root = runs.git.root
        meant = [each for each in list_named(desk.run) if each.commit.startswith(commit.lower())]
        if not meant or len(commit) < _SHORT:
            raise NotFound(
                f"{commit}: {name} stands on no such commit",
                hint=f"`agentx run show {name}` names those that are not here",
            )
        here = next((each for each in meant if has_commit(root, each.commit)), None)
        if here is not None:
            raise IllegalTransition(
                f"{here.commit[:_SHORT]} is in this repository: nothing is to be given up",
                hint=f"`agentx run resume {name}` says how to go on",
            )
        said: list[RunEvent] = []
        for each in meant:
            instead = find_instead(root, desk.run, each, desk.events)
            detail = {"commit": each.commit, "instead": instead, "via": via}
            said += desk.say(
                Happening(
                    kind="commit-given-up",
                    actor=PERSON_ROLE,
                    lane=each.lane,
                    detail={key: value for key, value in detail.items() if value},
                )
            )
        return tuple(said)

    told = runs.doing(name, work)
    again = [each.lane for each in told.added if each.lane and told.run.lanes[each.lane].open]
    said = f"{name} goes on without {told.added[0].text('commit')[:_SHORT]}"
    said += f"; {', '.join(again)}: not merged" if again else ""
    return replace(told, remarks=(*told.remarks, said))
