"""The time of day that is said beside a day: "at 3am on 17 March", "yesterday around midnight".

A moment means its day, for people remember roughly; about midnight it means the hours beside that
day, too. From one hour to another means those hours. The words are no subject of a question.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.recall.question.time_words import Edge

_HOUR = (
    r"(?:(?:[01]?\d|2[0-3])(?::[0-5]\d){1,2}|(?:0?[1-9]|1[0-2])(?::[0-5]\d)?\s?[ap]\.?m\b\.?"
    r"|(?:[01]?\d|2[0-3])(?::[0-5]\d)?\s?(?:uhr|o['\u2019]?clock)|noon|midday|midnight"
    r"|mitternacht|mittag)"
)
_AT = (
    r"(?:(?:at|around|about|near|by|towards?|exactly|shortly (?:before|after)|just (?:before|after)"
    r"|um|gegen|kurz (?:vor|nach))\s+){0,2}"
)
_ZONE = r"(?:\s?(?:utc|gmt|cet|cest|z|local(?: time)?)\b)?"
_SPAN = (
    rf"(?:(?:between|from|zwischen|von)\s+)?(?P<first>{_HOUR}){_ZONE}\s*(?:-|\u2013|to|and|until|till"
    rf"|und|bis)\s*(?P<last>{_HOUR}){_ZONE}"
)
_SAID = rf"(?:{_SPAN}|{_AT}(?P<moment>{_HOUR}){_ZONE}|(?P<night>over\s?night))"
_BEFORE = compile_late(
    rf"(?<![\w:.])(?:{_SAID})(?:,?\s+(?:on|of|in|the|am|den|des|vom))*,?\s+\Z", re.IGNORECASE
)
_AFTER = compile_late(
    rf",?\s+(?:{_SAID}|(?:at|around|um|gegen)\s+\d\d?(?=\W*\Z))(?![\w:])", re.IGNORECASE
)
_CHARS_READ = 60
_ABOUT_MIDNIGHT = timedelta(hours=3)
_NIGHT = (timedelta(hours=18), timedelta(hours=30))
_DAY = timedelta(days=1)


@frozen
class ClockTime:
    """A day with the time of day that was said beside it, and where all of that stands."""

    edges: tuple[Edge, Edge]
    begins: int
    ends: int


def take_clock(text: str, edges: tuple[Edge, Edge], begins: int, ends: int) -> ClockTime:
    """Return a day that stands in a text with the time of day that is said before or behind it."""
    told = ClockTime(edges=edges, begins=begins, ends=ends)
    since, until = edges
    if _moment(until) - _moment(since) > _DAY:
        return told
    start = max(begins - _CHARS_READ, 0)
    found = _BEFORE.search(text[start:begins])
    if found is not None:
        begins = start + found.start()
    else:
        found = _AFTER.match(text[ends : ends + _CHARS_READ])
        if found is None:
            return told
        ends += found.end()
    is_day = not (isinstance(since, datetime) or isinstance(until, datetime))
    return ClockTime(
        edges=_narrow(since, until, found) if is_day else edges, begins=begins, ends=ends
    )


def _narrow(since: date, until: date, found: re.Match[str]) -> tuple[Edge, Edge]:
    begin = _moment(since)
    if found["night"]:
        return begin + _NIGHT[0], begin + _NIGHT[1]
    if found["first"]:
        first, last = (datetime.combine(since, _read(found[name])) for name in ("first", "last"))
        return first, last if last > first else last + _DAY
    if (found["moment"] or "").lower() in {"midnight", "mitternacht"}:
        return begin - _ABOUT_MIDNIGHT, _moment(until) + _ABOUT_MIDNIGHT
    return since, until


def _moment(edge: Edge) -> datetime:
    return edge if isinstance(edge, datetime) else datetime.combine(edge, time())


def _read(said: str) -> time:
    """Return the time of day that words tell."""
    plain = said.lower()
    if plain in {"noon", "midday", "mittag"}:
        return time(12)
    hour, minute = (int(each) for each in (*re.findall(r"\d+", plain), "0", "0")[:2])
    if re.search(r"[ap]\.?m", plain):
        hour = hour % 12 + 12 * ("p" in plain)
    return time(hour, minute)
