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
_MANIFESTS = {
    Harness.CLAUDE_CODE: ".claude-plugin",
    Harness.CODEX: ".codex-plugin",
    Harness.COPILOT: ".claude-plugin",
}
# OpenCode has no file for servers in a plugin: what it reads of its settings is added to.
_OPENCODE_SERVER = """\
// Lets agents in OpenCode ask AgentX. Written by `agentx setup opencode --as-plugin`.
export const AgentXTools = async () => ({
  config: async (config) => {
    config.mcp = { %s: %s, ...config.mcp }
  },
})
"""


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

    Raises: InvalidValue for a folder that holds something else.
    """
    place = folder.expanduser().absolute()
    files = _list_files(harness)
    _refuse_others(place, harness)
    for name, content in files.items():
        path = place / name
        make_folders(path.parent, private=False)
        replace_file(path, content.encode(), _SHARED_FILE)
    return PluginReply(
        harness=harness,
        title=ADAPTERS[harness].title,
        folder=str(place),
        files=tuple(files),
        install=_say_install(harness, place),
    )


def _list_files(harness: Harness) -> dict[str, str]:
    """Return what belongs into the folder, by path; first what it is known again by."""
    first, *others = _ask_setup(harness)
    if harness is Harness.OPENCODE:
        server = json.loads(others[0])["mcp"][MCP_SERVER]
        return {
            "plugins/agentx.js": first,
            "plugins/agentx-tools.js": _OPENCODE_SERVER % (MCP_SERVER, json.dumps(server)),
        }
    hooks = json.loads(first)
    servers = {MCP_SERVER: {"command": MCP_SERVER, "args": ["mcp"]}}
    facts = {"name": _NAME, "version": __version__, "description": _ABOUT}
    if harness is Harness.GEMINI:
        files: dict[str, Any] = {
            "gemini-extension.json": {**facts, "mcpServers": servers},
            "hooks/hooks.json": {"hooks": hooks["hooks"]},
        }
    else:
        files = _list_plugin(harness, facts, hooks, servers)
    return {name: pretty(content) for name, content in files.items()}


def _list_plugin(
    harness: Harness, facts: dict[str, str], hooks: dict[str, Any], servers: dict[str, Any]
) -> dict[str, Any]:
    """Return a marketplace with one plugin, as Claude Code, Codex and Copilot CLI read it."""
    entry = {**facts, "source": f"./{_NAME}"}
    owner = {"name": "AgentX"}
    named: dict[str, Any] = {**facts, "author": owner}
    manifest = f"{_MANIFESTS[harness]}/plugin.json"
    if harness is not Harness.CLAUDE_CODE:
        named |= {"hooks": "./hooks/hooks.json", "mcpServers": "./.mcp.json"}
    kept = hooks if harness is Harness.COPILOT else {"hooks": hooks["hooks"]}
    return {
        ".claude-plugin/marketplace.json": {
            "name": _NAME,
            "description": _ABOUT,
            "owner": owner,
            "plugins": [entry],
        },
        f"{_NAME}/{manifest}": named,
        f"{_NAME}/hooks/hooks.json": kept,
        f"{_NAME}/.mcp.json": {"mcpServers": servers},
    }


def _ask_setup(harness: Harness) -> tuple[str, ...]:
    """Return what would be written into settings where nothing is: hooks first."""
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
    return tuple(edit.after or "" for edit in ADAPTERS[harness].edits(request))


def _refuse_others(place: Path, harness: Harness) -> None:
    """Raise InvalidValue for a folder that holds anything but this plugin."""
    own = next(iter(_list_files(harness)))
    if is_file(place / own) and _is_ours(read_text(place / own)):
        return
    try:
        found = list_folder(place)
    except OSError as error:
        raise InvalidValue(f"{place}: {error.strerror}", hint="name a new folder") from error
    if found.files or found.folders or found.refused:
        raise InvalidValue(f"{place} holds something else", hint="name a new folder")


def _is_ours(text: str) -> bool:
    if HOOK_PROGRAM in text:
        return True
    try:
        said = json.loads(text)
    except ValueError:
        return False
    return isinstance(said, dict) and said.get("name") == _NAME


def _say_install(harness: Harness, place: Path) -> tuple[str, ...]:
    match harness:
        case Harness.GEMINI:
            return (f"gemini extensions install {place}",)
        case Harness.OPENCODE:
            return (f"cp {place}/plugins/*.js ~/.config/opencode/plugins/",)
        case Harness.COPILOT:
            return (
                f"copilot plugin marketplace add {place}",
                f"copilot plugin install {_NAME}@{_NAME}",
            )
        case Harness.CODEX:
            return (f"codex plugin marketplace add {place}", f"codex plugin add {_NAME}@{_NAME}")
        case _:
            return (
                f"claude plugin marketplace add {place}",
                f"claude plugin install {_NAME}@{_NAME}",
            )
