"""What a checkout is called in the ids of its lanes and in its claims: no other clone is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agentx.host.documents.json_file import json_file
from agentx.kernel.clock import Clock
from agentx.kernel.ids import Entropy, digest

NOTED = "noted"  # where clones lie, and as what they are noted
_CHARS = 4


class CheckoutName:
    """The name of one checkout: made once, and the same after a kill."""

    def __init__(
        self,
        notes: Path,
        root: str,
        clock: Clock,
        list_due: Callable[[], dict[str, str]] = dict,
    ) -> None:
        self._file = json_file(notes, clock, owner="agentx run")
        self._root = root  # as what it is noted, wherever it lies
        self._list_due = list_due  # says what is to be noted of where it lies

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
        found, due = self.find(), self._list_due()
        if found and not due:
            return found
        with self._file.editing() as doc:
            if due:
                doc.setdefault(NOTED, {}).update(due)
            known = doc.setdefault("checkouts", {})
            known[self._root] = known.get(self._root) or digest(entropy(8).hex()).hex()[:_CHARS]
            return str(known[self._root])
