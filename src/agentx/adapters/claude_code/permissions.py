"""Whether Claude Code lets an agent call our tools: what its settings allow, refuse and switch off.

Three files have a say beside the one of the servers: the user's, the project's and the user's
own for this project. A refusal in any of them beats every permission.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from agentx.adapters.homes import Homes
from agentx.adapters.settings.file import MCP_SERVER, read_settings
from agentx.adapters.settings.json_file import read_json
from agentx.kernel.errors import AgentXError

_PREFIX = f"mcp__{MCP_SERVER}"
_EVERY = (_PREFIX, f"{_PREFIX}__*", "mcp__*")


def state_file(homes: Homes) -> Path:
    """Return the file that holds the user's MCP servers: inside a folder of the user's choice,
    beside the folder of Claude Code's own."""
    default = homes.home / ".claude"
    return (homes.home if homes.claude_code == default else homes.claude_code) / ".claude.json"


def rules_for(tools: Iterable[str]) -> tuple[str, ...]:
    """Return the rules by which tools are called without asking."""
    return tuple(f"{_PREFIX}__{tool}" for tool in tools)


def find_refusals(homes: Homes, project_root: Path) -> tuple[str, ...]:
    """Return what keeps agents from our tools, each with the file that says so."""
    found = []
    for path, said in _settings(homes, project_root):
        permissions = said.get("permissions")
        denied = _texts(permissions.get("deny") if isinstance(permissions, dict) else None)
        rules = [rule for rule in denied if rule in _EVERY or rule.startswith(f"{_PREFIX}__")]
        found += [f"{rule} in permissions.deny of {path}" for rule in rules]
        if MCP_SERVER in _texts(said.get("disabledMcpjsonServers")):
            found.append(f"{MCP_SERVER} in disabledMcpjsonServers of {path}")
    state = state_file(homes)
    projects = _read(state, None).get("projects")
    here = projects.get(str(project_root)) if isinstance(projects, dict) else None
    for key in ("disabledMcpServers", "disabledMcpjsonServers"):
        if isinstance(here, dict) and MCP_SERVER in _texts(here.get(key)):
            found.append(f"{MCP_SERVER} is switched off for this project in {state}")
    return tuple(dict.fromkeys(found))


def is_allowed(homes: Homes, project_root: Path, tools: Iterable[str]) -> bool:
    """Tell whether all of some tools are called without asking."""
    allowed: set[str] = set()
    for _, said in _settings(homes, project_root):
        permissions = said.get("permissions")
        allowed.update(_texts(permissions.get("allow") if isinstance(permissions, dict) else None))
    return bool(allowed.intersection(_EVERY)) or allowed.issuperset(rules_for(tools))


def _settings(homes: Homes, project_root: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    yield (path := homes.claude_code / "settings.json"), _read(path, None)
    for name in ("settings.json", "settings.local.json"):
        path = project_root / ".claude" / name
        yield path, _read(path, project_root)


def _read(path: Path, ground: Path | None) -> dict[str, Any]:
    try:
        text = read_settings(path, ground)
        said = read_json(text, path).value if text and text.strip() else {}
    except AgentXError:
        return {}  # setup says what is wrong with it
    return said if isinstance(said, dict) else {}


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
