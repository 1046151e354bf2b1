"""Whether agent CLIs and editors call us and let their agents ask, and what agents may run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from agentx.adapters.claude_code.permissions import find_refusals, is_allowed
from agentx.adapters.codex.trust import trust_state
from agentx.adapters.port import SetupScope
from agentx.adapters.registry import ADAPTERS
from agentx.adapters.settings.file import MCP_SERVER
from agentx.adapters.settings.plugins import has_plugin
from agentx.agents.loop.tools.commands import SETTING, list_broad, read_allowed, say_broad
from agentx.kernel.capture import Harness
from agentx.kernel.errors import InvalidValue
from agentx.operations.setup.installed import (
    NOT_CAPTURED,
    NOT_ON_PATH,
    asking_harnesses,
    is_on_path,
    list_differing,
    list_editors,
    list_installed,
    list_switches,
)
from agentx.operations.setup.setup import SetupInputs, detect
from agentx.operations.upkeep.health import Health, HealthCheck
from agentx.project.project import Project
from agentx.project.settings import AgentsSettings
from agentx.project.toolsets import READ_ONLY

_INSTALLED = "hooks and MCP server installed"
_SWITCHED_ON = "switch it on again, or leave it so: nothing of it is captured"


def list_used(project: Project, inputs: SetupInputs) -> tuple[Harness, ...]:
    """Return the agent CLIs that are in use on this machine."""
    path = project.environment.search_path
    return detect(inputs.homes, lambda command: shutil.which(command, path=path))


def check_hooks(project: Project, inputs: SetupInputs) -> Iterator[HealthCheck]:
    """Look whether every agent CLI that is in use calls our hooks, and may."""
    installed = list_installed(project, inputs)
    asking = asking_harnesses(project, inputs)
    used = list_used(project, inputs)
    differing = list_differing(project, inputs)
    for harness in ADAPTERS:
        off = list_switches(project, inputs, harness) if harness in installed else ()
        if off:
            says = "; ".join(off)
            yield HealthCheck(name=harness, health=Health.WRONG, says=says, mend=_SWITCHED_ON)
        elif harness in installed and harness not in asking:
            yield HealthCheck(
                name=harness,
                health=Health.NOTE,
                says="hooks installed, but its agents cannot ask: no MCP server",
                mend=f"agentx setup {harness}",
            )
        elif harness in installed:
            yield check_asking(project, inputs, harness)
        elif harness in used or harness in differing:
            is_there = harness in differing
            yield HealthCheck(
                name=harness,
                health=Health.WRONG,
                says="its hooks are not as this version has them"
                if is_there
                else "in use, but its hooks are not installed",
                mend=f"agentx setup {harness}",
            )
    if not used and not installed:
        yield HealthCheck(
            name="hooks", health=Health.NOTE, says="no agent CLI found", mend="agentx setup NAME"
        )


def check_editors(project: Project, inputs: SetupInputs) -> Iterator[HealthCheck]:
    """Tell of each editor that has something of ours whether it is as it should be."""
    for state in list_editors(project, inputs):
        where = "in this project" if state.scope is SetupScope.PROJECT else "for this user"
        health, says, mend = Health.GOOD, f"MCP server and tasks {where}; {NOT_CAPTURED}", ""
        if state.fault:
            health, says, mend = Health.WRONG, state.fault, state.mend
        elif state.wrong:
            says = f"not as this version has them {where}: {', '.join(state.wrong)}"
            health, mend = Health.WRONG, state.mend
        elif state.scope is SetupScope.PROJECT and not is_on_path(project):
            says = f"{says}; {NOT_ON_PATH}"
            health, mend = Health.WRONG, f"put {MCP_SERVER} on it, or: agentx setup {state.name}"
        elif state.notes:
            health, says = Health.NOTE, f"{says}; {'; '.join(state.notes)}"
        yield HealthCheck(name=state.name, health=health, says=says, mend=mend)


def check_asking(project: Project, inputs: SetupInputs, harness: Harness) -> HealthCheck:
    """Return how an agent CLI stands whose settings are as they should be."""
    if has_plugin(harness, inputs.homes):
        return HealthCheck(name=harness, health=Health.GOOD, says="installed as a plugin")
    if harness is Harness.CODEX:
        return _check_trust(inputs)
    if harness is Harness.CLAUDE_CODE:
        return _check_permissions(project)
    return HealthCheck(name=harness, health=Health.GOOD, says=_INSTALLED)


def _check_permissions(project: Project) -> HealthCheck:
    homes, name = project.environment.homes, Harness.CLAUDE_CODE
    refused = find_refusals(homes, project.root)
    if refused:
        says = f"{_INSTALLED}, but agents are refused: {'; '.join(refused)}"
        mend = "take that out if it is not meant"
        return HealthCheck(name=name, health=Health.NOTE, says=says, mend=mend)
    if is_allowed(homes, project.root, READ_ONLY):
        return HealthCheck(name=name, health=Health.GOOD, says=f"{_INSTALLED}; reading is allowed")
    return HealthCheck(
        name=name,
        health=Health.GOOD,
        says=f"{_INSTALLED}; each use of a tool is asked about, and refused where nobody is asked",
        mend=f"agentx setup {name} --allow-tools",
    )


def _check_trust(inputs: SetupInputs) -> HealthCheck:
    state = trust_state(inputs.homes, (str(inputs.data.launcher),))
    if state == "untrusted":
        return HealthCheck(
            name=Harness.CODEX,
            health=Health.NOTE,
            says=f"{_INSTALLED}; Codex skips hooks until you trust them",
            mend="open `codex`, type /hooks and trust them once",
        )
    return HealthCheck(name=Harness.CODEX, health=Health.GOOD, says=f"{_INSTALLED}, hooks trusted")


def check_allowed(project: Project) -> Iterator[HealthCheck]:
    """Look at the commands that the user lets agents run."""
    try:
        allowed = read_allowed(project.config.section(AgentsSettings).commands)
    except InvalidValue as error:
        yield HealthCheck(name="agents", health=Health.WRONG, says=error.message, mend=error.hint)
        return
    says = say_broad(list_broad(allowed))
    if says:
        mend = f"agentx config set --user {SETTING} 'git diff, git status, ...'; or leave it so"
        yield HealthCheck(name="agents", health=Health.NOTE, says=says, mend=mend)
