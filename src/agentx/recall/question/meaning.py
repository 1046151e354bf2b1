"""Hits by meaning, shown with the passage they were found by.

Vectors hold no words. The index of words does, for the same documents; where it lacks one
that was just embedded, the hit is shown without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import tantivy

from agentx.recall.question.fusion import Fused, Opinion, fuse
from agentx.recall.question.plan import Answer, FoundSession
from agentx.search.document import Filters, Hit
from agentx.search.limits import PASSAGES_MAX, SEARCH_HITS_MAX
from agentx.search.text.engine import Reader
from agentx.search.text.hits import open_hit
from agentx.search.text.index import TextIndex
from agentx.search.text.matching import match_keys
from agentx.search.text.schema import key, schema


def show_passages(index: TextIndex | None, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return hits by meaning, their score the cosine, with their passages."""
    reader = index.reading().passages if index is not None else None
    return tuple(hit if reader is None else _with_passage(reader, hit) for hit in hits)


def _with_passage(reader: Reader, hit: Hit) -> Hit:
    found = _passage(reader, hit)
    return hit if found is None else replace(hit, passage=found.passage, start=found.start)


def _passage(reader: Reader, found: Hit) -> Hit | None:
    """Open the passage in which the nearest part of a document begins."""
    doc = key(found.doc_id)
    if found.start == 0:
        hits = reader.search(match_keys((doc,), Filters()), 1)
        return open_hit(reader.open_document(hits.addresses[0]), 0.0) if hits.addresses else None
    wanted = tantivy.Query.term_query(schema(), "doc_key", doc, "basic")
    hits = reader.search(wanted, PASSAGES_MAX)
    parts = reader.column("part", hits.addresses)
    places = [at for _, at in sorted(zip(parts, range(len(parts)), strict=True))]
    low, high, best = 0, len(places) - 1, None
    # Passages begin one after the other, so the last that begins before is found by halves.
    while low <= high:
        middle = (low + high) // 2
        hit = open_hit(reader.open_document(hits.addresses[places[middle]]), 0.0)
        if hit.start <= found.start:
            best, low = hit, middle + 1
        else:
            high = middle - 1
    return best


def words_opinion(found: Answer) -> Opinion:
    """Return what the words say, and how sure they are."""
    sureness = max(
        (
            reason.value
            for reasons in found.why.values()
            for reason in reasons
            if reason.name == "passage"
        ),
        default=0.0,
    )
    hits = tuple((memory.hit.doc_id, memory.hit.score) for memory in found.memories)
    return Opinion(hits, sureness=min(1.0, sureness))


def sessions_of(found: Answer, hits: Sequence[Hit], limit: int) -> tuple[FoundSession, ...]:
    """Put the sessions together: each is as near as the nearest of its documents."""
    nearest: dict[str, float] = {}
    for hit in hits:
        nearest.setdefault(hit.session, hit.score)
    nearest.pop("", None)
    said = tuple((each.session, each.score) for each in found.sessions)
    words = Opinion(said, sureness=words_opinion(found).sureness)
    fused = fuse(words, Opinion(tuple(nearest.items())))
    return tuple(FoundSession(each.doc_id, each.score) for each in fused[:limit])


def both(found: Answer, hits: Sequence[Hit], limit: int) -> tuple[Fused, ...]:
    """Put words and meaning together, best first."""
    meaning = Opinion(tuple((hit.doc_id, hit.score) for hit in hits))
    return fuse(words_opinion(found), meaning)[: min(limit, SEARCH_HITS_MAX)]
