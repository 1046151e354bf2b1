"""Which questions of runs a person was shown, kept in their own data folder.

    {"shown": {"<run> <name>": <digest of the question>, ...}}

Whoever can write the repository can reword a question between a person's look and their answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from agentx.host.documents.json_file import json_file
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError
from agentx.runs.asked import Escalation

_NAMES_MAX = 2_000  # the last ones


class ShownAsks:
    """What a person was last shown under the names of runs' questions, in any checkout."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._file = json_file(path, clock, owner="agentx run")

    def note_told(self, asks: Iterable[tuple[str, Escalation]]) -> None:
        """Note what a person was shown, each of its run."""
        told = {_name(run, asked.id): asked.digest for run, asked in asks}
        known = self._read() if told else {}
        if told.items() <= known.items():
            return
        with suppress(AgentXError, OSError), self._file.editing() as doc:
            left = {name: was for name, was in self._list(doc).items() if name not in told}
            doc["shown"] = dict(list({**left, **told}.items())[-_NAMES_MAX:])

    def find_told(self, run: str, name: str) -> str:
        """Return the digest of what a person was shown under a name; nothing where none was."""
        return self._read().get(_name(run, name), "")

    def _read(self) -> dict[str, str]:
        with suppress(AgentXError, OSError):
            return self._list(self._file.read())
        return {}

    @staticmethod
    def _list(doc: Mapping[str, object] | None) -> dict[str, str]:
        shown = None if doc is None else doc.get("shown")
        if not isinstance(shown, dict):
            return {}
        return {name: was for name, was in shown.items() if isinstance(was, str)}


def _name(run: str, name: str) -> str:
    return f"{run} {name}"
