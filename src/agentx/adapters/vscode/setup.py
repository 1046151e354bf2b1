"""How the files of VS Code change: an MCP server in `mcp.json`, two tasks in `tasks.json`.

For the user they go into the user folder of every edition that is on this disk, and name the
launcher; where VS Code serves a window of another machine it reads `mcp.json` alone. In a project
they go into `.vscode`, which a team may commit: there they name `agentx`, as the search path finds
it, and no path of this machine. There are no hooks: what is said in its chat is not captured.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agentx.adapters.port import FileEdit, SetupRequest, SetupScope
from agentx.adapters.settings.additions import edit_servers, edit_text
from agentx.adapters.settings.file import MCP_SERVER
from agentx.adapters.settings.json_file import read_json
from agentx.adapters.vscode import tasks
from agentx.host.files.plain import exists, is_folder
from agentx.kernel.errors import InvalidValue

_AROUND = {"cwd", "env", "envFile", "dev"}  # of a server: what it is started with
_VARIABLE = "${"  # VS Code puts something else in the place of what begins so


def edits(request: SetupRequest) -> tuple[FileEdit, ...]:
    """Return how the files of VS Code change."""
    if not (request.uninstall or request.mcp_command):
        return ()
    program, *arguments = _command_of(request)
    entry = {"type": "stdio", "command": program, "args": arguments}
    return tuple(
        replace(edit, notes=_note_additions(edit, request))
        for folder in list_folders(request)
        for edit in (
            *edit_servers(folder / "mcp.json", entry, request, servers="servers"),
            *(() if _is_of_server(folder) else _edit_tasks(folder, program, request)),
        )
    )


def _note_additions(edit: FileEdit, request: SetupRequest) -> tuple[str, ...]:
    """Name what a file says of how ours is started, and we did not write: a stranger may have."""
    if request.uninstall or edit.before is None or edit.after is None:
        return ()
    if edit.path.name == "tasks.json":
        found = tasks.list_additions(edit.after, edit.path)
    else:
        entry = read_json(edit.after, edit.path).value["servers"][MCP_SERVER]
        found = sorted(set(entry) & _AROUND)
    said = (
        f"{edit.path}: what starts AgentX also says {', '.join(found)}, which `setup` did not write"
    )
    return (f"{said}: look whether you did",) if found else ()


def list_folders(request: SetupRequest) -> tuple[Path, ...]:
    """Return where the files go: for the user, one folder for each edition that is there."""
    if request.scope is SetupScope.PROJECT:
        return (request.project_root / ".vscode",)
    known = request.homes.vscode
    found = tuple(folder for folder in known if is_folder(folder.parent))
    return found or known[:1]


def _is_of_server(folder: Path) -> bool:
    """Tell whether it is `~/.vscode-server/data/User`: tasks of the user lie at the other end."""
    return folder.parent.name == "data"


def _edit_tasks(folder: Path, program: str, request: SetupRequest) -> tuple[FileEdit, ...]:
    path = folder / "tasks.json"
    if request.uninstall:
        if not exists(path, ground=request.ground):
            return ()
        return (edit_text(path, request, lambda text: tasks.take_out(text, path)),)
    return (edit_text(path, request, lambda text: tasks.put_in(text, path, program)),)


def _command_of(request: SetupRequest) -> tuple[str, ...]:
    program, *arguments = request.mcp_command or (MCP_SERVER,)
    if request.scope is SetupScope.PROJECT:
        return (MCP_SERVER, *arguments)
    if _VARIABLE in program and not request.uninstall:
        raise InvalidValue(
            f"{program}: VS Code would put something else in the place of {_VARIABLE}",
            hint="move the data folder, or use --scope project",
        )
    return (program, *arguments)
