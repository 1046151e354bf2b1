"""How often documents were recalled before, ready to be asked for while ranking.

Ranking knows documents by their keys, not by their ids, so the counts are turned once and
kept by whoever asks many questions.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentx.search.text.schema import key


class Usage:
    """Counts of recalls, by document."""

    def __init__(self, recalled: Mapping[str, int] | None = None) -> None:
        self._times = {key(doc_id): times for doc_id, times in (recalled or {}).items()}

    def __bool__(self) -> bool:
        return bool(self._times)

    def times(self, doc_key: int) -> int:
        """Return how often a document was recalled."""
        return self._times.get(doc_key, 0)


UNUSED = Usage()
