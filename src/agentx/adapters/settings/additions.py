"""What AgentX adds to somebody's JSON settings: hooks, an MCP server, rules of what it may call.

Hooks come in two shapes. Grouped: `{event: [{"matcher": ..., "hooks": [handler]}]}`.
Flat: `{event: [handler]}`. Either way:

* new entries go to the end, so that the user's own hooks run first and keep the
  positions by which Codex remembers that they are trusted;
* an entry of ours that is there is brought up to date where it stands; the group
  around it, with a matcher that the user may have set, is left alone;
* whatever does not call `agentx-hook` is not ours.

Rules are ours by what they say. They go in together, at the end, also where the user has one of
them already, so that taking out the last of each leaves the user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from pathlib import Path

from agentx.adapters.port import FileEdit, SetupRequest
from agentx.adapters.settings.file import (
    HOOK_PROGRAM,
    MCP_SERVER,
    foreign_server,
    is_blank,
    is_our_handler,
    is_our_server,
    read_settings,
)
from agentx.adapters.settings.json_file import (
    Json,
    JsonText,
    Place,
    append_item,
    pretty,
    read_json,
    refuse,
    remove_item,
    replace_value,
)
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen

_PERMISSIONS: Place = ("permissions",)
_ALLOW: Place = ("permissions", "allow")


class Shape(StrEnum):
    """How an agent CLI lists its hooks."""

    GROUPED = "grouped"
    FLAT = "flat"


@frozen
class Additions:
    """What belongs into one file. Without a server, one that is there is left alone."""

    hooks: Mapping[str, Json] = field(default_factory=dict)  # event to handler
    shape: Shape = Shape.GROUPED
    servers: str = "mcpServers"  # the key that holds MCP servers
    server: Json | None = None
    rules: tuple[str, ...] = ()  # of `permissions.allow`
    header: Mapping[str, Json] = field(default_factory=dict)  # what such a file must say


def edit_file(path: Path, additions: Additions, request: SetupRequest) -> FileEdit:
    """Return the file with the additions put in, or with whatever is ours taken out.

    Raises: CorruptRecord when the file does not parse, InvalidValue when something else stands
    where the additions go.
    """
    change = take_out if request.uninstall else put_in
    return edit_text(path, request, lambda before: change(before, path, additions))


def edit_text(
    path: Path, request: SetupRequest, change: Callable[[str | None], str | None]
) -> FileEdit:
    """Return a file before and after a change; a forgiving request is told what is wrong with it.

    Raises: as the change, unless the request is forgiving.
    """
    try:
        before = read_settings(path, request.ground)
        return FileEdit(path=path, before=before, after=change(before), ground=request.ground)
    except AgentXError as error:
        if not request.forgiving:
            raise
        return FileEdit(path=path, before=None, after=None, ground=request.ground, fault=error)


def edit_servers(
    path: Path, server: Json, request: SetupRequest, servers: str = "mcpServers"
) -> tuple[FileEdit, ...]:
    """Return the file of MCP servers with ours put in or taken out, if there is anything to do.

    Raises: as `edit_file`.
    """
    if not (request.uninstall or request.mcp_command):
        return ()
    additions = Additions(servers=servers, server=server if request.mcp_command else None)
    edit = edit_file(path, additions, request)
    is_missing = edit.before is None and edit.fault is None
    return () if request.uninstall and is_missing else (edit,)


def start_of(request: SetupRequest) -> dict[str, Json]:
    """Return how the MCP server is started, in the words of most agent CLIs."""
    program, *arguments = request.mcp_command or ("",)
    return {"command": program, "args": arguments}


def put_in(before: str | None, path: Path, additions: Additions) -> str:
    """Return the text with all additions, each once and up to date."""
    if before is None or is_blank(before):
        return pretty(_whole(additions))
    document = read_json(before, path)
    if not isinstance(document.value, dict):
        raise refuse(document, (), "an object", _whole(additions))
    for key, value in additions.header.items():
        if key not in document.value:
            document = append_item(document, (), value, key=key)
    if additions.hooks:
        document = _with_hooks(document, additions)
    if additions.server is not None:
        document = _with_server(document, additions)
    if additions.rules:
        document = _with_rules(document, additions.rules)
    return document.text


def take_out(before: str | None, path: Path, additions: Additions) -> str | None:
    """Return the text without anything of ours; None when nothing else was in it."""
    if before is None or not (HOOK_PROGRAM in before or MCP_SERVER in before):
        return before
    document: JsonText | None = read_json(before, path)
    assert document is not None
    server = (additions.servers, MCP_SERVER)
    # What was put in last comes out first.
    for place in _our_rules(document, additions.rules):
        assert document is not None
        document = remove_item(document, place)
    if document is None:
        return None
    entry = document.find(server)
    if entry is not None and is_our_server(entry.value):
        document = remove_item(document, server)
    for place in reversed(our_hooks(document, additions.shape)):
        assert document is not None
        document = remove_item(document, _with_its_group(document, place, additions.shape))
    header = dict(additions.header)
    if document is None:
        return None
    is_header = bool(header) and document.value == header and not document.comments
    return None if is_header and document.text != before else document.text


def our_hooks(document: JsonText | None, shape: Shape) -> list[Place]:
    """Return where our hooks are, from first to last."""
    root = document.value if document else None
    hooks = root.get("hooks") if isinstance(root, dict) else None
    places: list[Place] = []
    for event, entries in hooks.items() if isinstance(hooks, dict) else ():
        for position, entry in enumerate(entries if isinstance(entries, list) else ()):
            place: Place = ("hooks", event, position)
            if shape is Shape.FLAT:
                places += [place] if is_our_handler(entry) else []
                continue
            handlers = entry.get("hooks") if isinstance(entry, dict) else None
            places += [
                (*place, "hooks", index)
                for index, handler in enumerate(handlers if isinstance(handlers, list) else ())
                if is_our_handler(handler)
            ]
    return places


def _with_hooks(document: JsonText, additions: Additions) -> JsonText:
    hooks = {event: _entries(handler, additions) for event, handler in additions.hooks.items()}
    if document.find(("hooks",)) is None:
        return append_item(document, (), hooks, key="hooks")
    if not isinstance(document.value["hooks"], dict):
        raise refuse(document, ("hooks",), "an object", {"hooks": hooks})

    places = our_hooks(document, additions.shape)
    current = {place[1]: place for place in reversed(places) if place[1] in hooks}
    for event, handler in additions.hooks.items():
        if event in current:
            document = _bring_up_to_date(document, current[event], handler)
        else:
            document = _with_event(document, event, hooks[event])
    # Last, and from the back: until now every place is still where it was.
    for place in reversed(places):
        if place not in current.values():
            without = remove_item(document, _with_its_group(document, place, additions.shape))
            assert without is not None
            document = without
    return document


def _with_event(document: JsonText, event: str, entries: list[Json]) -> JsonText:
    listed = document.find(("hooks", event))
    if listed is None:
        return append_item(document, ("hooks",), entries, key=event)
    if not isinstance(listed.value, list):
        raise refuse(document, ("hooks", event), "a list", {"hooks": {event: entries}})
    return append_item(document, ("hooks", event), entries[0])


def _bring_up_to_date(document: JsonText, place: Place, wanted: Json) -> JsonText:
    found = document.find(place)
    assert found is not None, place
    return document if found.value == wanted else replace_value(document, place, wanted)


def _with_server(document: JsonText, additions: Additions) -> JsonText:
    servers, place = additions.servers, (additions.servers, MCP_SERVER)
    if document.find((servers,)) is None:
        return append_item(document, (), {MCP_SERVER: additions.server}, key=servers)
    if not isinstance(document.value[servers], dict):
        raise refuse(document, (servers,), "an object", {servers: {MCP_SERVER: additions.server}})
    found = document.find(place)
    if found is None:
        return append_item(document, (servers,), additions.server, key=MCP_SERVER)
    if not is_our_server(found.value):
        raise foreign_server(document.path)
    # Keys that we do not write, such as `env`, are the user's.
    return _bring_up_to_date(document, place, {**found.value, **(additions.server or {})})


def _with_rules(document: JsonText, rules: tuple[str, ...]) -> JsonText:
    by_hand = {"permissions": {"allow": list(rules)}}
    if document.find(_PERMISSIONS) is None:
        return append_item(document, (), by_hand["permissions"], key="permissions")
    if not isinstance(document.value["permissions"], dict):
        raise refuse(document, _PERMISSIONS, "an object", by_hand)
    listed = document.find(_ALLOW)
    if listed is None:
        return append_item(document, _PERMISSIONS, list(rules), key="allow")
    if not isinstance(listed.value, list):
        raise refuse(document, _ALLOW, "a list", by_hand)
    missing = [rule for rule in rules if rule not in listed.value]
    # Few that are there are the user's own; most of them are ours, of an earlier version.
    for rule in rules if len(missing) > len(rules) / 2 else missing:
        document = append_item(document, _ALLOW, rule)
    return document


def _our_rules(document: JsonText, rules: tuple[str, ...]) -> list[Place]:
    """Return where the last of each rule is, from last to first."""
    listed = document.find(_ALLOW)
    if listed is None or not isinstance(listed.value, list):
        return []
    last = {rule: place for place, rule in enumerate(listed.value) if rule in rules}
    return [(*_ALLOW, place) for place in sorted(last.values(), reverse=True)]


def _with_its_group(document: JsonText, place: Place, shape: Shape) -> Place:
    """Return what goes when a hook goes: its group too, when it is alone in there."""
    if shape is Shape.FLAT:
        return place
    handlers = document.find(place[:-1])
    assert handlers is not None, place
    return place[:-2] if len(handlers.items) == 1 else place


def _entries(handler: Json, additions: Additions) -> list[Json]:
    return [{"hooks": [handler]}] if additions.shape is Shape.GROUPED else [handler]


def _whole(additions: Additions) -> Json:
    hooks = {event: _entries(handler, additions) for event, handler in additions.hooks.items()}
    parts: dict[str, Json] = {
        "hooks": hooks,
        additions.servers: additions.server and {MCP_SERVER: additions.server},
        "permissions": additions.rules and {"allow": list(additions.rules)},
    }
    return {**additions.header, **{key: part for key, part in parts.items() if part}}
