"""Which folder a client has open, where the server cannot know that by itself.

    stands in a project         that one, whatever the client has open
    stands in none              the client is asked (`roots/list`), if it said that it can tell

An editor starts the servers of its user in their home, and says only when asked which folder a
window shows. What it names counts as a working directory does: it is opened, and no more trusted.
Who is asked may not answer: a call waits a moment, once, and then works where the server stands.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from threading import Event
from typing import Any

_WAIT_S = 1.0
_PATH_CHARS_MAX = 4_096
_ROOTS_LOOKED_AT = 20
_OURS = (".git", ".agentx", ".agent-memory")
_ASKED_AT = ("notifications/initialized", "notifications/roots/list_changed")


class OpenFolder:
    """The folder that a client has open; `moved` is told where that is."""

    def __init__(self, *, is_adrift: bool, moved: Callable[[str], None]) -> None:
        self._is_adrift = is_adrift
        self._moved = moved
        self._can_tell = False
        self._asked = 0
        self._settled = Event()
        self._settled.set()

    def hear_greeting(self, params: dict[str, Any]) -> None:
        """Note whether a client that shakes hands can tell."""
        capable = params.get("capabilities")
        self._can_tell = isinstance(capable, dict) and isinstance(capable.get("roots"), dict)

    def ask_at(self, method: str) -> dict[str, Any] | None:
        """Return what to ask of the client when it has told something; None for nothing."""
        if not (self._is_adrift and self._can_tell and method in _ASKED_AT):
            return None
        self._asked += 1
        if self._asked == 1:
            self._settled.clear()
        return {"jsonrpc": "2.0", "id": self._id, "method": "roots/list"}

    def take_answer(self, message: Any) -> bool:
        """Take the answer to what was asked last; tell whether a message was that."""
        if not isinstance(message, dict) or "method" in message or not self._asked:
            return False
        if message.get("id") != self._id:
            return False
        found = _find_folder(message.get("result"))
        if found:
            self._moved(found)
        self._settled.set()
        return True

    def wait(self) -> None:
        """Wait a moment for an answer, once: who does not answer is waited for no more."""
        if not self._settled.wait(_WAIT_S):
            self._settled.set()

    @property
    def _id(self) -> str:
        return f"agentx-roots-{self._asked}"


def is_adrift(directory: str, variables: Mapping[str, str]) -> bool:
    """Tell whether a server stands in no project: in a home, or where no repository is above."""
    if variables.get("MEMORY_PROJECT_ID"):
        return False
    home, at = os.path.realpath(variables.get("HOME", "/")), os.path.realpath(directory)
    while at not in (home, os.path.dirname(at)):  # noqa: PTH120  pathlib takes longer than a greeting
        if any(os.path.lexists(f"{at}/{name}") for name in _OURS):
            return False
        at = os.path.dirname(at)  # noqa: PTH120  as above
    return True


def _find_folder(result: Any) -> str:
    """Return the first folder of this machine that an answer names; nothing where it has none."""
    roots = result.get("roots") if isinstance(result, dict) else None
    for root in roots[:_ROOTS_LOOKED_AT] if isinstance(roots, list) else ():
        path = _read_address(root.get("uri") if isinstance(root, dict) else None)
        if path and os.path.isdir(path):  # noqa: PTH112  as above
            return path
    return ""


def _read_address(uri: Any) -> str:
    if not isinstance(uri, str) or len(uri) > 3 * _PATH_CHARS_MAX:
        return ""
    from urllib.parse import unquote, urlsplit

    try:
        said = urlsplit(uri)
        path = unquote(said.path, errors="surrogateescape")
    except ValueError:
        return ""
    is_here = said.scheme == "file" and said.netloc in ("", "localhost")
    return path if is_here and path.startswith("/") and "\0" not in path else ""
