"""To have the target of a question asked, by this process or by one that is its own master.

A process apart keeps the answer whatever becomes of who waits for it: killed, interrupted or out of
time. Of several processes that would ask the same, one does; the others find it at work.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agentx.agents.hub.hub import Hub
from agentx.agents.runners.person import Person
from agentx.agents.runners.port import Runner
from agentx.clarification.errors import ClarificationUnanswered
from agentx.clarification.model import PERSON, Clarification, ClarificationStatus
from agentx.clarification.watch.monitor import MonitorReport
from agentx.host.files.plain import exists
from agentx.host.locks.lock import locked
from agentx.host.program import begin_apart
from agentx.kernel.bus import Bus, Say
from agentx.kernel.errors import AgentUnavailable, ConflictError, IllegalTransition, LockHeld
from agentx.kernel.values import frozen
from agentx.operations.questions.words import passing_on
from agentx.project.project import Project
from agentx.project.roles.caller import find_caller
from agentx.wiring.clarifications import tell_state
from agentx.wiring.hub import open_hub, run_monitor
from agentx.wiring.runners import check_runner, runner_named, runner_of

_MODULE = "agentx.surfaces.cli.main"
_SAID_TO_ASKER = ("AGENTX_AGENT",)  # who asks is not who puts it through


@frozen
class Player:
    """Who plays a target now: a runner by its name, or whom the settings say."""

    runner: str = ""
    script: Path | None = None


def find_player(project: Project, role: str, player: Player) -> Runner | None:
    """Return who can be asked in a role's place; None lets the question wait.

    Raises: InvalidValue for what is no runner, AgentUnavailable for one that cannot be run here.
    """
    if player.runner:
        found: Runner | None = runner_named(project, player.runner, script=player.script)
    else:
        found = runner_of(project, role)
    if found is None or (role == PERSON and not isinstance(found, Person)):
        return None
    if role == PERSON and find_caller(project).is_agent:
        return None  # who types at an agent's terminal may be the agent
    check_runner(found)
    return found


def route(
    project: Project,
    clarification_id: str,
    *,
    player: Player | None = None,
    told: Say,
    until_ms: int | None = None,
    heard: Say | None = None,
) -> Clarification:
    """Ask the target of an open question now, and keep what it answers.

    `heard` is told what it says on the way; who waits elsewhere is shown that, too.

    Raises: ConflictError while another process asks it, IllegalTransition when nothing waits for
        the target, UnavailableError when nobody plays it, ClarificationUnanswered once a person
        was called, ClarificationNotFound, NameMoved for a name that meant another here before.
    """
    played = player or Player()
    hub = open_hub(project, runner_of=lambda role: find_player(project, role, played))
    meant = hub.find_meant(clarification_id)
    known = meant.id
    with _asking(project, known), passing_on(find_words(project, known)) as keep:

        def hear(words: str) -> None:
            keep(words)
            if heard is not None:
                heard(words)

        done = hub.route(meant.exact, told, until_ms=until_ms, heard=hear)
    return tell_state(project, done)


def route_apart(project: Project, clarification_id: str, player: Player | None = None) -> None:
    """Let a process of its own ask the target.

    Raises: AgentUnavailable when it cannot be started.
    """
    played = player or Player()
    said = {
        "--runner": played.runner,
        "--script": str(played.script.absolute()) if played.script is not None else "",
        "--project": str(project.directory),
    }
    # `-P`: a project's own modules must not stand in for ours.
    command = (sys.executable, "-P", "-m", _MODULE, "clarify", "route", clarification_id)
    options = (part for name, value in said.items() if value for part in (name, value))
    surroundings = project.environment.variables.items()
    try:
        begin_apart(
            (*command, *options),
            folder=project.directory,
            environment={name: value for name, value in surroundings if name not in _SAID_TO_ASKER},
        )
    except OSError as error:
        raise AgentUnavailable(
            f"nobody could be sent to ask: {error.strerror or error}",
            hint=f"agentx clarify route {clarification_id}",
        ) from error


def watch(project: Project, bus: Bus | None = None) -> MonitorReport:
    """Run the monitor, and let stale questions be asked once more, without waiting for that."""
    found = run_monitor(project, bus)
    for state in _list_stale(project, found.active):
        try:
            route_apart(project, state.exact)
        except AgentUnavailable as error:
            project.log.record("warning", "clarification-retry", message=error.message)
    return found


def ask_again(project: Project, stale: Iterable[Clarification], told: Say) -> Clarification | None:
    """Ask the target of the first stale question that has a runner once more, and wait.

    One at a time: whoever runs this waits for it. A target that fails is reported in the stream.
    """
    for state in _list_stale(project, stale):
        try:
            return route(project, state.exact, told=told)
        except (ClarificationUnanswered, IllegalTransition, ConflictError):
            return None
    return None


def _list_stale(project: Project, states: Iterable[Clarification]) -> Iterator[Clarification]:
    """Yield the stale questions whose target somebody plays who can be run here."""
    for state in states:
        if state.status is not ClarificationStatus.STALE:
            continue
        try:
            player = find_player(project, state.to, Player())
        except AgentUnavailable:
            continue  # nobody is asked, and nobody says so
        if player is not None and not isinstance(player, Person):
            yield state


def is_being_asked(project: Project, clarification_id: str) -> bool:
    """Tell whether a process asks the target of a question just now."""
    place = _asking_place(project, clarification_id)
    return exists(place.with_name(f"{place.name}.lock"))


def _asking_place(project: Project, clarification_id: str) -> Path:
    return project.store.root / "asking" / clarification_id


def find_words(project: Project, clarification_id: str) -> Path:
    """Return where it stands meanwhile what an agent says on the way to its answer."""
    return _asking_place(project, f"{clarification_id}.words")


@contextmanager
def _asking(project: Project, clarification_id: str) -> Iterator[None]:
    """Be the one who asks.

    Raises: ConflictError.
    """
    place = _asking_place(project, clarification_id)
    try:
        with locked(place, owner="clarify route", clock=project.clock, wait_ms=0):
            yield
    except LockHeld as held:
        raise ConflictError(
            f"{clarification_id} is being asked by another process",
            hint=f"agentx clarify wait {clarification_id}",
        ) from held


def hub_of(project: Project) -> Hub:
    """Open the hub after the monitor had its look."""
    watch(project)
    return open_hub(project)
