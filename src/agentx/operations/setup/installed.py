"""Which agent CLIs call AgentX, and which editors have it; of an editor nothing is captured."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agentx.adapters.port import SWITCHED_OFF, FileEdit, KnownEditor, SetupScope
from agentx.adapters.registry import ADAPTERS, EDITORS, find_installer
from agentx.adapters.settings.file import MCP_SERVER, is_current, read_settings
from agentx.adapters.settings.plugins import has_plugin, list_plugin_files
from agentx.kernel.capture import Harness
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
from agentx.operations.setup.setup import Setup, SetupInputs, setup_request
from agentx.project.project import Project

NOT_CAPTURED = "what is said in its chat is not captured"
NOT_ON_PATH = f"the files of a project name `{MCP_SERVER}`, which is not on your search path"


def is_installed(inputs: SetupInputs, wanted: Setup) -> bool:
    """Tell whether one agent CLI has its hooks as they should be, or AgentX as a plugin."""
    name = wanted.harness
    if isinstance(name, Harness) and has_plugin(name, inputs.homes):
        return True
    return is_current(find_installer(name).edits(setup_request(inputs, wanted)))


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


@frozen
class EditorState:
    """How one editor stands, for the user or in this project."""

    title: str
    name: str
    scope: SetupScope
    wrong: tuple[str, ...] = ()  # files that are not as they should be
    fault: str = ""  # why one cannot be read
    notes: tuple[str, ...] = ()  # what a person should look at

    @property
    def mend(self) -> str:
        """The command that puts it right."""
        more = " --scope project" if self.scope is SetupScope.PROJECT else ""
        return f"agentx setup {self.name}{more}"


def list_editors(project: Project, inputs: SetupInputs) -> tuple[EditorState, ...]:
    """Return the editors that have something of ours, for the user or in this project."""
    return tuple(
        state
        for editor in EDITORS.values()
        for scope in SetupScope
        if scope is SetupScope.USER or project.root != inputs.homes.home
        for state in _look_at_editor(project, inputs, editor, scope)
    )


def list_editor_files(project: Project, inputs: SetupInputs) -> tuple[Path, ...]:
    """Return every file that says so."""
    return tuple(
        edit.path
        for editor in EDITORS.values()
        for scope in SetupScope
        for edit in _plan_editor(project, inputs, editor, scope)
    )


def is_on_path(project: Project) -> bool:
    """Tell whether the command that a project's files name is found."""
    return shutil.which(MCP_SERVER, path=project.environment.search_path) is not None


def _look_at_editor(
    project: Project, inputs: SetupInputs, editor: KnownEditor, scope: SetupScope
) -> Iterator[EditorState]:
    leaving = _plan_editor(project, inputs, editor, scope, uninstall=True)
    if not any(edit.before != edit.after or _may_hold_ours(edit) for edit in leaving):
        return
    planned = _plan_editor(project, inputs, editor, scope)
    wrong = [str(edit.path) for edit in planned if not is_current((edit,))]
    fault = next((edit.fault for edit in planned if edit.fault is not None), None)
    yield EditorState(
        title=editor.title,
        name=editor.name,
        scope=scope,
        wrong=tuple(wrong),
        fault=fault.message if fault is not None else "",
        notes=tuple(note for edit in planned for note in edit.notes),
    )


def _plan_editor(
    project: Project,
    inputs: SetupInputs,
    editor: KnownEditor,
    scope: SetupScope,
    *,
    uninstall: bool = False,
) -> tuple[FileEdit, ...]:
    wanted = Setup(harness=editor.name, project_root=project.root, scope=scope, uninstall=uninstall)
    try:
        return editor.edits(replace(setup_request(inputs, wanted), forgiving=True))
    except AgentXError:  # of the request: nothing of ours could have been written
        return ()


def _may_hold_ours(edit: FileEdit) -> bool:
    """Tell whether a file that does not parse speaks of AgentX."""
    try:
        return edit.fault is not None and MCP_SERVER in (
            read_settings(edit.path, edit.ground) or ""
        )
    except AgentXError:
        return False
