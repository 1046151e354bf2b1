"""AgentX out of the settings of agent CLIs and editors: for the user, in projects, as a plugin."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agentx.adapters.port import EditorName, FileEdit, SetupScope
from agentx.adapters.registry import ADAPTERS, EDITORS, find_installer
from agentx.adapters.settings.changes import tell_change
from agentx.adapters.settings.edits import (
    apply,
    check_edit,
    clear_above,
    diff_text,
    leave_blank,
)
from agentx.adapters.settings.file import MCP_SERVER, read_settings
from agentx.adapters.settings.plugins import has_plugin, list_plugin_files
from agentx.host.git import facts as git
from agentx.host.program import ProgramCall, run_to_end
from agentx.host.system import environment_without
from agentx.kernel.capture import Harness
from agentx.kernel.errors import AgentXError
from agentx.operations.setup.leaving.account import LeavingAccount
from agentx.operations.setup.setup import Setup, SetupInputs, setup_request
from agentx.project.config import Environment

_PLUGIN_WAIT_MS = 60_000
# By its own means: an agent CLI keeps copies and notes of a plugin that only it knows.
_REMOVING = {
    Harness.CLAUDE_CODE: (
        ("claude", "plugin", "uninstall", "agentx@agentx"),
        ("claude", "plugin", "marketplace", "remove", "agentx"),
    ),
    Harness.CODEX: (
        ("codex", "plugin", "remove", "agentx@agentx"),
        ("codex", "plugin", "marketplace", "remove", "agentx"),
    ),
    Harness.COPILOT: (
        ("copilot", "plugin", "uninstall", "agentx@agentx"),
        ("copilot", "plugin", "marketplace", "remove", "agentx"),
    ),
    Harness.GEMINI: (("gemini", "extensions", "uninstall", "agentx"),),
}


def leave_settings(inputs: SetupInputs, roots: Iterable[Path], account: LeavingAccount) -> None:
    """Take our entries out of every settings file; one that cannot be changed stays, and is told.

    Of repositories only those that call this AgentX; of files that name no installation, those
    that no commit shares.
    """
    names: tuple[Harness | EditorName, ...] = (*ADAPTERS, *EDITORS)
    for name in names:
        _leave_one(inputs, name, SetupScope.USER, Path(), account)
    for root in roots:
        for name in names:
            _leave_one(inputs, name, SetupScope.PROJECT, root, account)


def leave_plugins(environment: Environment, inputs: SetupInputs, account: LeavingAccount) -> None:
    """Let agent CLIs take out the plugin that they have; where they cannot, say what does."""
    for harness, adapter in ADAPTERS.items():
        first, *_ = list_plugin_files(harness, inputs.homes)
        if harness is Harness.OPENCODE:
            with account.trying(first):
                _leave_file(inputs, first, adapter.title, account)
            continue
        if not has_plugin(harness, inputs.homes):
            continue
        commands = _REMOVING[harness]
        said = " && ".join(" ".join(command) for command in commands)
        is_gone = account.dry_run or _run_all(environment, commands)
        if account.dry_run or (is_gone and not has_plugin(harness, inputs.homes)):
            account.go(adapter.title, first, "- plugin")
        else:
            account.leave(first, f"{adapter.title} has AgentX as a plugin", said)


def _leave_one(
    inputs: SetupInputs,
    name: Harness | EditorName,
    scope: SetupScope,
    root: Path,
    account: LeavingAccount,
) -> None:
    """Take our entries out of the files of one agent CLI or editor, each for itself."""
    adapter = find_installer(name)
    wanted = Setup(harness=name, project_root=root, scope=scope, uninstall=True)
    try:
        edits = adapter.edits(replace(setup_request(inputs, wanted), forgiving=True))
    except AgentXError as error:
        account.leave(root if scope is SetupScope.PROJECT else adapter.title, error.message)
        return
    for edit in edits:
        others = _tell_others(inputs, edit, name) if scope is SetupScope.PROJECT else ""
        if others:
            if edit.before != edit.after:
                account.leave(edit.path, others, is_fault=False)
            continue
        _leave_edit(inputs, leave_blank(edit, inputs.data), adapter.title, account)


def _tell_others(inputs: SetupInputs, edit: FileEdit, name: Harness | EditorName) -> str:
    """Say why what a repository has of AgentX may be others'; nothing where it is ours."""
    if not isinstance(name, EditorName):
        said = "calls an AgentX that is not this one, and may be others'"
        return "" if _list_called(inputs, edit) else said
    root = edit.ground or edit.path.parent
    is_shared = bool(git.list_tracked(root, str(edit.path.relative_to(root))))
    if is_shared or MCP_SERVER not in (_read(edit) or ""):
        return "is committed: it names no installation, and may be others'"
    return ""


def _leave_edit(inputs: SetupInputs, edit: FileEdit, title: str, account: LeavingAccount) -> None:
    backup = None
    try:
        if edit.fault is not None:
            raise edit.fault
        if edit.before == edit.after:
            return
        check_edit(edit)
        if not account.dry_run:
            (applied,) = apply((edit,), inputs.data, inputs.clock)
            backup = applied.backup
            clear_above(edit)
    except AgentXError as error:
        account.leave(edit.path, error.message, error.hint)
        is_known = _read(edit) is not None
        both = (inputs.data.launcher, inputs.data.command)
        account.called.update(_list_called(inputs, edit) if is_known else both)
        return
    said = tell_change(edit)
    account.go(title, edit.path, said, diff=diff_text(edit), backup=str(backup or ""))


def _list_called(inputs: SetupInputs, edit: FileEdit) -> list[Path]:
    """Return which programs of this AgentX a file calls: others' are not ours to change."""
    text = _read(edit) or ""
    launcher, command = inputs.data.launcher, inputs.data.command
    rest = text.replace(str(launcher), "")  # which begins like the other one
    found = {launcher: rest != text, command: str(command) in rest}
    return [program for program, is_named in found.items() if is_named]


def _read(edit: FileEdit) -> str | None:
    """Return what a file says; None where nobody can tell."""
    if edit.before is None and edit.fault is not None:
        with suppress(AgentXError):
            return read_settings(edit.path, edit.ground)
    return edit.before


def _leave_file(inputs: SetupInputs, path: Path, title: str, account: LeavingAccount) -> None:
    """Take away a file that is wholly ours: a plugin's, copied there by a person."""
    text = read_settings(path)
    if text is not None and "AgentX" in text:
        _leave_edit(inputs, FileEdit(path=path, before=text, after=None), title, account)


def _run_all(environment: Environment, commands: tuple[tuple[str, ...], ...]) -> bool:
    """Run commands of an agent CLI, each for a bounded time; tell whether the first one worked."""
    codes = []
    for program, *words in commands:
        found = shutil.which(program, path=environment.search_path)
        if found is None:
            return False
        call = ProgramCall(
            arguments=(found, *words),
            said="",
            folder=environment.homes.home,
            environment={**environment_without("\0"), **environment.variables},
            time_limit_ms=_PLUGIN_WAIT_MS,
        )
        try:
            ended = run_to_end(call)
        except OSError:
            return False
        codes.append(ended.code if not ended.too_late else 1)
    return codes[0] == 0
