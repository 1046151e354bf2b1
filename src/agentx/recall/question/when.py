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
from datetime import date, datetime, time, timedelta, tzinfo

from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            (),
            ("a", "an", "one"),
            ("two", "couple", "a couple", "a couple of", "couple of"),
            ("three", "few", "a few", "several"),
            ("four",),
            ("five",),
            ("six",),
            ("seven",),
            ("eight",),
            ("nine",),
            ("ten",),
            ("eleven",),
            ("twelve",),
        )
    )
    for word in words
}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
_YEAR = r"(?P<{0}>(?:19|20)\d\d)"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_COUNT = (
    r"(?:\d{1,3}|a couple(?: of)?|couple of|a few|"
    + "|".join(word for word in _NUMBERS if " " not in word)
    + ")"
)
_EXPRESSION = compile_late(
    r"\b(?:"
    rf"(?P<iso>{_YEAR.format('iso_year')}-(?P<iso_month>\d\d)(?:-(?P<iso_day>\d\d))?)"
    rf"|(?P<day_month>(?P<dm_day>{_DAY})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<dm_month>{_MONTH})\b\.?"
    rf"(?:,?\s+{_YEAR.format('dm_year')})?)"
    rf"|(?P<month_day>(?P<md_month>{_MONTH})\.?\s+(?P<md_day>{_DAY})(?:st|nd|rd|th)?\b"
    rf"(?:,?\s+{_YEAR.format('md_year')})?)"
    rf"|(?P<month_year>(?P<my_month>{_MONTH})\.?,?\s+(?:of\s+)?{_YEAR.format('my_year')})"
    rf"|(?:in|during|of|since|before|after|until|last|this|by|early|late|mid)\s+"
    rf"(?P<month>{_MONTH})\b(?!\.?,?\s+(?:of\s+)?\d)"
    r"|(?P<day_word>the day before yesterday|yesterday|today|tonight|this morning|this afternoon)"
    rf"|(?P<ago>(?P<ago_count>{_COUNT})\s+(?P<ago_unit>day|week|fortnight|month|year)s?\s+ago)"
    rf"|(?P<past>(?:last|past|previous)\s+(?P<past_count>{_COUNT})\s+"
    r"(?P<past_unit>day|week|fortnight|month|year)s?)"
    r"|(?P<which>last|this|past|previous|current)\s+(?P<period>week|weekend|month|year)"
    r"|(?P<season_which>last|this|past)\s+(?P<season>spring|summer|autumn|fall|winter)"
    r"|(?:(?:last|this|past|on)\s+)(?P<weekday>" + "|".join(_DAYS) + r")s?"
    rf"|(?:in|during|since|before|after|until|of)\s+{_YEAR.format('year')}"
    r")(?!\w)",
    re.IGNORECASE,
)
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
        *(*_MONTHS, *_DAYS, "yesterday", "today", "tonight", "ago"),
        *("last", "past", "previous", "this", "current"),
    )
)


@frozen(kw_only=False)
class TimeSpan:
    """When something was, from and up to but not at, and the words that said so."""

    since_ms: Millis
    until_ms: Millis
    words: str


@frozen(kw_only=False)
class Anchor:
    """A time told by what happened then."""

    is_before: bool
    words: str


def spans(text: str, *, now_ms: int, zone: tzinfo) -> tuple[TimeSpan, ...]:
    """Return the spans of time that a text names, seen from the present."""
    if not may_name_time(text):
        return ()
    today = datetime.fromtimestamp(now_ms / 1000, tz=zone).date()
    found = []
    for match in _EXPRESSION.finditer(text):
        days = _days(match, today)
        if days is None:
            continue
        first, after = days
        since, until = _midnight(first, zone), _midnight(after, zone)
        bound = _BOUND.search(text[: match.start()]) or _INSIDE.match(match[0])
        relation = bound[1].lower() if bound else ""
        if relation in {"since", "after"}:
            until = Millis(max(now_ms, until))
        elif relation in {"before", "until"}:
            since, until = Millis(max(since - _FAR_MS, 0)), since
        found.append(TimeSpan(since, until, match[0]))
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


