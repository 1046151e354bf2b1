"""Add AgentX to one agent CLI or editor, or take it out again.

The launchers, the two commands that settings files name, are written first: settings must
never name a program that is not there. What cannot be edited is found out before that,
so a damaged settings file leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from agentx.adapters.homes import Homes
from agentx.adapters.port import EditorName, SetupRequest, SetupScope
from agentx.adapters.registry import ADAPTERS, find_installer
from agentx.adapters.settings.changes import tell_change
from agentx.adapters.settings.edits import (
    Applied,
    apply,
    clear_above,
    diff_text,
    leave_blank,
)
from agentx.host.files.atomic import PRIVATE_FILE, replace_file
from agentx.kernel.capture import Harness
from agentx.kernel.clock import Clock
from agentx.kernel.errors import InvalidValue
from agentx.kernel.paths import DataPaths
from agentx.kernel.values import frozen
from agentx.project.toolsets import READ_ONLY

_LAUNCHER_MODE = 0o700
_SHARED_FILE = 0o644  # a file of the project is read by everybody who has the project


@frozen
class SetupInputs:
    """Where things lie on this machine, and what the launchers say: of the hook, of `agentx`."""

    homes: Homes
    data: DataPaths
    clock: Clock
    launcher_text: str
    command_text: str = ""
    mcp_command: tuple[str, ...] = ()


@frozen
class Setup:
    """One agent CLI or editor, to be set up or left."""

    harness: Harness | EditorName
    project_root: Path
    scope: SetupScope = SetupScope.USER
    dry_run: bool = False
    uninstall: bool = False
    allow_tools: bool = False  # those that only read, without asking each time


@frozen
class FileReport:
    """What became, or with a dry run would become, of one settings file."""

    path: Path
    changed: bool
    diff: str
    backup: Path | None
    notes: tuple[str, ...]
    says: str = ""  # what that comes to, in few words


@frozen
class SetupReply:
    """What a set-up did."""

    harness: Harness | EditorName
    title: str
    scope: SetupScope
    dry_run: bool
    uninstall: bool
    files: tuple[FileReport, ...]

    @property
    def is_changed(self) -> bool:
        """Say whether anything is, or would be, another than before."""
        return any(file.changed for file in self.files)


def setup(inputs: SetupInputs, request: Setup) -> SetupReply:
    """Bring the settings of one agent CLI up to date, or take out what is ours.

    Raises: CorruptRecord and InvalidValue for files that cannot be edited, StaleVersion,
    UnavailableError; then nothing of the user's was changed.
    """
    adapter = find_installer(request.harness)
    if request.scope is SetupScope.PROJECT and request.project_root == inputs.homes.home:
        raise InvalidValue(
            "your home is no project: its settings are those of all projects",
            hint="go into a project, or use --scope user",
        )
    edits = adapter.edits(setup_request(inputs, request))
    if request.uninstall:
        edits = tuple(leave_blank(edit, inputs.data) for edit in edits)
    if request.dry_run:
        applied = tuple(Applied(edit=edit) for edit in edits)
    else:
        if not request.uninstall:
            write_launcher(inputs)
        new_mode = PRIVATE_FILE if request.scope is SetupScope.USER else _SHARED_FILE
        applied = apply(edits, inputs.data, inputs.clock, new_mode=new_mode)
        for edit in edits if request.uninstall else ():
            if edit.before is not None:
                clear_above(edit)
    return SetupReply(
        harness=request.harness,
        title=adapter.title,
        scope=request.scope,
        dry_run=request.dry_run,
        uninstall=request.uninstall,
        files=tuple(_report(one) for one in applied),
    )


def setup_request(inputs: SetupInputs, request: Setup) -> SetupRequest:
    """Return what an adapter needs to know; `doctor` asks `installed` with it."""
    return SetupRequest(
        homes=inputs.homes,
        scope=request.scope,
        project_root=request.project_root,
        hook_command=(str(inputs.data.launcher),),
        mcp_command=inputs.mcp_command,
        allowed_tools=READ_ONLY if request.allow_tools or request.uninstall else (),
        uninstall=request.uninstall,
    )


def write_launcher(inputs: SetupInputs) -> None:
    """Make the commands what this version needs them to be; their paths never change."""
    for path, text in launchers(inputs):
        if not is_launcher(path, text):
            replace_file(path, text.encode(), _LAUNCHER_MODE)


def launchers(inputs: SetupInputs) -> Iterator[tuple[Path, str]]:
    """Yield where each launcher lies, and what it should say."""
    yield inputs.data.launcher, inputs.launcher_text
    if inputs.command_text:
        yield inputs.data.command, inputs.command_text


def is_launcher(path: Path, text: str) -> bool:
    """Tell whether a launcher is there, says what it should and can be run."""
    try:
        return path.read_bytes() == text.encode() and path.stat().st_mode & 0o777 == _LAUNCHER_MODE
    except OSError:
        return False


def detect(homes: Homes, path_lookup: Callable[[str], str | None]) -> tuple[Harness, ...]:
    """Return the agent CLIs in use: those on the PATH, and those that left a history."""
    return tuple(
        harness
        for harness, adapter in ADAPTERS.items()
        if any(map(path_lookup, adapter.commands)) or adapter.in_use(homes)
    )


def _report(applied: Applied) -> FileReport:
    return FileReport(
        path=applied.edit.path,
        changed=applied.changed,
        diff=diff_text(applied.edit),
        backup=applied.backup,
        notes=applied.edit.notes,
        says=tell_change(applied.edit),
    )
