"""How often things were recalled, kept at hand between searches and read again when it changed."""

from __future__ import annotations

from pathlib import Path

from agentx.recall.usage import UNUSED, Usage
from agentx.views.recall_tally import recall_counts


class RecallUsage:
    """The counts of one project."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: tuple[tuple[int, int] | None, Usage] = (None, UNUSED)

    def now(self) -> Usage:
        """Return the counts as they stand."""
        stamp = self._stamp()
        if stamp != self._known[0]:
            self._known = (
                stamp,
                Usage({doc_id: each.count for doc_id, each in recall_counts(self._path).items()}),
            )
        return self._known[1]

    def _stamp(self) -> tuple[int, int] | None:
        try:
            state = self._path.stat()
        except OSError:
            return None
        return state.st_mtime_ns, state.st_ino