def _days(match: re.Match[str], today: date) -> tuple[date, date] | None:  # noqa: PLR0911  a table
    """Return the first day and the day after the last of an expression."""
    said = match.groupdict()
    try:
        if said["iso"]:
            day = said["iso_day"]
            return _date_span(
                int(said["iso_year"]), int(said["iso_month"]), int(day) if day else None
            )
        for kind in ("dm", "md"):
            if said[f"{kind}_day"]:
                month, day = _month(said[f"{kind}_month"]), int(said[f"{kind}_day"])
                year = said[f"{kind}_year"]
                return _date_span(int(year) if year else _past(today, month, day), month, day)
        if said["my_month"]:
            return _date_span(int(said["my_year"]), _month(said["my_month"]), None)
        if said["month"]:
            month = _month(said["month"])
            return _date_span(_past(today, month, 1), month, None)
        if said["year"]:
            return date(int(said["year"]), 1, 1), date(int(said["year"]) + 1, 1, 1)
        return _relative(said, today)
    except (ValueError, OverflowError):
        return None


def _relative(said: dict[str, str | None], today: date) -> tuple[date, date] | None:  # noqa: PLR0911
    one = timedelta(days=1)
    if word := said["day_word"]:
        back = {"yesterday": 1, "the day before yesterday": 2}.get(word.lower(), 0)
        return today - back * one, today - (back - 1) * one
    if said["ago"]:
        return _ago(_count(said["ago_count"]), str(said["ago_unit"]).lower(), today)
    if said["past"]:
        days = _count(said["past_count"]) * _UNIT_DAYS[str(said["past_unit"]).lower()]
        return today - days * one, today + one
    if said["period"]:
        return _period(str(said["period"]).lower(), str(said["which"]).lower(), today)
    if said["season"]:
        month = _SEASONS[str(said["season"]).lower()]
        year = today.year if (today.year, today.month) >= (today.year, month) else today.year - 1
        return date(year, month, 1), _months_later(date(year, month, 1), 3)
    if said["weekday"]:
        wanted = _DAYS.index(str(said["weekday"]).lower())
        back = (today.weekday() - wanted - 1) % 7 + 1
        return today - back * one, today - (back - 1) * one
    return None


def _ago(count: int, unit: str, today: date) -> tuple[date, date]:
    """A time ago is as exact as its unit: two weeks ago is that week, give or take."""
    middle = today - timedelta(days=count * _UNIT_DAYS[unit])
    slack = timedelta(days={"day": 0, "week": 3, "fortnight": 4, "month": 10, "year": 100}[unit])
    return middle - slack, middle + slack + timedelta(days=1)


def _period(period: str, which: str, today: date) -> tuple[date, date]:
    is_now = which in {"this", "current"}
    if period in {"week", "weekend"}:
        monday = today - timedelta(days=today.weekday() + (0 if is_now else 7))
        if period == "week":
            # "last week" may be the calendar's or the last seven days.
            return monday, today + timedelta(days=1) if is_now else monday + timedelta(days=7)
        return monday + timedelta(days=5), monday + timedelta(days=7)
    if period == "month":
        first = today.replace(day=1)
        first = first if is_now else _months_later(first, -1)
        return first, _months_later(first, 1)
    year = today.year if is_now else today.year - 1
    return date(year, 1, 1), date(year + 1, 1, 1)


def _date_span(year: int, month: int, day: int | None) -> tuple[date, date]:
    first = date(year, month, day or 1)
    return first, first + timedelta(days=1) if day else _months_later(first, 1)


def _past(today: date, month: int, day: int) -> int:
    """Return the year of the last time that day was."""
    return today.year if (month, day) <= (today.month, today.day) else today.year - 1


def _months_later(first: date, months: int) -> date:
    index = first.year * 12 + first.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def _month(name: str | None) -> int:
    start = (name or "").lower()[:3]
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(start))


def _count(words: str | None) -> int:
    said = (words or "").lower()
    return int(said) if said.isdigit() else _NUMBERS.get(said, 1)


def _midnight(day: date, zone: tzinfo) -> Millis:
    return Millis(max(round(datetime.combine(day, time(), tzinfo=zone).timestamp() * 1000), 0))
