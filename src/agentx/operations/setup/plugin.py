"""AgentX as a plugin: a folder that an agent CLI installs by its own means, instead of settings.

What stands in it is what `agentx setup` would have written into settings: the same edits are
asked for a home where nothing is, and put where a plugin has them. Programs are named by their
names, so that a team can share the folder: whoever installs it has `agentx` on the PATH.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentx import __version__
from agentx.adapters.homes import Homes
from agentx.adapters.port import SetupRequest, SetupScope
from agentx.adapters.registry import ADAPTERS
from agentx.adapters.settings.file import HOOK_PROGRAM, MCP_SERVER
from agentx.adapters.settings.json_file import pretty
from agentx.host.files.atomic import replace_file
from agentx.host.files.ground import make_folders
from agentx.host.files.plain import is_file, list_folder, read_text
from agentx.kernel.capture import Harness
from agentx.kernel.errors import InvalidValue
from agentx.kernel.values import frozen

_NAME = "agentx"
_ABOUT = "Remembers every session of every agent CLI, and lets agents ask."
_SHARED_FILE = 0o644
_NOWHERE = Path("/nowhere")
_BUILT = (Harness.CLAUDE_CODE, Harness.CODEX, Harness.GEMINI)


@frozen
class PluginReply:
    """What was written, and what installs it."""

    harness: Harness
    title: str
    folder: str
    files: tuple[str, ...]
    install: tuple[str, ...]


def write_plugin(harness: Harness, folder: Path) -> PluginReply:
    """Write the plugin of one agent CLI into a folder: a new one, or one that held it before.

    Raises: InvalidValue for an agent CLI that none is built for, or another's folder.
    """
    if harness not in _BUILT:
        names = ", ".join(_BUILT)
        raise InvalidValue(
            f"there is no plugin for {harness}",
            hint=f"there are plugins for {names}; `agentx setup {harness}` does the same",
        )
    place = folder.expanduser().absolute()
    files = _list_files(harness)
    _refuse_others(place, harness)
    for name, content in files.items():
        path = place / name
        make_folders(path.parent, private=False)
        replace_file(path, pretty(content).encode(), _SHARED_FILE)
    return PluginReply(
        harness=harness,
        title=ADAPTERS[harness].title,
        folder=str(place),
        files=tuple(files),
        install=_say_install(harness, place),
    )


def _list_files(harness: Harness) -> dict[str, Any]:
    """Return what belongs into the folder, by path."""
    hooks, servers = _read_source(harness)
    facts = {"name": _NAME, "version": __version__, "description": _ABOUT}
    if harness is Harness.GEMINI:
        return {
            "gemini-extension.json": {**facts, "mcpServers": servers},
            "hooks/hooks.json": {"hooks": hooks},
        }
    manifest = ".claude-plugin" if harness is Harness.CLAUDE_CODE else ".codex-plugin"
    entry = {"name": _NAME, "source": f"./{_NAME}", "description": _ABOUT, "version": __version__}
    catalog = {
        "name": _NAME,
        "description": _ABOUT,
        "owner": {"name": "AgentX"},
        "plugins": [entry],
    }
    named = {**facts, "author": {"name": "AgentX"}}
    if harness is Harness.CODEX:
        named |= {"hooks": "./hooks/hooks.json", "mcpServers": "./.mcp.json"}
    return {
        ".claude-plugin/marketplace.json": catalog,
        f"{_NAME}/{manifest}/plugin.json": named,
        f"{_NAME}/hooks/hooks.json": {"hooks": hooks},
        f"{_NAME}/.mcp.json": {"mcpServers": servers},
    }


def _read_source(harness: Harness) -> tuple[Any, dict[str, Any]]:
    """Return the hooks and the server that settings would hold."""
    request = SetupRequest(
        homes=Homes(
            home=_NOWHERE,
            claude_code=_NOWHERE / ".claude",
            codex=_NOWHERE / ".codex",
            gemini=_NOWHERE / ".gemini",
            opencode_config=_NOWHERE / "opencode",
            opencode_db=_NOWHERE / "opencode.db",
            copilot=_NOWHERE / ".copilot",
        ),
        scope=SetupScope.USER,
        project_root=_NOWHERE,
        hook_command=(HOOK_PROGRAM,),
        mcp_command=(MCP_SERVER, "mcp"),
    )
    first = ADAPTERS[harness].edits(request)[0]
    assert first.after is not None
    return json.loads(first.after)["hooks"], {MCP_SERVER: {"command": MCP_SERVER, "args": ["mcp"]}}


def _refuse_others(place: Path, harness: Harness) -> None:
    """Raise InvalidValue for a folder that holds anything but this plugin."""
    own = next(iter(_list_files(harness)))
    if is_file(place / own):
        try:
            said = json.loads(read_text(place / own))
        except ValueError:
            said = None
        if isinstance(said, dict) and said.get("name") == _NAME:
            return
    try:
        found = list_folder(place)
    except OSError as error:
        raise InvalidValue(f"{place}: {error.strerror}", hint="name a new folder") from error
    if found.files or found.folders or found.refused:
        raise InvalidValue(f"{place} holds something else", hint="name a new folder")


def _say_install(harness: Harness, place: Path) -> tuple[str, ...]:
    match harness:
        case Harness.GEMINI:
            return (f"gemini extensions install {place}",)
        case Harness.CODEX:
            return (f"codex plugin marketplace add {place}", f"codex plugin add {_NAME}@{_NAME}")
        case _:
            return (
                f"claude plugin marketplace add {place}",
                f"claude plugin install {_NAME}@{_NAME}",
            )
