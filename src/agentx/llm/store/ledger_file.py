"""The ledger on disk: one JSON document of a project's store, changed under its lock.

    {"version": 1, "days": {"2026-01-15": {"anthropic/...": {"calls": 3, ...}}},
     "open": {"01KF...": {"day": ..., "at_ms": ..., "model": ..., "most": {...}}}, "closed": {}}

Law: a ledger that cannot be read is moved aside, never taken for an empty one. Nobody can
tell what the day has cost then, so the day is closed in the ledger that takes its place.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from agentx.host.documents.document import Document
from agentx.host.documents.json_file import json_file
from agentx.host.locks.lock import Held, locked
from agentx.host.system import system_entropy
from agentx.kernel.clock import Clock
from agentx.kernel.errors import CorruptRecord, UnsupportedVersion
from agentx.kernel.ids import mint
from agentx.llm.ledger import SpendingLedger

_VERSION = 1
_OWNER = "agentx spending"


class SpendingStore:
    """The ledger of one store."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._file = json_file(path, clock, owner=_OWNER)

    def read(self, today: date) -> SpendingLedger:
        """Return the ledger; an empty one when nothing was ever spent.

        Raises: LockHeld, StaleVersion, UnsupportedVersion, UnavailableError.
        """
        if not self._path.exists():
            return SpendingLedger()
        return self.change(today, lambda ledger: ledger)

    def change(
        self, today: date, rule: Callable[[SpendingLedger], SpendingLedger]
    ) -> SpendingLedger:
        """Replace the ledger by what a rule makes of it, on disk when this returns.

        Raises: whatever the rule does, and then nothing has changed; as `read`.
        """
        with locked(self._path, owner=_OWNER, clock=self._clock) as held:
            before = self._read_in(held, today)
            after = rule(before)
            if after != before:
                self._file.write_in(held, _encode(after))
            return after

    def _read_in(self, held: Held, today: date) -> SpendingLedger:
        """Return the ledger; a damaged one is replaced before anything is decided on it."""
        try:
            document = self._file.read_in(held)
            return SpendingLedger() if document is None else _decode(document)
        except (msgspec.ValidationError, CorruptRecord):
            if self._path.exists():  # it is JSON, and no ledger
                name = f"{self._path.name}.corrupt-{mint(self._clock.now_ms(), system_entropy)}"
                held.move(self._path, self._path.with_name(name))
        mended = SpendingLedger(
            closed={today: "the ledger of spending was damaged and moved aside"}
        )
        self._file.write_in(held, _encode(mended))
        return mended


def _decode(document: Document) -> SpendingLedger:
    version = document.get("version")
    if not isinstance(version, int):
        raise CorruptRecord("the ledger of spending: no version in the record")
    if version != _VERSION:
        raise UnsupportedVersion(
            f"the ledger of spending: version {version} is not known here",
            hint="update AgentX to the version that wrote it",
        )
    return msgspec.convert(document, SpendingLedger, str_keys=True)


def _encode(ledger: SpendingLedger) -> dict[str, Any]:
    return {"version": _VERSION, **msgspec.to_builtins(ledger, str_keys=True)}
