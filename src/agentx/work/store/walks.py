"""Ways of issues through their workflows on disk: a growing file of events each, in the store.

    {"version": 1, "kind": "step-began", "at_ms": 1772445600000, "step": "implement", ...}

It lies where no repository puts anything: whoever reads it goes on with what stands there. What is
acknowledged is on disk.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from agentx.host.files.journal import Journal
from agentx.kernel.clock import Clock
from agentx.kernel.errors import CorruptRecord, UnsupportedVersion
from agentx.kernel.paths import check_number
from agentx.kernel.text import whole_head
from agentx.redaction.redact import redact
from agentx.work.limits import WALK_REPORT_CHARS_MAX
from agentx.work.walk.model import WalkEvent

_VERSION = 1


class WalkFile:
    """What happened on one issue's way."""

    def __init__(self, folder: Path, issue: int, clock: Clock) -> None:
        self.path = folder / f"{check_number(issue)}.jsonl"
        self._journal = Journal(self.path, clock)

    def append(self, event: WalkEvent) -> None:
        """Keep an event, without secrets.

        Raises: UnavailableError, LockHeld.
        """
        told = {
            name: _clean(value)
            for name, value in msgspec.to_builtins(event).items()
            if value not in ("", 0, False, [], ())
        }
        self._journal.append([{"version": _VERSION, **told}])

    def read(self) -> tuple[WalkEvent, ...]:
        """Return all that happened, oldest first.

        Raises: CorruptRecord, UnsupportedVersion.
        """
        return tuple(self._decode(each) for each in self._journal.records())

    def _decode(self, said: object) -> WalkEvent:
        version = said.get("version") if isinstance(said, dict) else None
        if isinstance(version, int) and version > _VERSION:
            raise UnsupportedVersion(
                f"{self.path} was written by a newer AgentX", hint="update this one"
            )
        try:
            return msgspec.convert(said, WalkEvent)
        except msgspec.ValidationError as error:
            raise CorruptRecord(
                f"{self.path}: a line is no event: {error}", hint="mend or delete that line"
            ) from error


def _clean(value: object) -> object:
    if isinstance(value, str):
        return redact(whole_head(value, WALK_REPORT_CHARS_MAX))
    return [_clean(each) for each in value] if isinstance(value, list | tuple) else value
