"""Counting words: the search of the specification, for when there is no word list.

Lower case, split at blanks, without the words of grammar; entries are ranked by how many of the
question's words their summary holds, the newest first among equals.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.observations.relevance import keywords
from agentx.observations.store.records import EntryRecord


def best_matches(rows: Iterable[EntryRecord], query: str, limit: int) -> list[EntryRecord]:
    """Return the rows that hold most of the words, best first."""
    asked = keywords(query)
    scored = []
    for row in rows:
        # The cheap look first: most rows hold none of the words.
        lowered = row.summary.lower()
        if any(word in lowered for word in asked):
            count = len(asked & keywords(row.summary))
            if count:
                scored.append((count, row.timestamp, row.id, row))
    scored.sort(key=lambda each: each[:3], reverse=True)
    return [row for *_, row in scored[:limit]]
