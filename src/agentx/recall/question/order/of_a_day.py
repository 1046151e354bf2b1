"""Why something was so on a day: what was found out for whoever asked about it then comes first.

    why was the calendar slow on 11 March?
        "The calendar takes almost a second. Measure first ..."     who asked, on that day
        "215 queries per request say why: ..."                      the end of the reply to it

What names the words of such a question is what somebody asked or reported, and the reply says in
words of its own what was the matter: so it is looked up by its place.

Law: only where a time is named, and only what was said in reply to one of the best is brought.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from agentx.prose.likeness import coverage
from agentx.recall.question.order.reasons import is_of, states_reason
from agentx.recall.question.order.replaced import Grounds
from agentx.recall.question.rank import Ranked
from agentx.recall.question.when import TimeSpan
from agentx.search.analysis import terms
from agentx.search.document import Trait
from agentx.search.query import Query
from agentx.search.text.evidence import Contender, add_session, gather

_ABOVE = 1.001
_LOOKED_AT = 20
_EVENTS = ("event",)
_PERSONS = ("user",)
_SPANS_MAX = 3
_REPLY_MS_MAX = 60 * 60 * 1000  # after who asked, the end of the reply
# Of the words of a question, those that who asked about it then must have said.
_SAME_SHARE = 0.5
_USER, _ASSISTANT = int(Trait.USER), int(Trait.ASSISTANT)
_UNSAID = int(Trait.ACT | Trait.TOOL)


def lead_with_findings(
    ranked: Sequence[Ranked], grounds: Grounds, query: Query, spans: Sequence[TimeSpan]
) -> tuple[Ranked, ...]:
    """Put the end of the reply to who spoke of it at that time first, where no reason leads."""
    found = tuple(ranked)
    if not (spans and found and grounds.asked) or _leads_with_reason(found[0], grounds, spans):
        return found
    said = chain(found[:_LOOKED_AT], _list_said(grounds, query, spans))
    told = next((each for each in said if _tells(each, grounds, spans)), None)
    answer = _find_reply(told, grounds) if told is not None else None
    if answer is None:
        return found
    known = next((each for each in found if each.candidate.key == answer.key), None)
    first = replace(known or Ranked(answer, 0.0, 0.0, 0.0), score=_ABOVE * found[0].score)
    return (first, *(each for each in found if each.candidate.key != answer.key))


def _leads_with_reason(first: Ranked, grounds: Grounds, spans: Sequence[TimeSpan]) -> bool:
    return is_of(first, spans) and states_reason(grounds.read(first), grounds.asked)


def _tells(each: Ranked, grounds: Grounds, spans: Sequence[TimeSpan]) -> bool:
    """Tell whether a person speaks of the subject, at the time that is named."""
    if not each.candidate.traits & _USER or not is_of(each, spans):
        return False
    return coverage(grounds.asked, frozenset(terms(grounds.read(each)))) >= _SAME_SHARE


def _list_said(grounds: Grounds, query: Query, spans: Sequence[TimeSpan]) -> Iterator[Ranked]:
    """Yield what people said of it at those times, which others may have crowded out."""
    for span in spans[:_SPANS_MAX]:
        near = replace(
            grounds.filters,
            doc_types=_EVENTS,
            roles=_PERSONS,
            since_ms=max(span.since_ms, grounds.filters.since_ms or 0),
            until_ms=min(span.until_ms, grounds.filters.until_ms or span.until_ms),
        )
        found = gather(grounds.reading, query, near).candidates.values()
        best = sorted(found, key=lambda each: -each.passage)[:_LOOKED_AT]
        yield from (Ranked(each, 0.0, 0.0, 0.0) for each in best)


def _find_reply(told: Ranked, grounds: Grounds) -> Contender | None:
    """Return the last thing that was said in reply to a person, before they spoke again."""
    at_ms = told.candidate.timestamp_ms
    since, until = at_ms + 1, at_ms + _REPLY_MS_MAX
    filters = grounds.filters
    near = replace(
        filters,
        doc_types=_EVENTS,
        since_ms=max(since, filters.since_ms or 0),
        until_ms=min(until, filters.until_ms or until),
    )
    reply: Contender | None = None
    for each in add_session(grounds.evidence, grounds.reading, told.candidate.session_key, near):
        if each.traits & _USER:
            break
        if each.traits & _ASSISTANT and not each.traits & _UNSAID:
            reply = each
    return reply
