"""Where that lies which only this machine needs: beside the repository's files, if they are ours.

The specified place is `.agentx/memory` and its like. Where a stranger may have put something into
it (a repository that was not made by us, or a file there that git tracks), our own lives in the
store's folder, and stays there: what was chosen once is kept to until a person says otherwise.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.host.files.disk import look_at
from agentx.host.files.json_text import line_of, parse_json
from agentx.host.git import facts as git
from agentx.kernel.errors import UnavailableError
from agentx.kernel.paths import StorePaths
from agentx.project.trust.marker import read_small
from agentx.project.trust.trust import Trust

AGENT_STATUS = "state/agent-status.json"
LOOP_STATE = "state/loop-state.json"
PRIVATE_NAMES = ("memory", "logs", "sessions", AGENT_STATUS, LOOP_STATE)

_NOTE_BYTES_MAX = 1024 * 1024


class PrivateFolders:
    """The folders of one project that belong to this machine."""

    def __init__(self, trust: Trust, store: StorePaths) -> None:
        self._trust = trust
        self._store = store

    def place(self, name: str) -> Path:
        """Return where one of the private names is kept: in the repository, or in the store."""
        aside = self._store.private / name
        if os.path.lexists(aside):
            return aside
        return self._trust.paths.own / name if self._is_ours(name) else aside

    def list_tracked(self) -> tuple[str, ...]:
        """Return the private names of which git tracks something: never ours, whoever says so."""
        trust = self._trust
        if trust.common is None or not os.path.lexists(trust.paths.own):
            return ()
        index = look_at(trust.common / "index")
        if index is None:
            return ()
        noted = self._read_note(list(index))
        if noted is not None:
            return noted
        listed = git.list_tracked(trust.paths.root, trust.paths.own.name)
        # What git cannot say may be anything.
        found = PRIVATE_NAMES if listed is None else _of_names(listed)
        if listed is not None:
            self._write_note([list(index), list(found)])
        return found

    def has_untold(self) -> bool:
        """Tell whether something lies there that is told once a person trusts the repository."""
        trust = self._trust
        if trust.holds_data and not trust.has_data:
            return True
        is_kept_back = os.path.lexists(trust.paths.observations) and not trust.has_private
        return is_kept_back and "memory" not in self.list_tracked()

    def say_untold(self) -> str:
        """Return what is not told here, why, and how that is mended; nothing where all is told."""
        if "memory" in self.list_tracked() and self._trust.has_private:
            return (
                "Not told is what lies in .agentx/memory: git tracks it, so it may be anybody's. "
                "If it is yours: git rm -r --cached .agentx/memory"
            )
        if self.has_untold():
            return (
                "Not told is what lies in the repository, not trusted yet (a pull may have "
                "brought some of it): agentx trust --show, then agentx trust"
            )
        return ""

    def _is_ours(self, name: str) -> bool:
        if self._trust.is_bare:
            return True
        return self._trust.has_private and name not in self.list_tracked()

    def _read_note(self, index: list[int]) -> tuple[str, ...] | None:
        raw = read_small(self._store.tracked, _NOTE_BYTES_MAX)
        try:
            match None if raw is None else parse_json(raw):
                case [list(seen), list(names)] if seen == index:
                    return tuple(map(str, names))
                case _:
                    return None
        except ValueError:
            return None

    def _write_note(self, note: object) -> None:
        if self._store.root.is_dir():
            with suppress(UnavailableError):  # it only saves work
                replace_file(self._store.tracked, line_of(note))


def _of_names(listed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the private names that are tracked, hold something tracked or lie in such a thing."""
    paths = {"/".join(path.lower().split("/")[1:]) for path in listed}
    return tuple(
        name
        for name in PRIVATE_NAMES
        if any(
            not path or f"{path}/".startswith(f"{name}/") or f"{name}/".startswith(f"{path}/")
            for path in paths
        )
    )
