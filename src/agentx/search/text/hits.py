"""The best documents of a query, filtered as fast as the filters allow.

Without filters the engine skips whatever cannot reach the best hits; with them it must look
at every match. So a filter that lets much through is tried on the best hits alone, and only
when too few of them pass is the engine asked to filter. A narrow filter leads the search by
itself. All three ways give the same hits.
"""

from __future__ import annotations

import tantivy

from agentx.search.document import Filters, Hit
from agentx.search.limits import SEARCH_HITS_MAX
from agentx.search.text.engine import Found, Reader
from agentx.search.text.matching import FILTER_FIELDS, filter_query
from agentx.search.text.schema import clean

# Passages looked at for each hit asked for: several may be of one document.
_PASSAGES_PER_HIT = 3
# Passages looked at when they are filtered afterwards.
_TRIED_PER_HIT = 12
# A filter that lets fewer through leads the search.
_NARROW_SHARE = 0.1


def best_hits(
    reader: Reader, wanted: tantivy.Query, filters: Filters, limit: int
) -> tuple[Hit, ...]:
    """Return the best documents that pass the filters, each with its best passage."""
    if filters != Filters() and not _is_narrow(reader, filters):
        tried = reader.search(wanted, limit * _TRIED_PER_HIT)
        hits = _passing(reader, tried, filters, limit)
        if len(hits) == limit or len(tried) < limit * _TRIED_PER_HIT:
            return tuple(hits)
    asked = limit * _PASSAGES_PER_HIT
    query = filter_query(wanted, filters)
    while True:
        found = reader.search(query, asked)
        hits = _passing(reader, found, Filters(), limit)
        if len(hits) == limit or len(found) < asked or asked >= SEARCH_HITS_MAX * 8:
            return tuple(hits)
        asked *= 4


def _is_narrow(reader: Reader, filters: Filters) -> bool:
    most = _NARROW_SHARE * reader.count
    for name, field in FILTER_FIELDS:
        values: tuple[str, ...] = getattr(filters, name)
        if values and sum(reader.having(clean(value), field) for value in values) < most:
            return True
    return False


def _passing(reader: Reader, found: Found, filters: Filters, limit: int) -> list[Hit]:
    """Open the best passage of each document that passes, until there are enough."""
    keys = reader.column("doc_key", found.addresses)
    times = reader.column("timestamp_ms", found.addresses)
    seen: set[int] = set()
    hits: list[Hit] = []
    for score, address, doc, at_ms in zip(found.scores, found.addresses, keys, times, strict=True):
        if doc in seen or not _is_in_time(at_ms, filters):
            continue
        seen.add(doc)
        hit = open_hit(reader.open_document(address), score)
        if _passes(hit, filters):
            hits.append(hit)
            if len(hits) == limit:
                break
    return hits


def _is_in_time(at_ms: int, filters: Filters) -> bool:
    if filters.since_ms is not None and at_ms < filters.since_ms:
        return False
    return filters.until_ms is None or at_ms < filters.until_ms


def _passes(hit: Hit, filters: Filters) -> bool:
    for name, field in FILTER_FIELDS:
        values: tuple[str, ...] = getattr(filters, name)
        if values and getattr(hit, field) not in {clean(value) for value in values}:
            return False
    return True


def open_hit(stored: tantivy.Document, score: float) -> Hit:
    """Return what is stored of a passage as a hit."""
    return Hit(
        doc_id=_word(stored, "doc_id"),
        doc_type=_word(stored, "doc_type"),
        score=score,
        timestamp_ms=int(stored.get_first("timestamp_ms") or 0),
        project=_word(stored, "project"),
        session=_word(stored, "session"),
        agent=_word(stored, "agent"),
        harness=_word(stored, "harness"),
        role=_word(stored, "role"),
        issue=_word(stored, "issue"),
        passage=read_passage(stored),
        start=int(stored.get_first("start") or 0),
    )


def read_passage(stored: tantivy.Document) -> str:
    """Return the text of a stored passage."""
    return bytes(stored.get_first("body") or b"").decode("utf-8", "replace")


def _word(stored: tantivy.Document, field: str) -> str:
    return str(stored.get_first(field) or "")
