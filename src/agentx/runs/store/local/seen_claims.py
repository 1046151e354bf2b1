"""When this machine first saw claims whose clocks differ from its own.

    {"seen": {"<event id>": <milliseconds>, ...}}

Deleted, such a claim counts as seen now.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from agentx.host.documents.json_file import json_file
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import AgentXError

_CLAIMS_MAX = 1_000  # the last ones


class SeenClaims:
    """When claims were first seen on this machine."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._file = json_file(path, clock, owner="agentx run")
        self._clock = clock
        self._known: dict[str, int] | None = None  # as last read

    def find_first(self, event_id: str, is_kept: bool) -> Millis:
        """Return when a claim was first seen: now, if it was not; that may be kept."""
        now_ms = self._clock.now_ms()
        with suppress(AgentXError, OSError):
            if self._known is None:
                self._known = self._list(self._file.read())
            found = self._known.get(event_id)
            if found is not None and found <= now_ms:
                return Millis(found)
            if is_kept:
                with self._file.editing() as doc:
                    rows = {**self._list(doc), event_id: now_ms}
                    doc["seen"] = self._known = dict(list(rows.items())[-_CLAIMS_MAX:])
        return now_ms

    @staticmethod
    def _list(doc: object) -> dict[str, int]:
        seen = doc.get("seen") if isinstance(doc, dict) else None
        if not isinstance(seen, dict):
            return {}
        return {name: at for name, at in seen.items() if isinstance(at, int)}
