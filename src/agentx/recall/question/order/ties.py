"""What was made of a text stands with the text, and what was replaced stands below what holds.

    observation --drawn from--> event      both found: one memory, the event's, with both ids
    observation --replaced by--> another   both found: the older one comes after
    question --answered by--> reply        both found: the answer comes before

An observation says again what a turn said, so beside it it would take the place of another
turn. Where the turn is not among the hits, it stands for itself.

A question is asked again in the words in which it was asked, so it matches better than its answer;
whoever asks again wants the answer. What tells something before it asks, or asks something else, is
no such question: it may be what is looked for.

Law: nothing that is found gets lost by it: it is a hit of its own, or named with one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from agentx.kernel.values import frozen
from agentx.prose.cues import COURTESY
from agentx.prose.likeness import Words, coverage
from agentx.prose.sentences import is_question, sentences
from agentx.recall.question.rank import Ranked
from agentx.search.analysis import terms
from agentx.search.document import Trait
from agentx.search.text.evidence import Evidence
from agentx.search.text.index import Reading

_DRAWN, _SUPERSEDED = int(Trait.DRAWN), int(Trait.SUPERSEDED)
_TIED = _DRAWN | _SUPERSEDED
# What was replaced counts less than what replaced it, however well it matches.
_BELOW = 0.999
_ABOVE = 1.001
# Rows that may be shown once what was made of others stands with them.
_TIED_SHARE = 4
# Calls of tools between a question and its answer.
_STEPS_MAX = 12
# Of the words of an earlier question, those that are asked for again.
_SAME_SHARE = 0.5
_ASKS = int(Trait.USER | Trait.QUESTION)
_UNSAID = int(Trait.ACT | Trait.TOOL)


@frozen(kw_only=False)
class Settled:
    """The order that is left, and by the key of a document the ids of what was made of it."""

    ranked: tuple[Ranked, ...]
    made_of: Mapping[int, tuple[str, ...]]
    stands_for: Mapping[int, int] = field(default_factory=dict)  # what was made of it -> it


@frozen(kw_only=False)
class _Tied:
    """A document with ties, and the keys of those it is tied to that were found too."""

    ranked: Ranked
    doc_id: str
    sources: tuple[int, ...]
    replacement: int | None


def settle(ranked: tuple[Ranked, ...], reading: Reading, limit: int) -> Settled:
    """Put what was drawn from one of the best hits with it, and what was replaced below what
    replaced it.
    """
    places = {each.candidate.key: each for each in ranked}
    tied = [each for each in ranked[: _TIED_SHARE * limit] if each.candidate.traits & _TIED]
    if not tied:
        return Settled(ranked, {})
    said = [each for each in ranked if not each.candidate.traits & _DRAWN]
    shown = {each.candidate.key for each in said[:limit]}
    known = [_tie(each, places, shown, reading) for each in tied]
    scores = {key: each.score for key, each in places.items()}
    stands_for: dict[int, int] = {}
    made_of: dict[int, tuple[str, ...]] = {}
    for each in known:
        if each.sources:
            own = each.ranked.candidate.key
            source = max(each.sources, key=scores.__getitem__)
            stands_for[own] = source
            made_of[source] = (*made_of.get(source, ()), each.doc_id)
    _lower_replaced(known, stands_for, scores)
    left = [
        each if scores[key] == each.score else replace(each, score=scores[key])
        for key, each in places.items()
        if key not in stands_for
    ]
    left.sort(key=lambda each: -each.score)
    return Settled(tuple(left), made_of, stands_for)


def _tie(ranked: Ranked, places: Mapping[int, Ranked], shown: set[int], reading: Reading) -> _Tied:
    tied = reading.ties(ranked.candidate.place)
    return _Tied(
        ranked,
        tied.doc_id,
        sources=tuple(key for key in tied.drawn_from if key in shown),
        replacement=tied.superseded_by if tied.superseded_by in places else None,
    )


def _lower_replaced(
    known: list[_Tied], stands_for: Mapping[int, int], scores: dict[int, float]
) -> None:
    """Lower what was replaced, again while that lowers something: one may replace another."""
    for _ in known:
        lowered = False
        for each in known:
            if each.replacement is None:
                continue
            own = stands_for.get(each.ranked.candidate.key, each.ranked.candidate.key)
            holds = stands_for.get(each.replacement, each.replacement)
            most = _BELOW * scores[holds]
            if own != holds and scores[own] > most:
                scores[own] = most
                lowered = True
        if not lowered:
            return


def put_answers_first(
    ranked: tuple[Ranked, ...],
    evidence: Evidence,
    limit: int,
    is_same: Callable[[Ranked], bool],
) -> tuple[Ranked, ...]:
    """Return the order with each answer above its question, as far as both were found.

    `is_same` tells whether a question is the one that is asked now.
    """
    asked = [each for each in ranked[:limit] if each.candidate.traits & _ASKS == _ASKS]
    if not asked:
        return ranked
    after = {before: own for own, before in evidence.before.items()}
    places = {each.candidate.key: each for each in ranked}
    scores = {key: each.score for key, each in places.items()}
    for question in asked:
        key = _answer_to(question.candidate.key, after, evidence)
        if key not in places or scores[key] > scores[question.candidate.key]:
            continue
        is_near = places[key].candidate.session_key == question.candidate.session_key
        if is_near and is_same(question):
            scores[key] = max(scores[key], _ABOVE * scores[question.candidate.key])
    moved = [
        each if scores[key] == each.score else replace(each, score=scores[key])
        for key, each in places.items()
    ]
    moved.sort(key=lambda each: -each.score)
    return tuple(moved)


def asks_for(text: str, wanted: Words) -> bool:
    """Tell whether a text is nothing but a question, however polite, and mostly of some terms."""
    said = [each.text for each in sentences(text)]
    if not said or not all(is_question(each) or COURTESY.match(each) for each in said):
        return False
    return coverage(frozenset(terms(text)), wanted) >= _SAME_SHARE


def _answer_to(question: int, after: dict[int, int], evidence: Evidence) -> int:
    """Return the key of the first words of the other side that follow; 0 for none."""
    key = question
    for _ in range(_STEPS_MAX):
        key = after.get(key, 0)
        found = evidence.candidates.get(key)
        if not key or (found is not None and not found.traits & _UNSAID):
            break
    found = evidence.candidates.get(key)
    is_answer = found is not None and not found.traits & _ASKS
    return key if is_answer else 0
