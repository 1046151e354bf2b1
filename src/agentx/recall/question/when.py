"""Time in plain language: "last Tuesday", "two weeks ago", "in March", "before the release".

    spans("what did we decide two weeks ago?", now_ms=..., zone=...)

A span is when something happened, as somebody remembers it. People remember roughly and
tell of things afterwards, so a span is a leaning, not a wall: `nearness` is 1 inside it and
fades outside, faster before it than after.

What has no date of its own ("before the release") is an `Anchor`: recall looks up when
that was. Nothing here reads a clock; the present is handed in.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from datetime import datetime, tzinfo
from operator import itemgetter
from typing import TYPE_CHECKING

from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.errors import InvalidValue
from agentx.kernel.periods import YEAR_MIN, day_period, start_ms
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.recall.limits import NOW_MS_MAX
from agentx.recall.question.clock_words import take_clock
from agentx.recall.question.time_words import EXPRESSION, MONTHS, WEEKDAYS, Edge, read_time

if TYPE_CHECKING:
    from agentx.recall.question.foreign_times import ForeignTime

_BOUND = compile_late(r"\b(since|after|before|until|till|by)\s+(?:the\s+)?\Z", re.IGNORECASE)
_INSIDE = compile_late(r"(since|after|before|until)\s", re.IGNORECASE)
# What tells a time in words that are not known here: some days, or a day of its own.
_UNITS = ("day", "week", "fortnight", "month", "quarter", "year", "sprint", "night", "morning")
_UNIT = r"(?:day|week|weekend|fortnight|month|quarter|year|sprint)s?"
_TIME_LIKE = compile_late(
    r"\b(?:in|during|on|over|within|since)\s+(?:the\s+)?"
    r"(?:last|past|previous|recent|other|first|second|third|fourth|final)\s+"
    rf"(?:\w+\s+){{0,2}}{_UNIT}\b"
    rf"|\b\w+\s+{_UNIT}\s+(?:ago|earlier|back|before\s+last)\b"
    r"|\b(?:on|during|since|until|around)\s+(?:the|our|that|my)\s+(?!same\b)(?:\w+\s+){1,2}"
    r"(?:day|night|morning|evening|week|weekend|month|sprint)\b",
    re.IGNORECASE,
)
_ANCHOR = compile_late(
    r"\b(?P<relation>before|after|since|until)\s+(?P<words>(?:the|our|my|we|i)\s+[^,.;?!\n]{3,80})",
    re.IGNORECASE,
)
# The words without one of which no time is told in German, but for dates.
_FOREIGN = compile_late(
    r"\b(?:(?:vor)?gestern|heute|(?:vor)?letzte\w?|vergangene\w?|vorige\w?|diese\w?|n\u00e4chste\w?"
    r"|vor|im|am|seit|anfang|mitte|ende|nach|bis|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch"
    r"|sonnabend|hier|aujourd|semaines?|mois|ann\u00e9e|il y a|ce matin|le week-?end|lundi|mardi"
    r"|mercredi|jeudi|vendredi|samedi|dimanche|ayer|anteayer|antier|anoche|hoy|semanas?|mes"
    r"|hace|a\u00f1os?|esta ma\u00f1ana|lunes|martes|mi[e\u00e9]rcoles|jueves|viernes"
    r"|s[a\u00e1]bado|domingo)\b|\d\.|\d (?:de )?(?:janv|f[e\u00e9]vr|mars|avr|juin|juil"
    r"|ao[u\u00fb]t|d[e\u00e9]c|ener|marz|abri|mayo|juni|juli|agos|dici)",
    re.IGNORECASE,
)
_ROUGHLY = {"after": "since", "until": "before", "till": ""}
_FAR_MS = 100 * 366 * DAY_MS
# How the words begin without which no time is told, but for those that are told in digits. The
# expression takes longer to compile than most questions to answer, and most name no time.
_BEGINNINGS = frozenset(
    word[:3]
    for word in (
        *(*MONTHS, *WEEKDAYS, "yesterday", "today", "tonight", "tomorrow", "ago", "weekend"),
        *("last", "past", "previous", "this", "current", "next", "week"),
    )
)


@frozen(kw_only=False)
class TimeSpan:
    """When something was, from and up to but not at, and the words that said so."""

    since_ms: Millis
    until_ms: Millis
    words: str
    begins: int = 0  # where the words stand in the text that was read
    ends: int = 0


@frozen(kw_only=False)
class Anchor:
    """A time told by what happened then."""

    is_before: bool
    words: str


@frozen
class UnreadTimes:
    """What was said of time and is not understood: dates that are none, and other words."""

    no_dates: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def spans(text: str, *, now_ms: int, zone: tzinfo, roughly: bool = False) -> tuple[TimeSpan, ...]:
    """Return the spans of time that a text names, seen from the present.

    Roughly is how people remember: early in March is in March, and after a day begins with it.
    """
    return tuple(span for span, _ in _read(text, now_ms, zone, roughly=roughly) if span is not None)


def list_unread(text: str, *, now_ms: int, zone: tzinfo) -> UnreadTimes:
    """Return what a text says of time and is not understood."""
    found = _read(text, now_ms, zone)
    no_dates = tuple(said for span, said in found if span is None)
    if not any(unit in text.casefold() for unit in _UNITS):
        return UnreadTimes(no_dates=no_dates)
    rest = text
    for span, said in found:
        rest = rest.replace(said if span is None else text[span.begins : span.ends], " | ", 1)
    others = tuple(match[0].strip() for match in _TIME_LIKE.finditer(rest))
    return UnreadTimes(no_dates=no_dates, others=others)


def _read(
    text: str, now_ms: int, zone: tzinfo, *, roughly: bool = False
) -> list[tuple[TimeSpan | None, str]]:
    """Return the times of a text in order, with their words; None for one that is no date."""
    if not may_name_time(text):
        return []
    now = datetime.fromtimestamp(now_ms / 1000, tz=zone)
    told = _list_foreign(text)
    found: list[tuple[int, TimeSpan | None, str]] = []
    for each in told:
        match = EXPRESSION.fullmatch(each.english)
        words = text[each.begins : each.ends]
        edges = read_time(match, now.replace(tzinfo=None)) if match else None
        span = None
        if edges:
            clock = take_clock(text, edges, each.begins, each.ends)
            words = text[clock.begins : clock.ends]
            span = _span(clock.edges, each.relation, now_ms, zone)
            span = replace(span, words=words, begins=clock.begins, ends=clock.ends)
        found.append((each.begins, span, words))
    for match in EXPRESSION.finditer(text):
        if any(each.begins < match.end() and match.start() < each.ends for each in told):
            continue
        edges = read_time(match, now.replace(tzinfo=None), roughly=roughly)
        if edges is None:
            found.append((match.start(), None, match[0]))
            continue
        clock = take_clock(text, edges, *match.span())
        bound = _BOUND.search(text[: clock.begins]) or _INSIDE.match(match[0])
        relation = bound[1].lower() if bound else ""
        relation = _ROUGHLY.get(relation, relation) if roughly else relation
        begins = bound.start() if bound and bound.string is not match[0] else clock.begins
        words = text[begins : clock.ends]
        span = _span(clock.edges, relation, now_ms, zone)
        span = replace(span, words=words, begins=begins, ends=clock.ends)
        found.append((match.start(), span, match[0]))
    return [(span, words) for _, span, words in sorted(found, key=itemgetter(0))]


def _list_foreign(text: str) -> list[ForeignTime]:
    if not _may_be_foreign(text):
        return []
    from agentx.recall.question.foreign_times import foreign_times  # noqa: PLC0415  few are

    return list(foreign_times(text))


def _may_be_foreign(text: str) -> bool:
    """Tell, cheaply, whether a text could tell a time in another language."""
    is_unspaced = not text.isascii() and any("\u3040" <= char <= "\ud7a3" for char in text)
    return is_unspaced or _FOREIGN.search(text) is not None


def _span(edges: tuple[Edge, Edge], relation: str, now_ms: int, zone: tzinfo) -> TimeSpan:
    """Return what stands in a relation to a time: since it, after it, before it, until it."""
    since, until = (_moment(edge, zone) for edge in edges)
    if relation == "since":
        until = Millis(max(now_ms, until))
    elif relation == "after":
        since, until = until, Millis(max(now_ms, until))
    elif relation in {"before", "until", "till"}:
        until = since if relation == "before" else until
        since = Millis(max(since - _FAR_MS, 0))
    return TimeSpan(since, until, "")


def may_name_time(text: str) -> bool:
    """Tell, cheaply, whether a text could name a time; never no where it does."""
    plain = "".join(char if char.isalnum() else " " for char in text.casefold())
    return any(
        word[:3] in _BEGINNINGS or not word.isalpha() for word in plain.split()
    ) or _may_be_foreign(text)


def anchor(text: str, *, now_ms: int, zone: tzinfo) -> Anchor | None:
    """Return the event that a text measures time by, unless it names a date."""
    match = _ANCHOR.search(text)
    if match is None or spans(match[0], now_ms=now_ms, zone=zone):
        return None
    return Anchor(match["relation"].lower() in {"before", "until"}, match["words"].strip())


def nearness(at_ms: int, span: TimeSpan) -> float:
    """Return how well a moment fits a span: 1 inside it, less the further outside."""
    length = span.until_ms - span.since_ms
    if at_ms < span.since_ms:
        return math.exp((at_ms - span.since_ms) / max(2 * DAY_MS, length / 10))
    if at_ms >= span.until_ms:
        return math.exp((span.until_ms - at_ms) / max(7 * DAY_MS, length / 3))
    return 1.0


def _moment(edge: Edge, zone: tzinfo) -> Millis:
    """Return when a day begins in a zone, or when its clocks show a time."""
    if isinstance(edge, datetime):
        return Millis(max(round(edge.replace(tzinfo=zone).timestamp() * 1000), 0))
    try:
        return Millis(max(start_ms(day_period(edge), zone), 0))
    except InvalidValue:
        # Before every calendar, or beyond it.
        return Millis(0) if edge.year <= YEAR_MIN else Millis(NOW_MS_MAX)
