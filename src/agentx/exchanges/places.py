"""Where in a repository a command ran: a check of one package tells nothing of another's.

A folder is named from the repository's root; the root itself, what lies outside and what is not
known have no name.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from agentx.exchanges.tools import ToolStep
from agentx.kernel.text import compile_late

# What Codex, Gemini CLI and OpenCode call the folder that a command is to run in.
_GIVEN = ("workdir", "cwd", "dir_path", "directory")
_ENTERS = compile_late(r"\s*(?:cd|pushd)\s+(?P<folder>\"[^\"]+\"|'[^']+'|[^\s;&|]+)\s*(?:&&|;|\n)")
_NOT_PLAIN = compile_late(r"[$`*?~<>(){}]|\A-")
_NAME_CHARS_MAX = 80


def find_folder(step: ToolStep) -> str:
    """Return the folder below the repository's root in which a step's command ran."""
    root = (step.call.root or step.call.directory).rstrip("/")
    where = step.call.directory.rstrip("/") or root
    given = step.call.arguments
    if isinstance(given, Mapping):
        asked = next((name for name in _GIVEN if isinstance(given.get(name), str)), "")
        where = posixpath.join(where, given[asked]) if asked and given[asked] else where
    command = step.command
    while entered := _ENTERS.match(command):
        folder = entered["folder"].strip("\"'")
        if _NOT_PLAIN.search(folder):
            return ""
        where, command = posixpath.join(where, folder), command[entered.end() :]
    return name_folder(where, root)


def name_folder(where: str, root: str) -> str:
    """Return a folder as it is named from a root; nothing for the root and what is outside."""
    place = posixpath.normpath(where) if where else ""
    if root and place.startswith(f"{root}/"):
        place = place[len(root) + 1 :]
    is_below = place and place != root and not place.startswith(("/", "..")) and place != "."
    return place if is_below and len(place) <= _NAME_CHARS_MAX else ""


def is_apart(one: str, other: str) -> bool:
    """Tell whether two folders lie beside each other: what is checked in both is not the same.

    The root takes in every folder, and where a command ran is not always known.
    """
    return bool(one and other) and not (
        f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")
    )
