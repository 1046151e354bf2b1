"""How Copilot CLI's settings change: a hooks file of our own, and an MCP server.

Never `preToolUse`: Copilot refuses the user's tool call when such a hook fails, and
what it would tell us is in `postToolUse` and `postToolUseFailure` as well.
"""

from __future__ import annotations

from agentx.adapters import limits
from agentx.adapters.port import FileEdit, SetupRequest, SetupScope
from agentx.adapters.settings.additions import Additions, Shape, edit_file, edit_servers, start_of
from agentx.adapters.settings.file import hook_line
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
    if request.scope is SetupScope.PROJECT:
        folder = request.project_root / ".github" / "hooks"
    hooks = Additions(hooks=dict.fromkeys(EVENTS, handler), shape=Shape.FLAT, header={"version": 1})
    return (
        edit_file(folder / "agentx.json", hooks, request),
        *_servers(request),
    )


def _servers(request: SetupRequest) -> tuple[FileEdit, ...]:
    path = request.homes.copilot / "mcp-config.json"
    if request.scope is SetupScope.PROJECT:
        path = request.project_root / ".github" / "mcp.json"
    return edit_servers(path, {"type": "local", **start_of(request), "tools": ["*"]}, request)
