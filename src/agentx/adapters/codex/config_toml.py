"""Our entries in Codex's `config.toml`: hooks, where the user keeps theirs there, and the server.

In TOML a hook is two sections, `[[hooks.Event]]` and `[[hooks.Event.hooks]]`. The table
`hooks.state` is Codex's own note of what is trusted; it is no hook and is never touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

from agentx.adapters.settings.file import (
    HOOK_PROGRAM,
    MCP_SERVER,
    foreign_server,
    is_blank,
    is_our_handler,
    is_our_server,
)
from agentx.adapters.settings.toml_file import (
    Toml,
    TomlTable,
    check_meaning,
    read_toml,
    section,
    sections,
    with_section,
    with_values,
    without_section,
)
from agentx.kernel.errors import InvalidValue

HookPlace = tuple[str, int, int]  # event, position of the group, position in the group
Handler = Mapping[str, Any]

_SERVERS = "mcp_servers"


def has_hooks(data: Toml) -> bool:
    """Say whether a file holds hooks of anybody."""
    return any(_groups(data).values())


def our_hooks(data: Toml) -> list[HookPlace]:
    """Return where our hooks are, from first to last."""
    return [
        (event, group_position, position)
        for event, groups in _groups(data).items()
        for group_position, group in enumerate(groups)
        for position, handler in enumerate(_handlers(group))
        if is_our_handler(handler)
    ]


def put_in(
    before: str | None, path: Path, *, hooks: Mapping[str, Handler], server: Handler | None
) -> str | None:
    """Return the text with hooks and server, each once and up to date."""
    text = before or ""
    written = _hook_sections(hooks)
    if hooks:
        text = _with_hooks(text, path, hooks, written)
    if server is not None:
        text = _with_server(text, path, server)
    return before if text == (before or "") else text


def take_out(before: str | None, path: Path) -> str | None:
    """Return the text without anything of ours; None when nothing else was in it."""
    if before is None or not (HOOK_PROGRAM in before or MCP_SERVER in before):
        return before
    text = without_hooks(before, path)
    if is_our_server(_server(read_toml(text, path))):
        text = _without_server(text, path)
    return None if is_blank(text) and text != before else text


def without_hooks(text: str, path: Path) -> str:
    """Return the text without our hooks."""
    for place in reversed(our_hooks(read_toml(text, path))):
        text = _without_hook(text, path, place)
    return text


def _with_hooks(
    text: str, path: Path, hooks: Mapping[str, Handler], written: Mapping[str, str]
) -> str:
    data = read_toml(text, path)
    places = our_hooks(data)
    current = {place[0]: place for place in reversed(places) if place[0] in hooks}
    for event, handler in hooks.items():
        expected = deepcopy(data)
        if event not in current:
            listed = expected.setdefault("hooks", {}).setdefault(event, [])
            if isinstance(listed, list):  # else the check below refuses
                listed.append({"hooks": [handler]})
            text = with_section(text, written[event])
        elif _at(data, current[event]) != handler:
            _put(_at(expected, current[event]), handler)
            text = with_values(text, path, partial(_put_at, current[event], handler))
        data = read_toml(check_meaning(text, path, expected, written[event]), path)
    for place in reversed(places):
        if place not in current.values():
            text = _without_hook(text, path, place)
    return text


def _with_server(text: str, path: Path, server: Handler) -> str:
    data = read_toml(text, path)
    written = section((_SERVERS, MCP_SERVER), server)
    found = _server(data)
    expected = deepcopy(data)
    if not isinstance(expected.setdefault(_SERVERS, {}), dict):
        raise InvalidValue(f"{path}: {_SERVERS} is not a table", hint=f"by hand:\n{written}")
    expected[_SERVERS][MCP_SERVER] = {**(found or {}), **server}
    if found is None:
        text = with_section(text, written)
    elif not is_our_server(found):
        raise foreign_server(path)
    elif found != expected[_SERVERS][MCP_SERVER]:
        # Keys that we do not write, such as `env`, are the user's.
        text = with_values(text, path, lambda table: table[_SERVERS][MCP_SERVER].update(server))
    return check_meaning(text, path, expected, written)


def _without_hook(text: str, path: Path, place: HookPlace) -> str:
    event, group_position, position = place
    expected = read_toml(text, path)
    groups = expected["hooks"][event]
    handlers = groups[group_position]["hooks"]
    found = _place_sections(text)
    going = [found.get((event, group_position, position))]
    if len(handlers) == 1:
        going.append(found.get((event, group_position, None)))
        del groups[group_position]
    else:
        del handlers[position]
    for part in going:
        text = without_section(text, part) if part else text
    return check_meaning(
        text, path, expected, f"take out what calls {HOOK_PROGRAM} at hooks.{event}"
    )


def _without_server(text: str, path: Path) -> str:
    expected = read_toml(text, path)
    del expected[_SERVERS][MCP_SERVER]
    for part in reversed(sections(text)):
        if part.keys[:2] == (_SERVERS, MCP_SERVER):
            text = without_section(text, part)
    return check_meaning(text, path, expected, f"take out {_SERVERS}.{MCP_SERVER}")


def _place_sections(text: str) -> dict[tuple[str, int, int | None], TomlTable]:
    """Return the sections of all hooks; a group's own section has no last position."""
    placed: dict[tuple[str, int, int | None], TomlTable] = {}
    groups: dict[str, int] = {}
    handlers: dict[str, int] = {}
    for part in sections(text):
        if not part.repeated or part.keys[0] != "hooks":
            continue
        match part.keys[1:]:
            case (event,):
                groups[event] = groups.get(event, -1) + 1
                handlers[event] = 0
                placed[event, groups[event], None] = part
            case (event, "hooks") if event in groups:
                placed[event, groups[event], handlers[event]] = part
                handlers[event] += 1
    return placed


def _hook_sections(hooks: Mapping[str, Handler]) -> dict[str, str]:
    return {
        event: section(("hooks", event), {}, repeated=True)
        + "\n"
        + section(("hooks", event, "hooks"), handler, repeated=True)
        for event, handler in hooks.items()
    }


def _groups(data: Toml) -> dict[str, list[Any]]:
    hooks = data.get("hooks")
    events = hooks.items() if isinstance(hooks, dict) else ()
    return {event: groups for event, groups in events if isinstance(groups, list)}


def _server(data: Toml) -> Any:
    servers = data.get(_SERVERS)
    return servers.get(MCP_SERVER) if isinstance(servers, dict) else None


def _handlers(group: Any) -> list[Any]:
    handlers = group.get("hooks") if isinstance(group, dict) else None
    return handlers if isinstance(handlers, list) else []


def _at(data: Any, place: HookPlace) -> Any:
    event, group_position, position = place
    return data["hooks"][event][group_position]["hooks"][position]


def _put_at(place: HookPlace, handler: Handler, data: Any) -> None:
    _put(_at(data, place), handler)


def _put(table: Any, handler: Handler) -> None:
    for key in [key for key in table if key not in handler]:
        del table[key]
    table.update(handler)
