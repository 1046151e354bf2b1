"""Whether Codex runs our hooks: it skips in silence every hook that the user did not trust.

Codex keeps its trust in `[hooks.state]` of the user's `config.toml`: under
`<file>:<event>:<group>:<position>` the hash of the entry that was trusted. A hash of
another entry means that the hook changed since, and such a hook is skipped as well.
Only the user can trust a hook; we look and tell.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from agentx.adapters.codex import config_toml
from agentx.adapters.homes import Homes
from agentx.adapters.settings.additions import Shape, our_hooks
from agentx.adapters.settings.file import is_blank, read_settings
from agentx.adapters.settings.json_file import read_json
from agentx.adapters.settings.toml_file import read_toml
from agentx.kernel.capture import Harness

Trust = Literal["trusted", "untrusted", "not installed"]

# file, event, position of the group, position in the group, the group
_Entry = tuple[Path, str, int, int, dict[str, Any]]


def trust_state(homes: Homes, hook_command: tuple[str, ...]) -> Trust:
    """Say whether Codex runs the hooks that are installed for this user.

    Raises: CorruptRecord when a settings file does not parse.
    """
    line = shlex.join((*hook_command, "--harness", Harness.CODEX.value))
    entries = [entry for entry in _entries(homes) if _handler(entry).get("command") == line]
    if not entries:
        return "not installed"
    states = _states(homes)
    return "trusted" if all(_is_trusted(entry, states) for entry in entries) else "untrusted"


def _entries(homes: Homes) -> Iterator[_Entry]:
    path = homes.codex / "hooks.json"
    text = read_settings(path)
    if text is not None and not is_blank(text):
        document = read_json(text, path)
        for _, event, group, _, position in our_hooks(document, Shape.GROUPED):
            found = document.value["hooks"][event][group]
            yield path, str(event), int(group), int(position), found
    path = homes.codex / "config.toml"
    config = read_toml(read_settings(path) or "", path)
    for event, group, position in config_toml.our_hooks(config):
        yield path, event, group, position, config["hooks"][event][group]


def _handler(entry: _Entry) -> dict[str, Any]:
    *_, position, group = entry
    handler: dict[str, Any] = group["hooks"][position]
    return handler


def _states(homes: Homes) -> dict[tuple[Path, str, int, int], dict[str, Any]]:
    """Return what Codex noted of each hook; what it wrote in another way is left out."""
    path = homes.codex / "config.toml"
    hooks = read_toml(read_settings(path) or "", path).get("hooks")
    noted = hooks.get("state") if isinstance(hooks, dict) else None
    states = {}
    for key, state in noted.items() if isinstance(noted, dict) else ():
        match = re.fullmatch(r"(.+):(\w+):(\d+):(\d+)", key.strip(), re.DOTALL)
        if match and isinstance(state, dict):
            file, event, group, position = match.groups()
            states[Path(file).resolve(), event, int(group), int(position)] = state
    return states


def _is_trusted(entry: _Entry, states: dict[tuple[Path, str, int, int], dict[str, Any]]) -> bool:
    path, event, group_position, position, group = entry
    label = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
    state = states.get((path.resolve(), label, group_position, position), {})
    if state.get("enabled") is False:
        return False
    handler = {"timeout": 600, "async": False, **_handler(entry)}
    # Some events have no matcher: then Codex leaves it out, whatever the file says.
    shapes = [{"event_name": label, "hooks": [handler]}]
    if "matcher" in group:
        shapes.append({**shapes[0], "matcher": group["matcher"]})
    return state.get("trusted_hash") in {_hash(shape) for shape in shapes}


def _hash(shape: dict[str, Any]) -> str:
    """Return the hash by which Codex knows an entry: of its JSON with sorted keys."""
    text = json.dumps(shape, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + sha256(text.encode()).hexdigest()
