"""What speaks for each document, at every scale: gathered here, weighed by recall.

A document is a candidate when one of its passages matches, or when it stands in a window
that does. Its evidence is one number between 0 and 1 for each scale: the share of what the
best hit has there, tempered by the share of what any text could have. So a scale at which
nothing matches well does not shout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import tantivy

from agentx.kernel.values import frozen
from agentx.search.document import Filters
from agentx.search.limits import (
    RECALL_CHAPTERS_MAX,
    RECALL_NEIGHBOURS_MAX,
    RECALL_PASSAGES_MAX,
    RECALL_WINDOWS_MAX,
)
from agentx.search.query import Query
from agentx.search.text.copies import Prefer, search_apart
from agentx.search.text.engine import NOTHING, Found, FoundPlace, Reader
from agentx.search.text.index import Reading
from agentx.search.text.matching import (
    SATURATION,
    Weighed,
    any_of,
    best_score,
    filter_query,
    match_keys,
    match_session,
    pairs_of,
    stand_ins,
    weigh,
)
from agentx.search.text.schema import name_bits, unpack

# What a name counts in the text when it is also the name of somebody who speaks: mentions of
# a person are everywhere, and mostly in what others say.
_NAME_WEIGHT = 0.3
# A name that nearly everything is said by tells nobody apart.
_NAME_SHARE_MAX = 0.9


@dataclass(slots=True)
class Contender:
    """A document, what it is like, and what speaks for it."""

    key: int
    session_key: int
    timestamp_ms: int
    traits: int  # of `Trait`; a plain number, because hundreds are looked at
    is_named: bool  # the query names who speaks
    place: FoundPlace
    text_key: int = 0  # copies have one; 0 for what is too short to be one
    passage: float = 0.0
    pairs: float = 0.0
    window: float = 0.0
    chapter: float = 0.0


@dataclass(slots=True)
class Evidence:
    """The candidates of a query, who follows whom, and how well each session fits."""

    candidates: dict[int, Contender] = field(default_factory=dict)
    before: dict[int, int] = field(default_factory=dict)  # a document -> the one before it
    sessions: dict[int, float] = field(default_factory=dict)
    chapters: dict[int, tantivy.DocAddress] = field(default_factory=dict)  # of sessions
    kin: tuple[str, ...] = ()  # words that stood in for those of the query


@frozen(kw_only=False)
class Wording:
    """What the words of a query count, where that is less than all, and whether others may help."""

    weights: Mapping[str, float] = field(default_factory=dict)
    takes_kin: bool = False


def gather(
    reading: Reading,
    query: Query,
    filters: Filters,
    wording: Wording | None = None,
    prefer: Prefer | None = None,
) -> Evidence:
    """Collect what speaks for each document; `prefer` says which copies are looked at.

    Raises: IndexUnavailable.
    """
    asked = _ask(reading.passages, query, filters, wording or Wording(), prefer)
    evidence = Evidence(kin=tuple(asked.kin))
    for reader in (reading.passages, reading.kept):
        _from_passages(evidence, reader, asked)
    windows = _from_windows(evidence, reading.windows, asked)
    missing = [doc for doc in windows if doc not in evidence.candidates][:RECALL_NEIGHBOURS_MAX]
    if missing:
        found = reading.passages.search(match_keys(missing, filters), len(missing))
        _add(evidence, reading.passages, found, asked.name_bits)
    for doc, score in windows.items():
        if doc in evidence.candidates:
            evidence.candidates[doc].window = score
    _from_chapters(evidence, reading.chapters, asked)
    return evidence


def add_documents(
    evidence: Evidence, reading: Reading, keys: Sequence[int], filters: Filters
) -> None:
    """Add documents by their keys, though nothing speaks for them."""
    for reader in (reading.passages, reading.kept):
        found = reader.search(match_keys(keys, filters), len(keys))
        _add(evidence, reader, found, 0)


def add_session(
    evidence: Evidence, reading: Reading, session_key: int, filters: Filters
) -> list[Contender]:
    """Add what was said in a session, though nothing speaks for it; return it in its order."""
    found = reading.passages.search(match_session(session_key, filters), RECALL_NEIGHBOURS_MAX)
    added = _add(evidence, reading.passages, found, 0)
    return sorted(added, key=lambda each: each.timestamp_ms)


@frozen(kw_only=False)
class _Asked:
    """A query, the names in it, and what is filtered."""

    query: Query
    filters: Filters
    weights: Mapping[str, float]
    kin: Mapping[str, float]  # words that may stand in, and what they count
    name_bits: int
    prefer: Prefer | None

    def terms(self, reader: Reader) -> list[Weighed]:
        """Return what is looked for at a scale."""
        return weigh(reader, self.query.terms, self.weights, self.kin)

    @property
    def around(self) -> Filters:
        """The filters that hold for a whole session; the rest is asked of each document."""
        return Filters(
            projects=self.filters.projects,
            sessions=self.filters.sessions,
            harnesses=self.filters.harnesses,
        )


def _ask(
    reader: Reader, query: Query, filters: Filters, wording: Wording, prefer: Prefer | None
) -> _Asked:
    most = _NAME_SHARE_MAX * reader.count
    names = [term for term in query.terms if 0 < reader.having(term, "speaker") < most]
    weights = {**wording.weights, **dict.fromkeys(names, _NAME_WEIGHT)}
    kin: Mapping[str, float] = {}
    if wording.takes_kin:
        kin = stand_ins(reader, [term for term in query.terms if term not in weights])
    return _Asked(query, filters, weights, kin, name_bits(names), prefer)


def _from_passages(evidence: Evidence, reader: Reader, asked: _Asked) -> None:
    terms = asked.terms(reader)
    wanted = any_of(terms)
    if wanted is None:
        return
    found = search_apart(
        reader, filter_query(wanted, asked.filters), RECALL_PASSAGES_MAX, asked.prefer
    )
    shares = _shares(found, best_score(terms))
    for candidate, share in zip(
        _add(evidence, reader, found, asked.name_bits), shares, strict=True
    ):
        if not candidate.passage:  # the best passage of a document comes first
            candidate.passage = share
    rarities = {term.term: term.rarity for term in terms if not term.stands_in}
    beside = pairs_of(asked.query, frozenset(rarities))
    if beside is None:
        return
    found = search_apart(
        reader, filter_query(beside, asked.filters), RECALL_PASSAGES_MAX // 2, asked.prefer
    )
    best = sum(rarities.get(one, 0) + rarities.get(next_, 0) for one, next_ in asked.query.pairs)
    shares = _shares(found, SATURATION * best)
    for candidate, share in zip(
        _add(evidence, reader, found, asked.name_bits), shares, strict=True
    ):
        if not candidate.pairs:
            candidate.pairs = share


def _from_windows(evidence: Evidence, reader: Reader, asked: _Asked) -> dict[int, float]:
    """Return the best window of each document; note who follows whom."""
    found, shares = _find(reader, asked, RECALL_WINDOWS_MAX)
    best: dict[int, float] = {}
    for address, share in zip(found.addresses, shares, strict=True):
        members = unpack(bytes(reader.open_document(address).get_first("members") or b""))
        for doc in members:
            # The best window comes first.
            best.setdefault(doc, share)
        evidence.before.update(zip(members[1:], members, strict=False))
    return best


def _from_chapters(evidence: Evidence, reader: Reader, asked: _Asked) -> None:
    found, shares = _find(reader, asked, RECALL_CHAPTERS_MAX)
    keys = reader.column("session_key", found.addresses)
    for session, address, share in zip(keys, found.addresses, shares, strict=True):
        if session not in evidence.sessions:
            # The best chapter comes first.
            evidence.sessions[session] = share
            evidence.chapters[session] = address
    for candidate in evidence.candidates.values():
        candidate.chapter = evidence.sessions.get(candidate.session_key, 0.0)


def _find(reader: Reader, asked: _Asked, limit: int) -> tuple[Found, list[float]]:
    terms = asked.terms(reader)
    wanted = any_of(terms)
    if wanted is None:
        return NOTHING, []
    found = search_apart(reader, filter_query(wanted, asked.around), limit, asked.prefer)
    return found, _shares(found, best_score(terms))


def _add(evidence: Evidence, reader: Reader, found: Found, bits: int) -> list[Contender]:
    """Add the documents of some passages; return the candidate of each passage."""
    keys = reader.column("doc_key", found.addresses)
    known = evidence.candidates
    fresh: dict[int, tantivy.DocAddress] = {}
    for doc, address in zip(keys, found.addresses, strict=True):
        if doc not in known:
            fresh.setdefault(doc, address)  # the best passage of a document comes first
    places = tuple(fresh.values())
    columns = [
        reader.column(name, places)
        for name in ("session_key", "timestamp_ms", "traits", "speakers", "text_key")
    ]
    for doc, address, session, at_ms, traits, speakers, text in zip(
        fresh, places, *columns, strict=True
    ):
        place = FoundPlace(reader, address)
        known[doc] = Contender(doc, session, at_ms, traits, bool(speakers & bits), place, text)
    return [known[doc] for doc in keys]


def _shares(found: Found, best_possible: float) -> list[float]:
    """Return scores as shares of the best hit and of the best possible, half each."""
    if not found.scores:
        return []
    whole = (max(found.scores) + best_possible) / 2
    return [score / whole if whole > 0 else 0.0 for score in found.scores]
