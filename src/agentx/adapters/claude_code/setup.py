"""How Claude Code's settings change: hooks and rules in `settings.json`, an MCP server beside it.

The hook is one command string, quoted for a shell: every version of Claude Code reads
that, the exec form only newer ones do. No hook is `async`: those are killed when a
headless run ends, and with them what they had to say.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agentx.adapters import limits
from agentx.adapters.claude_code.permissions import rules_for, state_file
from agentx.adapters.port import SWITCHED_OFF, FileEdit, SetupRequest, SetupScope
from agentx.adapters.settings.additions import Additions, edit_file, edit_servers, start_of
from agentx.adapters.settings.file import hook_line
from agentx.adapters.settings.json_file import read_json
from agentx.kernel.capture import Harness

# Not `Notification`: it repeats to the user what the other events already say.
EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "StopFailure",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
)


def edits(request: SetupRequest) -> tuple[FileEdit, ...]:
    """Return how the settings files of Claude Code change."""
    # A timeout is written even where the default is longer: for SessionEnd the default is 1.5 s.
    handler = {
        "type": "command",
        "command": hook_line(request, Harness.CLAUDE_CODE),
        "timeout": limits.HOOK_WAIT_SECONDS_MAX,
    }
    hooks = Additions(hooks=dict.fromkeys(EVENTS, handler), rules=rules_for(request.allowed_tools))
    settings = edit_file(_settings(request), hooks, request)
    return (replace(settings, notes=_notes(settings, request)), *_servers(request))


def _settings(request: SetupRequest) -> Path:
    if request.scope is SetupScope.USER:
        return request.homes.claude_code / "settings.json"
    return request.project_root / ".claude" / "settings.json"


def _servers(request: SetupRequest) -> tuple[FileEdit, ...]:
    path = request.project_root / ".mcp.json"
    if request.scope is SetupScope.USER:
        path = state_file(request.homes)
    return edit_servers(path, {"type": "stdio", **start_of(request)}, request)


def _notes(edit: FileEdit, request: SetupRequest) -> tuple[str, ...]:
    if request.uninstall or edit.after is None:
        return ()
    notes = []
    if edit.before and read_json(edit.after, edit.path).value.get("disableAllHooks") is True:
        notes.append(f"disableAllHooks is set in this file: {SWITCHED_OFF} it is taken out")
    if request.scope is SetupScope.PROJECT:
        notes.append(
            "Copilot CLI and VS Code read .claude/settings.json too: their sessions count as "
            "Claude Code's; prefer --scope user if you use them"
        )
    return tuple(notes)
