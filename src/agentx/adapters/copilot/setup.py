"""How Copilot CLI's settings change: a hooks file of our own, and an MCP server.

Never `preToolUse`: Copilot refuses the user's tool call when such a hook fails, and
what it would tell us is in `postToolUse` and `postToolUseFailure` as well.
"""

from __future__ import annotations

from dataclasses import replace

from agentx.adapters import limits
from agentx.adapters.port import FileEdit, Scope, SetupRequest
from agentx.adapters.settings.additions import Additions, Shape, edit_file
from agentx.adapters.settings.file import hook_line, is_current, read_settings
from agentx.kernel.capture import Harness

EVENTS = (
    "sessionStart",
    "userPromptSubmitted",
    "postToolUse",
    "postToolUseFailure",
    "agentStop",
    "subagentStart",
    "subagentStop",
    "errorOccurred",
    "preCompact",
    "sessionEnd",
)


def edits(request: SetupRequest) -> tuple[FileEdit, ...]:
    """Return how the files of Copilot CLI change."""
    handler = {
        "type": "command",
        "bash": hook_line(request, Harness.COPILOT),
        "timeoutSec": limits.HOOK_WAIT_SECONDS_MAX,
    }
    folder = request.homes.copilot / "hooks"
    if request.scope is Scope.PROJECT:
        folder = request.project_root / ".github" / "hooks"
    hooks = Additions(hooks=dict.fromkeys(EVENTS, handler), shape=Shape.FLAT, header={"version": 1})
    return (
        edit_file(folder / "agentx.json", hooks, uninstall=request.uninstall),
        *_servers(request),
    )


def is_installed(request: SetupRequest) -> bool:
    """Say whether everything of ours is there and up to date."""
    return is_current(edits(replace(request, uninstall=False)))


def _servers(request: SetupRequest) -> tuple[FileEdit, ...]:
    if not (request.mcp_command or request.uninstall):
        return ()
    path = request.homes.copilot / "mcp-config.json"
    if request.scope is Scope.PROJECT:
        path = request.project_root / ".github" / "mcp.json"
    if request.uninstall and read_settings(path) is None:
        return ()
    entry = None
    if request.mcp_command:
        program, *arguments = request.mcp_command
        entry = {"type": "local", "command": program, "args": arguments, "tools": ["*"]}
    return (edit_file(path, Additions(server=entry), uninstall=request.uninstall),)
