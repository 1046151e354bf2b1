"""A query in the engine's language: weighted terms, phrases and filters.

Filters cost no score: a hit is there or not. Terms are weighed by rarity, and a term that
no document has is taken for a misspelling of one that some have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import tantivy

from agentx.kernel.values import frozen
from agentx.search.document import Filters
from agentx.search.kindred import find_kindred
from agentx.search.limits import (
    KIN_RECORDS_MAX,
    QUERY_EXPANSIONS_MAX,
    QUERY_KIN_MAX,
    QUERY_TERMS_MAX,
)
from agentx.search.query import Query
from agentx.search.text.engine import Reader
from agentx.search.text.schema import REPLACED, clean, name_kind, name_source, schema

# The engine's own constants: the most that one term can add is its rarity times this.
SATURATION = 2.2
_FUZZY_CHARS_MIN = 4
_FUZZY_WEIGHT = 0.7
# Words between the two of a pair: the commonest words leave gaps where they stood.
_PAIR_SLOP = 2
_PHRASE_WEIGHT = 2.0
_TIME_MS_MAX = 1 << 62
# What a word counts that means the same as one of the query; less as it means less the same.
_KIN_WEIGHT = 0.4
_UNLIKE = 0.3

FILTER_FIELDS = (
    ("doc_types", "doc_type"),
    ("projects", "project"),
    ("sessions", "session"),
    ("agents", "agent"),
    ("harnesses", "harness"),
    ("roles", "role"),
    ("issues", "issue"),
)


@frozen(kw_only=False)
class Weighed:
    """A term, what it counts, and how rare it is where it is looked for."""

    term: str
    weight: float
    rarity: float
    stands_in: bool = False  # for a word of the query


def rarity(found: int, documents: int) -> float:
    """Return how much a term tells that `found` of `documents` have."""
    found = min(found, documents)
    return math.log(1 + (documents - found + 0.5) / (found + 0.5))


def weigh(
    reader: Reader,
    terms: Sequence[str],
    weights: Mapping[str, float] | None = None,
    kin: Mapping[str, float] | None = None,
) -> list[Weighed]:
    """Return the terms that some document has, the rarest first when there are too many."""
    documents = reader.count
    found = []
    asked = [(term, 1.0 if weights is None else weights.get(term, 1.0), False) for term in terms]
    asked += [(term, weight, True) for term, weight in (kin or {}).items()]
    for term, weight, stands_in in asked:
        count = reader.having(term)
        if count and weight > 0:
            found.append(Weighed(term, weight, rarity(count, documents), stands_in))
    if len(found) > QUERY_TERMS_MAX:
        found.sort(key=lambda each: -each.rarity)
        del found[QUERY_TERMS_MAX:]
    return found


def stand_ins(reader: Reader, terms: Sequence[str]) -> dict[str, float]:
    """Return words that may stand for those of a query, and what each counts.

    A stand-in counts no more than a share of what the word itself does, however rare it is.
    """
    documents = reader.count
    found: dict[str, float] = {}
    for term in terms[:QUERY_TERMS_MAX]:
        own = reader.having(term)
        for kin in find_kindred(term):
            count = reader.having(kin.term) if kin.term not in terms else 0
            if 0 < count <= KIN_RECORDS_MAX:
                its = rarity(count, documents)
                share = min(rarity(own, documents) / its, 1.0) if own else 1.0
                near = (kin.closeness - _UNLIKE) / (1 - _UNLIKE)
                weight = _KIN_WEIGHT * near * share
                found[kin.term] = max(found.get(kin.term, 0.0), weight)
    best = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return dict(best[:QUERY_KIN_MAX])


def best_score(terms: Sequence[Weighed]) -> float:
    """Return the score of a text that has every term of the query as often as counts.

    Where all that is there are stand-ins, the words themselves would count in full.
    """
    own = sum(term.weight * term.rarity for term in terms if not term.stands_in)
    return SATURATION * (own or sum(term.rarity for term in terms))


def any_of(terms: Sequence[Weighed]) -> tantivy.Query | None:
    """Return what finds texts with any of the terms."""
    clauses = [_boost(_term(term.term), term.weight) for term in terms]
    return _either(clauses)


def pairs_of(query: Query, known: frozenset[str]) -> tantivy.Query | None:
    """Return what finds texts in which words of the query stand together as they do there."""
    clauses = [
        tantivy.Query.phrase_query(schema(), "text", [first, second], _PAIR_SLOP)
        for first, second in query.pairs[:QUERY_TERMS_MAX]
        if first != second and first in known and second in known
    ]
    return _either(clauses)


def match_typed(reader: Reader, query: Query, *, strict: bool) -> tantivy.Query | None:
    """Return what finds a typed query; `strict` insists on its phrases."""
    known = weigh(reader, query.terms)
    names = {term.term for term in known}
    clauses = [_boost(_term(term.term), term.weight) for term in known]
    missing = [term for term in query.terms if term not in names][:QUERY_EXPANSIONS_MAX]
    clauses += [_fuzzy(term) for term in missing if len(term) >= _FUZZY_CHARS_MIN]
    clauses += [_fuzzy(term) for term in query.fuzzy[:QUERY_EXPANSIONS_MAX]]
    for prefix in query.prefixes[:QUERY_EXPANSIONS_MAX]:
        begun = reader.beginning(prefix, QUERY_EXPANSIONS_MAX)
        clauses += [_term(term) for term in begun]
    phrases = [
        _boost(tantivy.Query.phrase_query(schema(), "text", list(words)), _PHRASE_WEIGHT)
        for words in query.phrases[:QUERY_TERMS_MAX]
    ]
    either = _either(clauses if strict and phrases else [*clauses, *phrases])
    must = [(tantivy.Occur.Must, phrase) for phrase in phrases] if strict else []
    if either is not None:
        must.append((tantivy.Occur.Should if must else tantivy.Occur.Must, either))
    if not must:
        return None
    must += [(tantivy.Occur.MustNot, _term(term)) for term in query.without]
    return tantivy.Query.boolean_query(must)


def filter_query(wanted: tantivy.Query, filters: Filters) -> tantivy.Query:
    """Return the query among what the filters let through."""
    clauses = filter_clauses(filters)
    if not clauses:
        return wanted
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, wanted), *clauses])


def filter_clauses(filters: Filters) -> list[tuple[tantivy.Occur, tantivy.Query]]:
    """Return what the filters ask for, without a say in the score."""
    clauses = []
    for name, field in FILTER_FIELDS:
        values = [clean(value) for value in getattr(filters, name)]
        if values:
            clauses.append((tantivy.Occur.Must, _any_value(field, values, score=0.0)))
    if filters.since_ms is not None or filters.until_ms is not None:
        clauses.append(_silent(_between(filters.since_ms, filters.until_ms)))
    return clauses


def match_keys(keys: Sequence[int], filters: Filters) -> tantivy.Query:
    """Return what finds the first passages of documents by their keys."""
    return _first_passages("doc_key", list(keys), filters)


def match_made_of(keys: Sequence[int], filters: Filters) -> tantivy.Query:
    """Return what finds the first passages of what was made of documents, by the keys of these."""
    return _first_passages("member", [name_source(each) for each in keys], filters)


def match_replaced(keys: Sequence[int], filters: Filters) -> tantivy.Query:
    """Return what finds what was made of documents, and was replaced since."""
    gone = tantivy.Query.term_query(schema(), "member", REPLACED, "basic")
    return tantivy.Query.boolean_query([_silent(gone), _silent(match_made_of(keys, filters))])


def match_session(session_key: int, filters: Filters) -> tantivy.Query:
    """Return what finds the first passages of what is of a session."""
    return _first_passages("session_key", [session_key], filters)


def match_copies(text_key: int, filters: Filters) -> tantivy.Query:
    """Return what finds the first passages of the documents that say one text."""
    return _first_passages("text_key", [text_key], filters)


def match_kind(kind: str, words: Sequence[str], filters: Filters) -> tantivy.Query | None:
    """Return what finds texts of a kind that have any of some terms."""
    either = _either([_term(each) for each in words])
    if either is None:
        return None
    of_kind = tantivy.Query.term_query(schema(), "member", name_kind(kind), "basic")
    clauses = [(tantivy.Occur.Must, either), _silent(of_kind), *filter_clauses(filters)]
    return tantivy.Query.boolean_query(clauses)


def _first_passages(field: str, values: list[Any], filters: Filters) -> tantivy.Query:
    return tantivy.Query.boolean_query(
        [
            (tantivy.Occur.Must, _any_value(field, values, score=1.0)),
            (tantivy.Occur.Must, tantivy.Query.term_query(schema(), "part", 0, "basic")),
            *filter_clauses(filters),
        ]
    )


def _any_value(field: str, values: Sequence[Any], *, score: float) -> tantivy.Query:
    """Return what finds records with any of some values.

    Each is looked up by itself: the engine's own query for a set goes through all values there are
    of a field, which takes 4 times as long for 80 of them and 20 times for one.
    """
    clauses = [tantivy.Query.term_query(schema(), field, value, "basic") for value in values]
    wanted = clauses[0] if len(clauses) == 1 else _either(clauses)
    return tantivy.Query.const_score_query(wanted or tantivy.Query.empty_query(), score)


def _between(since_ms: int | None, until_ms: int | None) -> tantivy.Query:
    return tantivy.Query.range_query(
        schema(),
        "timestamp_ms",
        tantivy.FieldType.Integer,
        max(since_ms if since_ms is not None else -_TIME_MS_MAX, -_TIME_MS_MAX),
        min(until_ms if until_ms is not None else _TIME_MS_MAX, _TIME_MS_MAX),
        include_upper=False,
    )


def _silent(query: tantivy.Query) -> tuple[tantivy.Occur, tantivy.Query]:
    return tantivy.Occur.Must, tantivy.Query.const_score_query(query, 0.0)


def _term(term: str) -> tantivy.Query:
    return tantivy.Query.term_query(schema(), "text", term, "freq")


def _fuzzy(term: str) -> tantivy.Query:
    query = tantivy.Query.fuzzy_term_query(schema(), "text", term, 1)
    return _boost(query, _FUZZY_WEIGHT)


def _boost(query: tantivy.Query, weight: float) -> tantivy.Query:
    return query if weight == 1.0 else tantivy.Query.boost_query(query, weight)


def _either(clauses: Sequence[tantivy.Query]) -> tantivy.Query | None:
    if not clauses:
        return None
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, clause) for clause in clauses])
