"""What is said word for word again and again takes a few places among what is looked at, not all.

    a prompt run every day, a decision told in every session:   one text, hundreds of records

Copies match alike, so they stand side by side in what the engine finds, and fill it. Where they
crowd it more is looked up, and of each text the few are taken that were said last; those first
that were said at a time that is asked for.

Law: where copies do not crowd, nothing is left out; what has no copy is never left out for one.
"""

from __future__ import annotations

from collections.abc import Callable

import tantivy

from agentx.search.document import Filters
from agentx.search.limits import COPIES_MAX, CROWDED_HITS_MAX
from agentx.search.text.engine import Found, FoundPlace, Reader
from agentx.search.text.matching import match_copies

# Fewer texts than this share of the documents: they are crowded.
_CROWDED_SHARE = 0.5
_Keys = tuple[int, int]  # of the text, and of the document
Prefer = Callable[[int], float]  # of when something was said: the higher, the rather it is taken


def search_apart(
    reader: Reader, query: tantivy.Query, limit: int, prefer: Prefer | None = None
) -> Found:
    """Return the best hits, copies of one text a few times at most where they crowd the rest.

    Raises: IndexUnavailable.
    """
    found = reader.search(query, limit)
    keys = _read_keys(reader, found)
    asked = limit
    while len(found) == asked < CROWDED_HITS_MAX and _is_crowded(keys):
        # As many as would be enough if it went on like this, and some more.
        asked = min(2 * asked * limit // _count_texts(keys), CROWDED_HITS_MAX)
        found = reader.search(query, asked)
        keys = _read_keys(reader, found)
        if _count_texts(keys) >= _CROWDED_SHARE * limit:
            break
    return found if asked == limit else _thin(reader, found, keys, limit, prefer)


def count_copies(place: FoundPlace, text_key: int, filters: Filters) -> int:
    """Return how many other documents say word for word what that of a found passage says."""
    if not text_key:
        return 0
    return max(place.reader.count_hits(match_copies(text_key, filters)) - 1, 0)


def _read_keys(reader: Reader, found: Found) -> list[_Keys]:
    columns = [reader.column(name, found.addresses) for name in ("text_key", "doc_key")]
    return list(zip(*columns, strict=True))


def _is_crowded(keys: list[_Keys]) -> bool:
    """Tell whether most documents only say again what another says; one may be found often."""
    return _count_texts(keys) < _CROWDED_SHARE * len({*keys})


def _count_texts(keys: list[_Keys]) -> int:
    """Return how many texts there are; what has no key has no copy."""
    return len({text or doc for text, doc in keys})


def _thin(
    reader: Reader, found: Found, keys: list[_Keys], limit: int, prefer: Prefer | None
) -> Found:
    """Leave the best copies of each text, in the order of what was found."""
    times = reader.column("timestamp_ms", found.addresses)
    groups: dict[int, dict[int, list[int]]] = {}
    for at, (text, doc) in enumerate(keys):
        groups.setdefault(text or doc, {}).setdefault(doc, []).append(at)
    kept: list[int] = []
    for group in groups.values():
        copies = [*group.values()]  # the places of each document
        if len(copies) > COPIES_MAX:
            copies.sort(key=lambda places: times[places[0]], reverse=True)
            if prefer is not None:
                copies.sort(key=lambda places: prefer(times[places[0]]), reverse=True)
            del copies[COPIES_MAX:]
        for places in copies:
            kept += places
    kept = sorted(kept)[:limit]
    return Found(tuple(found.scores[at] for at in kept), tuple(found.addresses[at] for at in kept))
