"""Which toolsets are listed: those that were chosen, and those that the project turned out to use.

A look at the project takes longer than a list may, so it is made on a thread of its own, and
only where there is anything to look at; a list waits a moment for it. What came on stays on
for the life of the server: a list that changes costs the client what it had cached.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from threading import Lock, Thread

from agentx.project.toolsets import TOOLSETS, parse_toolsets

_LOOK_WAIT_S = 0.25


class Toolsets:
    """What is on in one server."""

    def __init__(
        self,
        said: str,
        *,
        has_role: bool = False,
        watched: Iterable[str] = (),
        look: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self._on, self._is_auto = parse_toolsets(said)
        self._watched = tuple(watched)
        self._look = look
        # A role is a reason to look, whatever there is.
        self._seen: object = None if has_role else (None,) * len(self._watched)
        self._looking: Thread | None = None
        self._changes = Lock()
        self._listed = self._on

    def list_on(self) -> frozenset[str]:
        """Return what is on, waiting a moment for a look that has begun."""
        self.notice()
        looking = self._looking
        if looking is not None:
            looking.join(_LOOK_WAIT_S)
        self._listed = self._on
        return self._listed

    def move(self, watched: Iterable[str]) -> None:
        """Look at another project from now on."""
        self._watched = tuple(watched)
        self._seen = (None,) * len(self._watched)

    def notice(self) -> None:
        """Begin to look again where something changed since the last look."""
        if not self._is_auto or self._on == frozenset(TOOLSETS) or self.is_looking:
            return
        seen = tuple(map(_stamp, self._watched))
        if seen == self._seen:
            return
        self._seen = seen
        self._looking = Thread(target=self._take_look, daemon=True)
        self._looking.start()

    def take_change(self) -> bool:
        """Tell once that more is on than was last listed."""
        with self._changes:
            is_changed, self._listed = self._on != self._listed, self._on
        return is_changed

    @property
    def is_looking(self) -> bool:
        """Tell whether a look is being made."""
        return self._looking is not None and self._looking.is_alive()

    def _take_look(self) -> None:
        found = self._look() & frozenset(TOOLSETS)
        with self._changes:
            self._on |= found


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_ino


def list_watched(directory: str, config_home: str) -> tuple[str, ...]:
    """Return what tells, by its age alone, that a project may use more than the first toolset."""
    root = directory
    while not os.path.lexists(os.path.join(root, ".git")):  # noqa: PTH118  pathlib takes longer than this
        above = os.path.dirname(root)  # noqa: PTH120  as above
        if above == root:
            root = directory
            break
        root = above
    return (
        f"{root}/.agentx/state/clarifications",
        f"{root}/.agentx/issues",
        f"{root}/.agent-memory/runs",
        f"{root}/.agentx/config.toml",
        f"{config_home}/agentx/config.toml",
        f"{config_home}/agentx/projects",
    )
