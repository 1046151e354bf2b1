"""How Codex's settings change: hooks in `hooks.json`, an MCP server in `config.toml`.

Codex warns when one folder has hooks in both files, so where the user keeps theirs in
`config.toml`, ours go there. Codex runs a hook only after the user trusted it, and
remembers the trust by the file, the event, the position and a hash of the entry. So
entries go to the end, never move, and their command line is the same in every version.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agentx.adapters import limits
from agentx.adapters.codex import config_toml
from agentx.adapters.port import SWITCHED_OFF, FileEdit, SetupRequest, SetupScope
from agentx.adapters.settings.additions import (
    Additions,
    Shape,
    edit_file,
    edit_text,
    our_hooks,
    start_of,
)
from agentx.adapters.settings.file import hook_line, is_blank, read_settings
from agentx.adapters.settings.json_file import Json, JsonText, read_json
from agentx.adapters.settings.toml_file import Toml, read_toml
from agentx.kernel.capture import Harness

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
)

UNTRUSTED = "Codex skips the hooks until you trust them: open `codex` and type /hooks"
TRUST_STAYS = (
    "Codex keeps its own note in config.toml ([hooks.state]) that you trusted these hooks: it lets "
    "nothing run, and the same hooks would not have to be trusted again"
)
_NO_HOOKS = f"features.hooks is false in this file: {SWITCHED_OFF} it is true"


def edits(request: SetupRequest) -> tuple[FileEdit, ...]:
    """Return how the settings files of Codex change."""
    folder = settings_folder(request)
    json_path, toml_path = folder / "hooks.json", folder / "config.toml"
    ground = request.ground
    if request.uninstall:
        hooks = edit_file(json_path, Additions(), request)
        edit = edit_text(toml_path, request, lambda toml: config_toml.take_out(toml, toml_path))
        is_noted = hooks.before != hooks.after and f"{json_path}:" in (edit.after or "")
        return hooks, replace(edit, notes=(TRUST_STAYS,) if is_noted else edit.notes)

    toml = read_settings(toml_path, ground)
    data = read_toml(toml or "", toml_path)
    handlers = _handlers(request)
    if _belong_into_toml(_document(json_path, ground), data):
        untouched = read_settings(json_path, ground)
        hooks = FileEdit(path=json_path, before=untouched, after=untouched, ground=ground)
        after = config_toml.put_in(toml, toml_path, hooks=handlers, server=_server(request))
        edit = FileEdit(path=toml_path, before=toml, after=after, ground=ground)
        return (hooks, replace(edit, notes=_notes(edit, data, hooks_in_it=True)))

    hooks = edit_file(json_path, Additions(hooks=handlers), request)
    after = toml if toml is None else config_toml.without_hooks(toml, toml_path)
    after = config_toml.put_in(after, toml_path, hooks={}, server=_server(request))
    edit = FileEdit(path=toml_path, before=toml, after=after, ground=ground)
    return (
        replace(hooks, notes=_notes(hooks, {}, hooks_in_it=True)),
        replace(edit, notes=_notes(edit, data, hooks_in_it=False)),
    )


def settings_folder(request: SetupRequest) -> Path:
    """Return the folder that holds the settings of a scope."""
    if request.scope is SetupScope.USER:
        return request.homes.codex
    return request.project_root / ".codex"


def _handlers(request: SetupRequest) -> dict[str, Json]:
    line = hook_line(request, Harness.CODEX)
    wait = dict.fromkeys(EVENTS, limits.HOOK_WAIT_SECONDS_MAX)
    wait["SessionEnd"] = limits.HOOK_WAIT_CODEX_SESSION_END_SECONDS_MAX
    return {
        event: {"type": "command", "command": line, "timeout": seconds}
        for event, seconds in wait.items()
    }


def _server(request: SetupRequest) -> Json | None:
    if not request.mcp_command:
        return None
    return {**start_of(request), "startup_timeout_sec": limits.MCP_START_WAIT_SECONDS_MAX}


def _belong_into_toml(hooks: JsonText | None, config: Toml) -> bool:
    """Say whether our hooks go where the user keeps theirs; what is installed stays there."""
    if hooks is not None and our_hooks(hooks, Shape.GROUPED):
        return False
    if config_toml.our_hooks(config):
        return True
    listed = hooks.value.get("hooks") if hooks and isinstance(hooks.value, dict) else None
    has_json_hooks = isinstance(listed, dict) and any(listed.values())
    return config_toml.has_hooks(config) and not has_json_hooks


def _document(path: Path, ground: Path | None) -> JsonText | None:
    text = read_settings(path, ground)
    return None if text is None or is_blank(text) else read_json(text, path)


def _notes(edit: FileEdit, config: Toml, *, hooks_in_it: bool) -> tuple[str, ...]:
    features = config.get("features")
    switches = features if isinstance(features, dict) else {}
    notes = [UNTRUSTED] if hooks_in_it and edit.before != edit.after else []
    if switches.get("hooks", switches.get("codex_hooks")) is False:
        notes.append(_NO_HOOKS)
    return tuple(notes)
