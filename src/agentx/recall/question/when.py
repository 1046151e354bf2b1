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
from datetime import datetime, tzinfo

from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.errors import InvalidValue
from agentx.kernel.periods import YEAR_MIN, day_period, start_ms
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.recall.limits import NOW_MS_MAX
from agentx.recall.question.time_words import EXPRESSION, MONTHS, WEEKDAYS, Edge, read_time

_BOUND = compile_late(r"\b(since|after|before|until|by)\s+(?:the\s+)?\Z", re.IGNORECASE)
_INSIDE = compile_late(r"(since|after|before|until)\s", re.IGNORECASE)
_ANCHOR = compile_late(
    r"\b(?P<relation>before|after|since|until)\s+(?P<words>(?:the|our|my|we|i)\s+[^,.;?!\n]{3,80})",
    re.IGNORECASE,
)
_FAR_MS = 100 * 366 * DAY_MS
# How the words begin without which no time is told, but for those that are told in digits. The
# expression takes longer to compile than most questions to answer, and most name no time.
_BEGINNINGS = frozenset(
    word[:3]
    for word in (
        *(*MONTHS, *WEEKDAYS, "yesterday", "today", "tonight", "tomorrow", "ago", "weekend"),
        *("last", "past", "previous", "this", "current", "next"),
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


def spans(text: str, *, now_ms: int, zone: tzinfo) -> tuple[TimeSpan, ...]:
    """Return the spans of time that a text names, seen from the present."""
    if not may_name_time(text):
        return ()
    now = datetime.fromtimestamp(now_ms / 1000, tz=zone)
    found = []
    for match in EXPRESSION.finditer(text):
        edges = read_time(match, now.replace(tzinfo=None))
        if edges is None:
            continue
        since, until = (_moment(edge, zone) for edge in edges)
        bound = _BOUND.search(text[: match.start()]) or _INSIDE.match(match[0])
        relation = bound[1].lower() if bound else ""
        if relation in {"since", "after"}:
            until = Millis(max(now_ms, until))
        elif relation in {"before", "until"}:
            since, until = Millis(max(since - _FAR_MS, 0)), since
        begins = bound.start() if bound and bound.string is not match[0] else match.start()
        found.append(TimeSpan(since, until, match[0], begins, match.end()))
    return tuple(found)


def may_name_time(text: str) -> bool:
    """Tell, cheaply, whether a text could name a time; never no where it does."""
    plain = "".join(char if char.isalnum() else " " for char in text.casefold())
    return any(word[:3] in _BEGINNINGS or not word.isalpha() for word in plain.split())


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
