"""What a checkout is called in the ids of its lanes and in its claims: no other clone is."""

from __future__ import annotations

from pathlib import Path

from agentx.host.documents.json_file import json_file
from agentx.kernel.clock import Clock
from agentx.kernel.ids import Entropy, digest

_CHARS = 4


class CheckoutName:
    """The name of one checkout: made once, and the same after a kill."""

    def __init__(self, notes: Path, root: str, clock: Clock) -> None:
        self._file = json_file(notes, clock, owner="agentx run")
        self._root = root

    def find(self) -> str:
        """Return the name; empty where it has none yet.

        Raises: CorruptRecord, UnavailableError.
        """
        known = (self._file.read() or {}).get("checkouts")
        return str(known.get(self._root, "")) if isinstance(known, dict) else ""

    def make(self, entropy: Entropy) -> str:
        """Return the name; it is made where there is none.

        Raises: LockHeld, CorruptRecord, UnavailableError.
        """
        found = self.find()
        if found:
            return found
        with self._file.editing() as doc:
            known = doc.setdefault("checkouts", {})
            known[self._root] = known.get(self._root) or digest(entropy(8).hex()).hex()[:_CHARS]
            return str(known[self._root])
