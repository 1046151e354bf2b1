"""How much each word of a question counts: its subject in full, its scope and its measure less.

    What are all the environment variables that are read in the billing-api?
             ^^^ measure                                        ^^^^^^^^^^^ scope

A time that is understood leans by when things were said: texts that name the same day are seldom
about the same thing. A scope says where to look. In the memory of a project nearly everything is
about the project, mostly without naming it, so what does name it is not more to the point. A
measure says how much is asked for, or of what kind, and stands in texts by accident.

Only questions are read so: in what is typed as a list of words each word is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.recall.question.intent import is_asking
from agentx.search.analysis import terms
from agentx.search.query import Query

SCOPE_WEIGHT = 0.1
MEASURE_WEIGHT = 0.3
TIME_WEIGHT = 0.5

_SCOPE = compile_late(
    r"\b(?:in|of|for|from|on|across|within|and)\s+"
    r"(?:(?:the|our|this|both)\s+)*"
    r"(?P<name>[a-z0-9]+(?:[-_][a-z0-9]+)+|[\w-]+(?=\s+(?:project|repo|repository|codebase)\b))",
    re.IGNORECASE,
)
_MEASURES = frozenset(
    (
        "across all both complete consistently current currently different each entire every "
        "exact exactly full general initial initially kind list main mainly original originally "
        "overall particular set several sort specific specifically thing total type typical "
        "usual usually various way whole"
    ).split()
)


def emphasis(question: str, query: Query) -> Mapping[str, float]:
    """Return what the terms count that count less than the subject of a question."""
    if not is_asking(question):
        return {}
    asked = frozenset(query.terms)
    weights = dict.fromkeys(_measure_terms() & asked, MEASURE_WEIGHT)
    for scope in _SCOPE.finditer(question):
        weights.update(dict.fromkeys(asked.intersection(terms(scope["name"])), SCOPE_WEIGHT))
    # A question that asks for nothing else means these words.
    return weights if asked - weights.keys() else {}


def weigh_times(question: str, query: Query, times: Iterable[str]) -> Mapping[str, float]:
    """Return what the words of the times count that were understood as such: `times` are theirs."""
    if not is_asking(question):
        return {}
    asked = frozenset(query.terms)
    said = asked.intersection(term for words in times for term in terms(words))
    return dict.fromkeys(said, TIME_WEIGHT) if asked - said else {}


def without_scope(query: Query, weights: Mapping[str, float]) -> Query:
    """Return the query without the pairs that only name its scope."""
    light = {term for term, weight in weights.items() if weight <= SCOPE_WEIGHT}
    return replace(query, pairs=tuple(pair for pair in query.pairs if not light.intersection(pair)))


@lru_cache(maxsize=1)
def _measure_terms() -> frozenset[str]:
    return frozenset(term for word in _MEASURES for term in terms(word))
