"""A question becomes a plan, and the plan can be shown.

    question -> cues, spans of time, anchor -> evidence -> ranking -> memories

Everything that was read out of the question is in the plan, so that whoever asks why a hit
is there gets the same words that ranked it.

Law: the plan only leans. What the caller did not filter away can always be found; whom the question
names as doing something (`actors`) is a filter, unless nothing by them fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import tzinfo
from functools import partial
from itertools import chain

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen
from agentx.recall.question.actors import Actors, name_actors
from agentx.recall.question.emphasis import emphasis, weigh_times, without_scope
from agentx.recall.question.intent import Cues, Voice, cues, is_asking
from agentx.recall.question.likeness import HitGroup, Rows, put_copies_together
from agentx.recall.question.order.decided import (
    lead_with_decided,
    list_decided,
    read_decided,
    weigh_decided,
)
from agentx.recall.question.order.holding import (
    bring_chosen,
    bring_replacing,
    lead_with_holding,
    read_holding,
)
from agentx.recall.question.order.reasons import lead_with_reasons
from agentx.recall.question.order.replaced import Grounds, put_replaced_behind
from agentx.recall.question.order.threads import lead_with_outcomes
from agentx.recall.question.order.ties import asks_for, put_answers_first, settle
from agentx.recall.question.rank import (
    WEIGHTS,
    Ranked,
    RankedSession,
    ScorePart,
    Vantage,
    Weights,
    rank,
    rank_sessions,
    reasons,
)
from agentx.recall.question.when import Anchor, TimeSpan, anchor, nearness, spans
from agentx.recall.usage import UNUSED, RecallCounts
from agentx.search.document import Filters, Hit
from agentx.search.query import Query, parse
from agentx.search.text.evidence import Evidence, Wording, gather
from agentx.search.text.index import Reading, TextIndex

_TO_COME = ("next", "tomorrow")
# What is looked up to date an anchor: its best hit says when it was.
_ANCHOR_SPAN_MS = 30 * 24 * 60 * 60 * 1000


@frozen
class Question:
    """What is asked, when, and among what. Without `now_ms` there is no present to lean on.

    `usage` says how often documents were recalled before.
    """

    text: str
    zone: tzinfo
    now_ms: Millis | None = None
    filters: Filters = field(default_factory=Filters)
    limit: int = 20
    usage: RecallCounts = UNUSED


@frozen
class Plan:
    """What was read out of a question."""

    query: Query
    wording: Wording
    cues: Cues
    spans: tuple[TimeSpan, ...]
    anchor: Anchor | None = None
    who: Actors = Actors(rest="")  # whose words alone are looked at, if there are any that fit


@frozen(kw_only=False)
class FoundSession:
    """A session that fits."""

    session: str
    score: float


@frozen
class Answer:
    """What was found, best first, with the reasons for each hit in the same order."""

    plan: Plan
    memories: tuple[HitGroup, ...]
    sessions: tuple[FoundSession, ...]
    kin: tuple[str, ...]  # words that were looked for beside those of the question
    why: dict[str, tuple[ScorePart, ...]]  # by document id
    # By the id of what was overturned that of what did it.
    replaced: Mapping[str, str] = field(default_factory=dict)


def plan(question: Question) -> Plan:
    """Read a question."""
    text = question.text
    found: tuple[TimeSpan, ...] = ()
    told: Anchor | None = None
    who = name_actors(text) if is_asking(text) else Actors(rest=text)
    if question.now_ms is not None:
        named = spans(text, now_ms=question.now_ms, zone=question.zone, roughly=True)
        # What is to come is no time that anything was remembered of.
        found = tuple(span for span in named if not span.words.lower().startswith(_TO_COME))
        told = anchor(text, now_ms=question.now_ms, zone=question.zone)
    query = parse(who.rest, operators=False)
    weights = {
        **weigh_times(text, query, (span.words for span in found)),
        **emphasis(text, query),
        **weigh_decided(text, query.terms),
    }
    return Plan(
        query=without_scope(query, weights),
        wording=Wording(weights, takes_kin=is_asking(text)),
        cues=cues(text, has_span=bool(found)),
        spans=found,
        anchor=told,
        who=who,
    )


def explain(found: Answer) -> tuple[str, ...]:
    """Say what was read out of the question, a line each."""
    made = found.plan
    lines = [f"intent: {made.cues.intent}", f"words: {', '.join(made.query.terms) or 'none'}"]
    if made.wording.weights:
        lines.append(f"counting less: {', '.join(sorted(made.wording.weights))}")
    if found.kin:
        lines.append(f"also looked for: {', '.join(found.kin)}")
    if made.cues.voice != Voice.ANY:
        lines.append(f"leaning to: what the {made.cues.voice} said")
    if made.cues.asks_why:
        lines.append("first: what states a reason")
    if made.cues.asks_when:
        lines.append("leaning to: what names a time")
    if made.who:
        lines.append(f"only: {', '.join(made.who.names)}")
    lines += [f"time: {span.words}" for span in made.spans]
    if made.anchor is not None:
        lines.append(f"{'before' if made.anchor.is_before else 'after'}: {made.anchor.words}")
    return tuple(lines)


def answer(index: TextIndex, question: Question, weights: Weights = WEIGHTS) -> Answer:
    """Answer a question from the index.

    Raises: IndexUnavailable; the table of contents still answers then.
    """
    made = plan(question)
    if made.who:
        found = _answer(
            index, replace(question, filters=_by(made.who, question.filters)), made, weights
        )
        if found.memories:
            return found
    return _answer(index, question, replace(made, who=Actors(rest="")), weights)


def _by(who: Actors, filters: Filters) -> Filters:
    """Return filters that let only through what is by somebody; what the caller set stays."""
    return replace(
        filters,
        harnesses=filters.harnesses or who.harnesses,
        agents=filters.agents or who.roles,
    )


def _answer(index: TextIndex, question: Question, made: Plan, weights: Weights) -> Answer:
    if made.anchor is not None and not made.spans:
        made = replace(made, spans=_date(index, made.anchor, question))
    view = Vantage(
        cues=made.cues,
        spans=made.spans,
        now_ms=question.now_ms,
        usage=question.usage,
        weights=weights,
    )
    reading = index.reading()
    prefer = partial(_prefer, made.spans) if made.spans else None
    evidence = gather(reading, made.query, question.filters, made.wording, prefer)
    holding = read_holding(question.text)
    replaced = bring_replacing(evidence, reading, question.filters, holding) if holding else {}
    chosen = bring_chosen(evidence, reading, question.filters, holding) if holding else ()
    ranked, copies = put_copies_together(rank(evidence, view), prefer)
    opened: dict[int, Hit] = {}
    read = partial(_read_passage, reading, opened)
    asked = frozenset(made.query.terms)
    ranked = put_answers_first(
        ranked, evidence, question.limit, lambda found: asks_for(read(found), asked)
    )
    grounds = Grounds(
        evidence=evidence, reading=reading, filters=question.filters, asked=asked, read=read
    )
    overturned = put_replaced_behind(ranked, grounds, question.limit)
    settled = settle(overturned.ranked, reading, question.limit)
    order = _keep_holders(settled.ranked, made.query, frozenset(chosen))
    if made.cues.asks_why:
        subject = asked - made.wording.weights.keys() or asked  # when it was is no part of it
        order = lead_with_reasons(order, subject, read, made.spans)
        order = _lead_with_findings(order, replace(grounds, asked=subject), made)
    if about := read_decided(question.text):
        decided = list_decided(reading, question.filters, about)
        order = lead_with_decided(order, decided, settled.stands_for)
    if holding:
        order = lead_with_holding(order, holding, replaced, read, settled.stands_for, chosen=chosen)
    rows = Rows(
        open_hit=partial(_open, reading, opened),
        filters=question.filters,
        copies=copies,
        made_of=settled.made_of,
    ).fill(order, question.limit)
    every = sorted((*ranked, *chain(*copies.values())), key=lambda each: -each.score)
    return Answer(
        plan=made,
        memories=lead_with_outcomes([group for group, _ in rows]),
        sessions=tuple(
            FoundSession(_name(each, evidence, reading), each.score)
            for each in rank_sessions(evidence, tuple(every), weights)[: question.limit]
        ),
        kin=evidence.kin,
        why={group.hit.doc_id: reasons(each, view) for group, each in rows},
        replaced={
            group.hit.doc_id: overturned.by[each.candidate.key]
            for group, each in rows
            if each.candidate.key in overturned.by
        },
    )


def _prefer(spans: tuple[TimeSpan, ...], timestamp_ms: int) -> float:
    """Return how near something was said to the times that are asked for."""
    return max(nearness(timestamp_ms, span) for span in spans)


def _lead_with_findings(
    order: tuple[Ranked, ...], grounds: Grounds, made: Plan
) -> tuple[Ranked, ...]:
    """Put first what was found out for who asked about it on a day, where one is named."""
    if not made.spans:
        return order
    from agentx.recall.question.order.of_a_day import lead_with_findings  # noqa: PLC0415  few questions name a day

    return lead_with_findings(order, grounds, made.query, made.spans)


def _keep_holders(
    ranked: tuple[Ranked, ...], query: Query, chosen: frozenset[int]
) -> tuple[Ranked, ...]:
    """Where one word is asked for, leave out what neither has it nor replies to what has.

    What was `chosen` answers without it. With several words what stands near a hit may well be what
    is meant; near a single one it is a neighbour.
    """
    if len(query.terms) != 1:
        return ranked
    own = tuple(
        each
        for each in ranked
        if each.candidate.passage or each.replied or each.named or each.candidate.key in chosen
    )
    return own if any(each.candidate.passage for each in own) else ranked


def _read_passage(reading: Reading, opened: dict[int, Hit], ranked: Ranked) -> str:
    return _open(reading, opened, ranked).passage


def _open(reading: Reading, opened: dict[int, Hit], ranked: Ranked) -> Hit:
    """Return what is stored of a row; several rules ask, and it is opened once."""
    key = ranked.candidate.key
    if key not in opened:
        opened[key] = reading.hit(ranked.candidate.place, ranked.score)
    return opened[key]


def _name(session: RankedSession, evidence: Evidence, reading: Reading) -> str:
    chapter = evidence.chapters.get(session.session_key)
    if chapter is not None:
        return reading.session_of(chapter)
    assert session.best is not None, "a session is found by a chapter or by a document"
    return reading.hit(session.best.candidate.place, session.score).session


def _date(index: TextIndex, told: Anchor, question: Question) -> tuple[TimeSpan, ...]:
    """Look up when the thing was that a time is told by."""
    hits = index.search(parse(told.words, operators=False), question.filters, 1)
    if not hits:
        return ()
    at_ms = hits[0].timestamp_ms
    if told.is_before:
        return (TimeSpan(Millis(max(at_ms - _ANCHOR_SPAN_MS, 0)), Millis(at_ms), told.words),)
    return (TimeSpan(Millis(at_ms), Millis(at_ms + _ANCHOR_SPAN_MS), told.words),)
