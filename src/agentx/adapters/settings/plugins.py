"""Whether an agent CLI has AgentX as a plugin of its own, so that its settings need no hooks.

Claude Code, Copilot CLI   settings.json, enabledPlugins: {"agentx@...": true}
Codex                      config.toml, [plugins."agentx@..."], unless enabled is false
Gemini CLI                 extensions/agentx/
OpenCode                   plugins/agentx.js and plugins/agentx-tools.js
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentx.adapters.homes import Homes
from agentx.adapters.settings.file import read_settings
from agentx.adapters.settings.json_file import read_json
from agentx.adapters.settings.toml_file import read_toml
from agentx.kernel.capture import Harness
from agentx.kernel.errors import AgentXError

_NAME = "agentx@"


def has_plugin(harness: Harness, homes: Homes) -> bool:
    """Tell whether the plugin is installed and on; one whose files cannot be read is not."""
    first, *others = list_plugin_files(harness, homes)
    try:
        text = read_settings(first)
        if text is None:
            return False
        match harness:
            case Harness.GEMINI:
                return True
            case Harness.OPENCODE:
                return read_settings(others[0]) is not None
            case Harness.CODEX:
                return _is_on(read_toml(text, first).get("plugins"))
            case _:
                said = read_json(text, first).value if text.strip() else {}
                return isinstance(said, dict) and _is_on(said.get("enabledPlugins"))
    except AgentXError:
        return False


def list_plugin_files(harness: Harness, homes: Homes) -> tuple[Path, ...]:
    """Return the files that say so."""
    match harness:
        case Harness.CLAUDE_CODE:
            return (homes.claude_code / "settings.json",)
        case Harness.COPILOT:
            return (homes.copilot / "settings.json",)
        case Harness.CODEX:
            return (homes.codex / "config.toml",)
        case Harness.GEMINI:
            return (homes.gemini / "extensions" / "agentx" / "gemini-extension.json",)
        case Harness.OPENCODE:
            folder = homes.opencode_config / "plugins"
            return folder / "agentx-tools.js", folder / "agentx.js"


def _is_on(plugins: Any) -> bool:
    if not isinstance(plugins, dict):
        return False
    said = [value for name, value in plugins.items() if str(name).startswith(_NAME)]
    return any(
        value.get("enabled", True) is True if isinstance(value, dict) else value is True
        for value in said
    )
