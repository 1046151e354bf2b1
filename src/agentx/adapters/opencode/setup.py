"""How OpenCode's files change: one plugin file of ours, and an MCP server in its settings.

OpenCode has no hook commands; it runs JavaScript. The plugin ships with AgentX and is
copied with the hook's argument list put in. The copied file is wholly ours.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from agentx.adapters import limits
from agentx.adapters.port import FileEdit, SetupRequest, SetupScope
from agentx.adapters.settings.additions import edit_servers, edit_text
from agentx.adapters.settings.file import (
    HOOK_PROGRAM,
    hook_words,
    is_blank,
    read_settings,
)
from agentx.host.files.plain import exists
from agentx.kernel.capture import Harness
from agentx.kernel.errors import InvalidValue

_HOOK_TOKEN = "__AGENTX_HOOK__"  # noqa: S105  (a place to fill in, not a secret)

_FIRST_START = (
    "with a plugin installed OpenCode fetches its plugin support from npm at its first start; "
    "offline that start takes about a minute"
)


def edits(request: SetupRequest) -> tuple[FileEdit, ...]:
    """Return how the files of OpenCode change."""
    return (_plugin(request), *_servers(request))


def plugin_text(words: tuple[str, ...]) -> str:
    """Return the plugin with the hook's argument list put in."""
    source = files("agentx.adapters.opencode").joinpath("plugin.js").read_text(encoding="utf-8")
    return source.replace(_HOOK_TOKEN, json.dumps(words))


def _plugin(request: SetupRequest) -> FileEdit:
    folder = request.homes.opencode_config
    if request.scope is SetupScope.PROJECT:
        folder = request.project_root / ".opencode"
    path = folder / "plugins" / "agentx.js"
    if request.uninstall:
        return edit_text(path, request, lambda text: None if _is_ours(text) else text)
    before = read_settings(path, request.ground)
    ours = _is_ours(before)
    if not (ours or is_blank(before)):
        raise InvalidValue(
            f"{path}: a plugin that is not of AgentX has this name",
            hint="rename it, then run the same command again",
        )
    after = plugin_text(hook_words(request, Harness.OPENCODE))
    notes = () if ours else (_FIRST_START,)
    return FileEdit(path=path, before=before, after=after, notes=notes, ground=request.ground)


def _is_ours(text: str | None) -> bool:
    return text is not None and HOOK_PROGRAM in text


def _servers(request: SetupRequest) -> tuple[FileEdit, ...]:
    entry = {
        "type": "local",
        "command": list(request.mcp_command),
        "timeout": limits.MCP_START_WAIT_SECONDS_MAX * 1000,
    }
    return tuple(
        edit
        for path in _list_settings(request)
        for edit in edit_servers(path, entry, request, servers="mcp")
    )


def _list_settings(request: SetupRequest) -> tuple[Path, ...]:
    """Return the file that the server goes into; to take it out, all it may have gone into."""
    folder = request.project_root
    if request.scope is SetupScope.USER:
        folder = request.homes.opencode_config
    commented, bare = folder / "opencode.jsonc", folder / "opencode.json"
    if request.uninstall:
        return commented, bare
    ground = request.ground
    is_commented = exists(commented, ground=ground) and not exists(bare, ground=ground)
    return (commented if is_commented else bare,)
