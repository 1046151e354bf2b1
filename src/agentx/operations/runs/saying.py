"""Who speaks of a run, and whether they may do so in that name."""

from __future__ import annotations

from agentx.kernel.errors import ConflictError
from agentx.kernel.ids import shorten_run
from agentx.kernel.roles import is_persons_name
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls
from agentx.runs.choosing.place import find_place
from agentx.runs.holding.settling import settle
from agentx.runs.model import ORCHESTRATOR
from agentx.runs.paths import RunNotes
from agentx.wiring.runs import open_runs
from agentx.wiring.trust.persons_word import require_person


@frozen
class Saying:
    """Who speaks, and of which run, task and lane."""

    run_id: str = ""
    actor: str = ORCHESTRATOR
    task: str = ""
    lane: str = ""


def name_meant(project: Project, run_id: str) -> str:
    """Return the run that is meant here, for a command that a person types elsewhere: where they
    stand another may be meant. Nothing where none is named."""
    notes, variables = RunNotes(project.store.root), project.environment.variables
    return shorten_run(run_id or find_place(notes, project.directory, variables).run)


def check_speaker(project: Project, actor: str, caller: WhoCalls | None = None) -> str:
    """Return who is said to act; an agent acts in no person's name.

    Raises: NotThePerson.
    """
    if is_persons_name(actor):
        what = "what is recorded as theirs"
        require_person(project, what, hint="agentx run event", caller=caller, about=actor)
    return actor


def refuse_driven(project: Project, run_id: str, caller: WhoCalls | None) -> None:
    """See that no agent takes tasks and lanes in hand of a run that is driven: its driver does.

    Raises: ConflictError.
    """
    if caller is None or not caller.is_agent:
        return
    runs = open_runs(project)
    run, _ = runs.run(runs.which.choose(run_id))
    claim = settle(run.drives).claim
    if claim is not None and claim.holds_at(project.clock.now_ms()):
        raise ConflictError(
            f"{shorten_run(run.id)} is driven: its driver opens, checks and merges the lanes",
            hint="do your task and say how it went; the driver goes on",
        )
