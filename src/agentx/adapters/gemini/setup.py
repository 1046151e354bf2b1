"""How Gemini CLI's settings change: hooks and an MCP server in `settings.json`.

Timeouts are in milliseconds here. `BeforeModel` and `AfterModel` are left out: they
fire for every chunk of a stream and say nothing that the other events do not.

Gemini CLI refuses the user's prompt when a hook ends with any code above 1, and a
program that is gone ends with 127. So the line cannot fail: whoever deletes AgentX
without taking its hooks out can still work.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agentx.adapters import limits
from agentx.adapters.port import SWITCHED_OFF, FileEdit, SetupRequest, SetupScope
from agentx.adapters.settings.additions import Additions, edit_file, start_of
from agentx.adapters.settings.file import hook_line
from agentx.adapters.settings.json_file import Json, read_json
from agentx.kernel.capture import Harness
from agentx.kernel.clock import SECOND_MS

_NAME = "agentx"  # by which `/hooks` of Gemini CLI knows ours

EVENTS = (
    "SessionStart",
    "BeforeAgent",
    "BeforeTool",
    "AfterTool",
    "AfterAgent",
    "PreCompress",
    "SessionEnd",
)


def edits(request: SetupRequest) -> tuple[FileEdit, ...]:
    """Return how the settings file of Gemini CLI changes."""
    handler = {
        "name": _NAME,
        "type": "command",
        "command": _line(request),
        "timeout": limits.HOOK_WAIT_SECONDS_MAX * SECOND_MS,
        "description": "Remembers this session",
    }
    entry = start_of(request) if request.mcp_command else None
    additions = Additions(hooks=dict.fromkeys(EVENTS, handler), server=entry)
    edit = edit_file(_settings(request), additions, request)
    return (replace(edit, notes=_notes(edit, request)),)


def _line(request: SetupRequest) -> str:
    # Gemini CLI puts environment variables into its settings, even between single quotes.
    return hook_line(request, Harness.GEMINI).replace("$", "$''") + " || true"


def _settings(request: SetupRequest) -> Path:
    if request.scope is SetupScope.USER:
        return request.homes.gemini / "settings.json"
    return request.project_root / ".gemini" / "settings.json"


def _notes(edit: FileEdit, request: SetupRequest) -> tuple[str, ...]:
    if request.uninstall or edit.after is None:
        return ()
    settings: Json = read_json(edit.after, edit.path).value if edit.before else {}
    switches = (("hooksConfig", "enabled"), ("hooks", "enabled"), ("tools", "enableHooks"))
    return (
        *(
            f"{section}.{key} is false in this file: {SWITCHED_OFF} it is true"
            for section, key in switches
            if isinstance(settings.get(section), dict) and settings[section].get(key) is False
        ),
        *(
            f"{section}.disabled names {_NAME} in this file: {SWITCHED_OFF} that is taken out"
            for section in ("hooksConfig", "hooks")
            if _names_us(settings.get(section))
        ),
    )


def _names_us(section: object) -> bool:
    """Tell whether a section switches off what is ours, as `/hooks disable` notes it."""
    disabled = section.get("disabled") if isinstance(section, dict) else None
    return isinstance(disabled, list) and _NAME in disabled
