"""Which documents answer, and in which order: evidence added up, leanings applied.

    score  =  passage + window + chapter + pairs         evidence, each between 0 and 1
           +  a share of the question it replies to      an answer rarely repeats the question
           +  a share of the best, when it is by whom the question names
           x  leanings: whose words, when it was, names a time, is recent, was recalled
              before, was replaced, is an act and not words

Evidence at several scales is worth more than a better single scale: the turn says it, its
neighbours say what it is about, the session says what everything was about. Leanings
change an order and never hide a hit.

Law: the order depends on the evidence and the cues alone; ties go to the newer document,
then to the smaller key, so that the same question gives the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from agentx.kernel.clock import DAY_MS
from agentx.kernel.values import frozen
from agentx.recall.question.intent import Cues, Voice
from agentx.recall.question.when import TimeSpan, nearness
from agentx.recall.usage import UNUSED, RecallCounts
from agentx.search.document import Trait
from agentx.search.text.evidence import Contender, Evidence


@frozen
class Weights:
    """How much each piece counts, as a share of what a passage counts."""

    passage: float = 1.0
    window: float = 0.8
    chapter: float = 0.6
    pairs: float = 0.6
    reply: float = 0.35
    named: float = 0.35
    voice: float = 0.5
    when: float = 0.15
    span: float = 0.6
    recency: float = 0.02
    usage: float = 0.02
    superseded: float = -0.5
    act: float = -0.25
    # A session is as good as its best document; all of it decides where no document does.
    session_chapter: float = 0.05


WEIGHTS = Weights()
_RECENCY_DAYS = 30
# Recalled more often than this tells nothing more.
_USAGE_MAX = 15
_USER, _ASSISTANT = int(Trait.USER), int(Trait.ASSISTANT)
_DATED, _SHORT, _SUPERSEDED = int(Trait.DATED), int(Trait.SHORT), int(Trait.SUPERSEDED)
_ACT, _DRAWN = int(Trait.ACT), int(Trait.DRAWN)
_SHORT_ACT = _SHORT | _ACT
_SHORT_QUESTION = int(Trait.SHORT | Trait.QUESTION)
_VOICES = {Voice.ANY: 0, Voice.USER: _USER, Voice.ASSISTANT: _ASSISTANT}


@frozen(kw_only=False)
class Ranked:
    """A candidate and its score. `replied` and `named` are the parts it owes to others."""

    candidate: Contender
    score: float
    replied: float
    named: float


@frozen(kw_only=False)
class RankedSession:
    """A session, its score, and its best document, if one was found by itself."""

    session_key: int
    score: float
    best: Ranked | None


@frozen(kw_only=False)
class ScorePart:
    """A part of a score: what was added, or by which share everything grew or shrank."""

    name: str
    value: float
    is_leaning: bool = False


@frozen
class Vantage:
    """From where the evidence is seen."""

    cues: Cues
    spans: tuple[TimeSpan, ...] = ()
    now_ms: int | None = None
    usage: RecallCounts = UNUSED
    weights: Weights = WEIGHTS


def rank(evidence: Evidence, view: Vantage) -> tuple[Ranked, ...]:
    """Order the candidates, best first."""
    weights = view.weights
    base = {key: _base(each, weights) for key, each in evidence.candidates.items()}
    replied = _replies(evidence, base, weights.reply)
    totals = {**base, **{key: base[key] + reply for key, reply in replied.items()}}
    best = max(totals.values(), default=0.0)
    ranked = []
    leans_on_time = bool(view.spans) or view.now_ms is not None or bool(view.usage)
    by_traits: dict[int, float] = {}  # hundreds of candidates, a handful of traits
    for key, candidate in evidence.candidates.items():
        named = weights.named * best if candidate.is_named else 0.0
        if candidate.traits not in by_traits:
            by_traits[candidate.traits] = _grow(_of_traits(candidate.traits, view))
        score = (totals[key] + named) * by_traits[candidate.traits]
        if leans_on_time:
            score *= _grow(_of_time_and_use(candidate, view))
        ranked.append(Ranked(candidate, score, replied.get(key, 0.0), named))
    ranked.sort(key=lambda each: (-each.score, -each.candidate.timestamp_ms, each.candidate.key))
    return tuple(ranked)


def rank_sessions(
    evidence: Evidence, ranked: tuple[Ranked, ...], weights: Weights = WEIGHTS
) -> tuple[RankedSession, ...]:
    """Order the sessions by the best of what was said in them and by how well all of it fits.

    What was drawn from it says it again in fewer words; it counts where nothing else was found.
    """
    best: dict[int, Ranked] = {}
    drawn: dict[int, Ranked] = {}
    for each in ranked:
        candidate = each.candidate
        held = drawn if candidate.traits & _DRAWN else best
        held.setdefault(candidate.session_key, each)
    best = drawn | best
    top = max((each.score for each in best.values()), default=0.0) or 1.0
    sessions = []
    for session in best.keys() | evidence.sessions.keys():
        first = best.get(session)
        score = first.score / top if first is not None else 0.0
        score += weights.session_chapter * evidence.sessions.get(session, 0.0)
        sessions.append(RankedSession(session, score, first))
    return tuple(sorted(sessions, key=lambda each: (-each.score, each.session_key)))


def reasons(ranked: Ranked, view: Vantage) -> tuple[ScorePart, ...]:
    """Return what a score is made of, for whoever asks why a hit is there."""
    weights, candidate = view.weights, ranked.candidate
    added = (
        ScorePart("passage", weights.passage * candidate.passage),
        ScorePart("window", weights.window * candidate.window),
        ScorePart("session", weights.chapter * candidate.chapter),
        ScorePart("words together", weights.pairs * candidate.pairs),
        ScorePart("replies to a question", ranked.replied),
        ScorePart("speaker", ranked.named),
        *(
            ScorePart(name, value, is_leaning=True)
            for name, value in (
                *_of_traits(candidate.traits, view),
                *_of_time_and_use(candidate, view),
            )
        ),
    )
    return tuple(reason for reason in added if reason.value)


def _base(candidate: Contender, weights: Weights) -> float:
    return (
        weights.passage * candidate.passage
        + weights.window * candidate.window
        + weights.chapter * candidate.chapter
        + weights.pairs * candidate.pairs
    )


def _replies(evidence: Evidence, base: Mapping[int, float], share: float) -> dict[int, float]:
    """Return what short texts owe to the short question they follow; acts are no answers."""
    found = {}
    candidates = evidence.candidates
    for key, before_key in evidence.before.items():
        candidate, before = candidates.get(key), candidates.get(before_key)
        if candidate is None or before is None or candidate.traits & _SHORT_ACT != _SHORT:
            continue
        if before.traits & _SHORT_QUESTION == _SHORT_QUESTION:
            found[key] = share * base[before_key]
    return found


def _grow(leanings: list[tuple[str, float]]) -> float:
    factor = 1.0
    for _, value in leanings:
        factor *= 1 + value
    return factor


def _of_traits(traits: int, view: Vantage) -> list[tuple[str, float]]:
    weights = view.weights
    found = []
    if traits & _VOICES[view.cues.voice]:
        found.append((f"said by the {view.cues.voice}", weights.voice))
    if view.cues.asks_when and traits & _DATED:
        found.append(("names a time", weights.when))
    if traits & _SUPERSEDED:
        found.append(("replaced since", weights.superseded))
    if traits & _ACT:
        found.append(("an act, not words", weights.act))
    return found


def _of_time_and_use(candidate: Contender, view: Vantage) -> list[tuple[str, float]]:
    weights = view.weights
    found = []
    if view.spans:
        near = max([nearness(candidate.timestamp_ms, span) for span in view.spans])
        found.append(("at that time", weights.span * near))
    if view.now_ms is not None:
        days = max(view.now_ms - candidate.timestamp_ms, 0) / DAY_MS
        found.append(("recent", weights.recency / (1 + days / _RECENCY_DAYS)))
    if times := view.usage.times(candidate.key):
        # Each further time tells less.
        share = math.log2(1 + min(times, _USAGE_MAX)) / math.log2(1 + _USAGE_MAX)
        found.append(("recalled before", weights.usage * share))
    return found
