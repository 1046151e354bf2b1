"""Which agent CLIs call AgentX."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agentx.adapters.port import SWITCHED_OFF, SetupScope
from agentx.adapters.registry import ADAPTERS
from agentx.adapters.settings.file import is_current
from agentx.adapters.settings.plugins import has_plugin, list_plugin_files
from agentx.kernel.capture import Harness
from agentx.kernel.errors import AgentXError
from agentx.operations.setup.setup import Setup, SetupInputs, setup_request
from agentx.project.project import Project


def is_installed(inputs: SetupInputs, wanted: Setup) -> bool:
    """Tell whether one agent CLI has its hooks as they should be, or AgentX as a plugin."""
    if has_plugin(wanted.harness, inputs.homes):
        return True
    return is_current(ADAPTERS[wanted.harness].edits(setup_request(inputs, wanted)))


def list_installed(project: Project, inputs: SetupInputs) -> tuple[str, ...]:
    """Return the agent CLIs whose hooks are installed, for the user or for this project."""
    return asking_harnesses(project, replace(inputs, mcp_command=()))


def list_differing(project: Project, inputs: SetupInputs) -> tuple[str, ...]:
    """Return the agent CLIs that have hooks of ours, but not as they should be by now.

    So they are after an update, and where somebody changed them: they may capture still.
    """
    installed = list_installed(project, inputs)
    return tuple(
        each.value
        for each in ADAPTERS
        if each not in installed
        and any(_has_ours(project, inputs, each, one) for one in SetupScope)
    )


def _has_ours(project: Project, inputs: SetupInputs, harness: Harness, scope: SetupScope) -> bool:
    """Tell whether there is anything that taking us out would take away."""
    wanted = Setup(harness=harness, project_root=project.root, scope=scope, uninstall=True)
    try:
        return not is_current(ADAPTERS[harness].edits(setup_request(inputs, wanted)))
    except AgentXError:
        return False


def list_switches(project: Project, inputs: SetupInputs, harness: Harness) -> tuple[str, ...]:
    """Return what keeps an agent CLI from calling the hooks that it has, and the file with it."""
    found = []
    for scope in SetupScope:
        wanted = Setup(harness=harness, project_root=project.root, scope=scope)
        with suppress(AgentXError):  # a file that cannot be read switches nothing off
            for edit in ADAPTERS[harness].edits(setup_request(inputs, wanted)):
                notes = (note for note in edit.notes if SWITCHED_OFF in note)
                found += [note.replace("this file", str(edit.path)) for note in notes]
    return tuple(found)


def list_settings_files(project: Project, inputs: SetupInputs) -> tuple[Path, ...]:
    """Return every file that says which hooks are installed; none when one cannot be read."""
    found: dict[Path, None] = {}
    for harness in ADAPTERS:
        found.update(dict.fromkeys(list_plugin_files(harness, inputs.homes)))
        for scope in SetupScope:
            wanted = Setup(harness=harness, project_root=project.root, scope=scope)
            try:
                edits = ADAPTERS[harness].edits(setup_request(inputs, wanted))
            except AgentXError:
                return ()
            found.update(dict.fromkeys(edit.path for edit in edits))
    return tuple(found)


def asking_harnesses(project: Project, inputs: SetupInputs) -> tuple[str, ...]:
    """Return those that also know the MCP server, so that their agents can ask."""
    found = []
    for harness in ADAPTERS:
        for scope in SetupScope:
            wanted = Setup(harness=harness, project_root=project.root, scope=scope)
            try:
                if is_installed(inputs, wanted):
                    found.append(harness.value)
                    break
            except AgentXError:
                continue
    return tuple(found)
