"""What is ours in a settings file: told in few words, and the line by which our hook is called."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator

from agentx.adapters.port import FileEdit
from agentx.adapters.settings.additions import Shape, our_hooks
from agentx.adapters.settings.file import HOOK_PROGRAM, is_blank, is_our_handler
from agentx.adapters.settings.json_file import Json, read_json
from agentx.adapters.settings.toml_file import read_toml
from agentx.kernel.text import compile_late

_HOOKS = compile_late(rf"[^\n]*{HOOK_PROGRAM}['\"\\]*\s+--harness[^\n]*")
_SERVERS = compile_late(r'"agentx"\s*:\s*\{[^}]*|\[mcp_servers\.agentx\][^\[]*')
_TASKS = compile_late(r'"label"\s*:\s*"AgentX: [^"]*"')
_RULES = compile_late(r'"mcp__agentx__\w+"')
_WORDS = compile_late(rf"\[[^\[\]]*{HOOK_PROGRAM}[^\[\]]*\]")
_COMMAND_KEYS = ("command", "bash")


def tell_change(edit: FileEdit) -> str:
    """Return what an edit comes to: `+ 12 hooks, + MCP server (new)`."""
    before, after = edit.before or "", edit.after or ""
    if edit.before == edit.after:
        return "nothing to do"
    if edit.path.suffix == ".js":
        parts = [_sign(int(bool(before)), int(bool(after)), "plugin")]
    else:
        parts = list(_list_parts(before, after))
    said = ", ".join(parts) or "~ brought up to date"
    if edit.before is None:
        return f"{said} (new)"
    return f"{said} (file goes)" if edit.after is None else said


def find_hook_line(edit: FileEdit) -> str:
    """Return the first line in a file, as it is, by which our hook is called; empty for none.

    Raises: CorruptRecord when the file does not parse.
    """
    text, path = edit.before, edit.path
    if text is None or is_blank(text) or HOOK_PROGRAM not in text:
        return ""
    if path.suffix == ".js":
        words = _WORDS.search(text)
        return shlex.join(json.loads(words.group())) if words else ""
    if path.suffix == ".toml":
        return next(_list_commands(read_toml(text, path).get("hooks")), "")
    document = read_json(text, path)
    for place in (*our_hooks(document, Shape.GROUPED), *our_hooks(document, Shape.FLAT)):
        found = document.find(place)
        for key in _COMMAND_KEYS:
            if found is not None and isinstance(found.value.get(key), str):
                return str(found.value[key])
    return ""


def _list_commands(value: Json) -> Iterator[str]:
    """Yield the lines of our hooks, however deep they lie."""
    if is_our_handler(value):
        yield str(value["command"])
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _list_commands(part)


def _list_parts(before: str, after: str) -> Iterator[str]:
    hooks = _HOOKS.findall(before), _HOOKS.findall(after)
    yield from filter(None, (_tell(*hooks, "hook"), _tell(*_find(_SERVERS, before, after), "")))
    yield from filter(None, (_tell(*_find(_RULES, before, after), "rule"),))
    yield from filter(None, (_tell(*_find(_TASKS, before, after), "task"),))


def _find(pattern: re.Pattern[str], before: str, after: str) -> tuple[list[str], list[str]]:
    return pattern.findall(before), pattern.findall(after)


def _tell(before: list[str], after: list[str], noun: str) -> str:
    """Return what became of one kind of entry; nothing where it is as it was."""
    if len(before) == len(after) and sorted(before) == sorted(after):
        return ""
    changed = abs(len(after) - len(before)) or len(after)
    words = "MCP server" if not noun else f"{changed} {noun}" + ("s" if changed > 1 else "")
    return _sign(len(before), len(after), words)


def _sign(before: int, after: int, words: str) -> str:
    sign = "~" if before == after else "+" if after > before else "-"
    return f"{sign} {words}"
