"""How often documents were opened before, ready to be asked for while ranking.

Ranking knows documents by their keys, not by their ids, so the counts are turned once, kept
between searches, and read again when they changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agentx.host.files.disk import look_at
from agentx.search.text.schema import key
from agentx.views.recall_tally import use_counts


class RecallCounts:
    """Counts of uses, by document."""

    def __init__(self, recalled: Mapping[str, int] | None = None) -> None:
        self._times = {key(doc_id): times for doc_id, times in (recalled or {}).items()}

    def __bool__(self) -> bool:
        return bool(self._times)

    def times(self, doc_key: int) -> int:
        """Return how often a document was opened."""
        return self._times.get(doc_key, 0)


UNUSED = RecallCounts()


class RecallUsage:
    """The counts of one project."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: tuple[tuple[int, int, int] | None, RecallCounts] = (None, UNUSED)

    def now(self) -> RecallCounts:
        """Return the counts as they stand."""
        stamp = look_at(self._path)
        if stamp != self._known[0]:
            self._known = (
                stamp,
                RecallCounts(use_counts(self._path)),
            )
        return self._known[1]
