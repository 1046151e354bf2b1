"""What says the same as something: word for word, and in nearly the same words."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.search.document import Filters, Hit
from agentx.search.limits import CROWDED_HITS_MAX, NEAR_HITS_MAX
from agentx.search.query import parse
from agentx.search.text.copies import search_apart
from agentx.search.text.engine import FoundPlace
from agentx.search.text.hits import open_hit
from agentx.search.text.index import Reading
from agentx.search.text.matching import any_of, filter_query, match_copies, match_keys, weigh
from agentx.search.text.schema import clean, key


def find_copies(reading: Reading, doc_id: str, filters: Filters, limit: int) -> tuple[Hit, ...]:
    """Return the documents that say what one of them says word for word, and it, newest first."""
    place = _find(reading, doc_id)
    if place is None:
        return ()
    reader = place.reader
    (text_key,) = reader.column("text_key", (place.address,))
    if not text_key:
        return (open_hit(reader.open_document(place.address), 0.0),)
    found = reader.search(match_copies(text_key, filters), CROWDED_HITS_MAX).addresses
    times = reader.column("timestamp_ms", found)
    newest = sorted(range(len(found)), key=times.__getitem__, reverse=True)[:limit]
    return tuple(open_hit(reader.open_document(found[at]), 0.0) for at in newest)


def find_near(reading: Reading, doc_id: str, filters: Filters) -> Iterator[tuple[Hit, Hit]]:
    """Yield what shares most words with how a document begins, each beside that."""
    place = _find(reading, doc_id)
    if place is None:
        return
    reader = place.reader
    own = open_hit(reader.open_document(place.address), 0.0)
    wanted = any_of(weigh(reader, parse(own.passage, operators=False).terms))
    if wanted is None:
        return
    found = search_apart(reader, filter_query(wanted, filters), NEAR_HITS_MAX)
    for address in found.addresses:
        yield open_hit(reader.open_document(address), 0.0), own


def _find(reading: Reading, doc_id: str) -> FoundPlace | None:
    """Return the first passage of a document."""
    for reader in (reading.passages, reading.kept):
        found = reader.search(match_keys((key(clean(doc_id)),), Filters()), 1).addresses
        if found:
            return FoundPlace(reader, found[0])
    return None
