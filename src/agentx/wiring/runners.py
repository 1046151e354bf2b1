"""Who plays a role in this project: runners made from names, settings and surroundings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from agentx.agents.roles.texts import RoleTexts
from agentx.agents.runners.agent_cli import DIALECTS, AgentCli
from agentx.agents.runners.cast import read_cast
from agentx.agents.runners.person import PERSON, Person
from agentx.agents.runners.port import Runner
from agentx.agents.runners.scripted import SCRIPTED, Scripted, read_script
from agentx.host.files.ground import ground_of
from agentx.host.git.command import ask_git
from agentx.kernel.capture import Harness
from agentx.kernel.errors import InvalidValue
from agentx.project.project import Project
from agentx.project.settings import AgentsSettings

if TYPE_CHECKING:
    from agentx.agents.driving.surroundings import RemoteUrls

LOOP = "loop"  # it answers here; how it works is `operations.agents.loop`
_ASK = "agentx clarify ask"  # as every agent is told to ask others
RUNNERS = (*(harness.value for harness in DIALECTS), PERSON, SCRIPTED, LOOP)


def role_texts(project: Project) -> RoleTexts:
    """Return the roles of a project and their instructions."""
    return RoleTexts(project.paths.roles, project.trust.make_reader())


def runner_named(
    project: Project, name: str, *, script: Path | None = None, model: str = ""
) -> Runner:
    """Return a runner by its name.

    Raises: InvalidValue.
    """
    if name == PERSON:
        return Person(project.clock)
    if name == SCRIPTED:
        if script is None:
            raise InvalidValue("a scripted runner needs a script", hint="--script FILE")
        return Scripted(read_script(script, ground_of(script, project.root)))
    if name == LOOP:
        from agentx.wiring.answerers.loop import LoopAnswerer  # noqa: PLC0415  it brings its own house

        return LoopAnswerer(project, model)
    if name not in RUNNERS:
        raise InvalidValue(f"{name[:40]!r} is not a runner", hint=f"one of: {', '.join(RUNNERS)}")
    return AgentCli(
        Harness(name),
        folder=project.root,
        environment=project.environment.variables,
        clock=project.clock,
        model=model,
        is_trusted=project.trust.was_said,
        commands=(*_list_commands(project), _ASK) if project.trust.was_said else (),
    )


def _list_commands(project: Project) -> tuple[str, ...]:
    """Return the commands that agents may run unasked, as the user's own settings name them."""
    from agentx.agents.loop.tools.commands import read_allowed  # noqa: PLC0415  few wake an agent

    listed = read_allowed(project.config.section(AgentsSettings).commands)
    return tuple(" ".join(words) for words in listed)


def runner_in_lane(project: Project, name: str, folder: Path, *, model: str = "") -> AgentCli:
    """Return an agent CLI that works in the folder of a lane, with what it is given there.

    Raises: InvalidValue.
    """
    from agentx.agents.driving.surroundings import choose_variables  # noqa: PLC0415  few drive

    if name not in {harness.value for harness in DIALECTS}:
        raise InvalidValue(
            f"{name[:40]!r} does not work in lanes",
            hint=f"one of: {', '.join(harness.value for harness in DIALECTS)}",
        )
    settings = project.config.section(AgentsSettings)
    harness = Harness(name)
    return AgentCli(
        harness,
        folder=folder,
        environment=choose_variables(
            project.environment.variables, harness, settings.environment, _list_urls(project)
        ),
        clock=project.clock,
        model=model,
        is_trusted=project.trust.was_said,
        commands=_list_commands(project),
        can_wait=True,
    )


def check_environment(project: Project) -> dict[str, str]:
    """Return what checks are given that run what agents wrote."""
    from agentx.agents.driving.surroundings import choose_for_checks  # noqa: PLC0415  few drive

    named = project.config.section(AgentsSettings).environment
    return choose_for_checks(project.environment.variables, named, _list_urls(project))


def _list_urls(project: Project) -> RemoteUrls:
    from agentx.agents.driving.surroundings import RemoteUrls  # noqa: PLC0415  few drive

    words = ("config", "--null", "--get-regexp", r"^remote\..*\.(push)?url$")
    said = ask_git(project.root, *words)
    pairs = [each.split("\n", 1) for each in (() if said is None else said.names)]
    found = [(name, url) for name, url in (pair for pair in pairs if len(pair) == 2) if url]
    return RemoteUrls(
        remotes=tuple(url for name, url in found if name.endswith(".url")),
        only_for_pushes=tuple(url for name, url in found if name.endswith(".pushurl")),
    )


def check_runner(runner: Runner) -> None:
    """See that a runner can be run here, before anything is asked of it.

    Raises: AgentUnavailable.
    """
    if isinstance(runner, AgentCli):
        runner.program()
    elif isinstance(runner, Person):
        runner.check()
    elif runner.name == LOOP:
        from agentx.wiring.answerers.loop import LoopAnswerer  # noqa: PLC0415  as above

        assert isinstance(runner, LoopAnswerer), "nobody else has this name"
        runner.check()


def runner_of(project: Project, role: str) -> Runner | None:
    """Return the runner that the user chose for a role; None lets its questions wait.

    Raises: InvalidValue for a setting that cannot be.
    """
    player = find_player_name(project, role)
    return runner_named(project, player) if player else None


def find_player_name(project: Project, role: str) -> str:
    """Return the name of the runner that the user chose for a role, or nothing.

    Raises: as `runner_of`.
    """
    return read_cast(project.config.section(AgentsSettings).runner).player_of(role)
