"""What a question about time and place asks for; nothing where it has a subject of its own.

    what was I doing last week?          what happened, in a span
    what did we decide on Friday?        what happened, of one kind
    where did we stop?                   how the newest sessions ended
    what is left to do?                  what they left open
    what did Codex do in October?        of one agent CLI

A question is one of these when its times, its names and its everyday words are all that it has:
a single word more is a subject, and then its words are looked for.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import tzinfo
from enum import StrEnum

from agentx.conversation.toc_model import BulletKind
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue
from agentx.kernel.periods import Level, end_ms, period_at, start_ms
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.recall.history.asking_words import (
    BEGAN,
    HAPPENED,
    LEFT,
    PLAIN,
    STOPPED,
    TOLD,
    read_unspaced,
)
from agentx.recall.question.actors import Actors, name_all
from agentx.recall.question.intent import is_asking
from agentx.recall.question.time_words import MONTHS
from agentx.recall.question.when import TimeSpan, list_unread, spans

# Nobody asks for a day in more words; what is longer is a context or a text.
_CHARS_MAX = 300


class HistoryKind(StrEnum):
    """What is wanted."""

    HAPPENED = "what happened"
    STOPPED = "where it stopped"
    LEFT = "what is left to do"


@frozen
class HistoryQuestion:
    """A question about time and place, read."""

    kind: HistoryKind
    span: TimeSpan | None = None
    who: Actors
    told: frozenset[BulletKind] = frozenset()  # only lines of these kinds
    from_start: bool = False  # the oldest first
    about: str = ""  # who did it, where that is nobody known
    no_dates: tuple[str, ...] = ()  # what was said as a date and is none
    for_user: bool = False  # what waits for whoever asks, first


_WORD = compile_late(r"[^\W_]+(?:-[^\W_]+)*")
_DID = compile_late(
    r"\b(?:what|which|who|how)\b.{0,60}\b(?:did|was|were|have|has|had|been|ve|am|are|s)\b.{0,60}"
    r"\b(?:do|doing|done|up\s+to)\b"
    r"|\bwhat\s+(?:did|was)\b.{0,40}\b(?:last|latest)\b",
    re.IGNORECASE,
)
_LEFT_OFF = compile_late(
    r"\b(?:left|leave)\s+(?:\w+\s+){0,2}off\b|\bwhere\s+(?:were|was|are|am)\b", re.IGNORECASE
)
_TO_DO = compile_late(
    r"\b(?:still|left|need\w*|have|has|got|remain\w*)\b.{0,30}\bto\s+(?:be\s+)?(?:do|done|finish|fix)"
    r"|\bwhat\s+(?:should|shall|can|do|could|must)\s+(?:i|we)\s+(?:do|work\s+on)\b"
    r"|\bneeds?\s+doing\b|\bnot\s+(?:yet\s+)?(?:done|finished|fixed)\b",
    re.IGNORECASE,
)
# "What waits for me?", "what do you need from me?", "was wartet auf mich?"
_FOR_ME = compile_late(
    r"\b(?:wait\w*|left|open|pending|blocked)\b.{0,30}\b(?:for|on)\s+(?:me|us|my|our)\b"
    r"|\bneeds?\b.{0,30}\b(?:from|of)\s+(?:me|us)\b|\bneeds?\s+(?:my|our)\b"
    r"|\b(?:must|should|do|can)\s+(?:i|we)\b.{0,20}\b(?:answer|decide)\b"
    r"|\bwarte\w*\b.{0,20}\bauf\s+(?:mich|uns)\b|\bespera\w*\b.{0,20}\b(?:m\u00ed|nosotros)\b"
    r"|\battend\w*\b.{0,20}\bmoi\b|\bm'attend\b",
    re.IGNORECASE,
)
_TELLS = compile_late(
    r"\A\W*(?:please\s+|can you\s+|hey\s+|hi\s+|ok\s+|so\s+)*"
    r"(?:tell|show|give|summari[sz]e|recap|remind|catch|list|continue|resume|pick|let|status|what|where)\b",
    re.IGNORECASE,
)
# "what did Ada do", "what has Ada been working on": whoever stands between.
_SUBJECT = compile_late(
    r"\b(?:did|has|had|was|hat|hatte)\s+(?P<name>@?[^\W\d_][\w.'-]*(?:\s+[A-Z][\w'-]*){0,2})\s+"
    r"(?:been\s+)?(?:do|done|doing|up\s+to|work\w*|say|said|chang\w+|decid\w+|ask\w*|build|built"
    r"|fix\w*|write|wrote|break|broke|commit\w*|merge\w*|ship\w*|finish\w*|release\w*"
    r"|gemacht|getan|gearbeitet|entschieden|gesagt)\b"
)
_KNOWN = PLAIN | HAPPENED | STOPPED | LEFT | BEGAN | frozenset().union(*TOLD.values())
# "How do we release?" asks for a way, and not for what was released.
_MANNER = compile_late(
    r"\A\W*(?:and\s+|so\s+|but\s+|ok\s+)*(?:(?:how|where|why|who|wie|wo|warum)\s+"
    r"(?:do|does|should|shall|can|could|must|would|to|am|macht?|sollen?|kann)\b"
    r"|what(?:'s|\s+is)\s+the\s+(?:way|command|process|procedure)\b)",
    re.IGNORECASE,
)
_JOINT = compile_late(r"\s*(?:-|\u2013|to|and|until|till|through)\s*", re.IGNORECASE)
_FROM = compile_late(r"\b(?:from|between)\s+\Z", re.IGNORECASE)
_WEEK_OF = compile_late(r"\bweek\s+(?:of|from|starting)\s+(?:on\s+)?(?:the\s+)?\Z", re.IGNORECASE)
_ONLY_MONTH = compile_late(rf"\W*(?:{'|'.join(MONTHS)}|(?:19|20)\d\d)\W*", re.IGNORECASE)


def read_history(text: str, *, now_ms: Millis, zone: tzinfo) -> HistoryQuestion | None:
    """Read a question about time and place; None for one that has a subject, or is none."""
    said = _unquote(text)
    if not said or len(said) > _CHARS_MAX or '"' in said:
        return None
    if _ONLY_MONTH.fullmatch(said):
        said = f"in {said}"
    found = spans(said, now_ms=now_ms, zone=zone)
    span, rest = _take_out(said, found)
    if span is not None and _WEEK_OF.search(said[: span.begins]):
        span = _widen_to_week(span, zone)
    no_dates = list_unread(said, now_ms=now_ms, zone=zone).no_dates if span is None else ()
    for each in no_dates:
        rest = rest.replace(each, " ", 1)
    who = name_all(rest)
    about, rest = _take_subject(who.rest) if span is not None else ("", who.rest)
    words = [each for word in _WORD.findall(rest) for each in read_unspaced(word.casefold())]
    if any(word not in _KNOWN for word in words):
        return None
    told = next((kinds for kinds, names in TOLD.items() if not names.isdisjoint(words)), None)
    kind = _kind(rest, frozenset(words), said)
    asks = is_asking(said) or bool(_TELLS.search(said))
    if kind is None and span is None and _MANNER.match(said):
        return None
    if kind is None and told is None and span is None and not no_dates:
        return None
    if span is None and not asks:
        return None
    return HistoryQuestion(
        kind=kind or HistoryKind.HAPPENED,
        span=span,
        who=who,
        told=told if told is not None and kind in (None, HistoryKind.HAPPENED) else frozenset(),
        from_start=not BEGAN.isdisjoint(words),
        about=about,
        no_dates=no_dates,
        for_user=bool(_FOR_ME.search(said)),
    )


def _take_subject(rest: str) -> tuple[str, str]:
    """Return whom a question names as doing something though nobody of that name is known."""
    match = _SUBJECT.search(rest)
    if match is None or not any(word.casefold() not in _KNOWN for word in match["name"].split()):
        return "", rest
    return match["name"], f"{rest[: match.start('name')]} {rest[match.end('name') :]}"


def _kind(rest: str, words: frozenset[str], said: str) -> HistoryKind | None:
    if _FOR_ME.search(said):
        return HistoryKind.LEFT
    if _LEFT_OFF.search(rest):
        return HistoryKind.STOPPED
    if not LEFT.isdisjoint(words) or _TO_DO.search(rest):
        return HistoryKind.LEFT
    if not STOPPED.isdisjoint(words):
        return HistoryKind.STOPPED
    if not HAPPENED.isdisjoint(words) or not BEGAN.isdisjoint(words) or _DID.search(said):
        return HistoryKind.HAPPENED
    return None


def _widen_to_week(span: TimeSpan, zone: tzinfo) -> TimeSpan:
    try:
        week = period_at(span.since_ms, zone, Level.WEEK)
    except InvalidValue:
        return span  # beyond every calendar
    since, until = start_ms(week, zone), end_ms(week, zone)
    return replace(span, since_ms=since, until_ms=until, words=f"week of {span.words}")


def _unquote(text: str) -> str:
    """Return a question without the quotes around the whole of it; a quoted phrase keeps them."""
    said = text[: 2 * _CHARS_MAX].strip()
    inside = said[1:-1]
    if len(said) > 1 and said[0] == said[-1] == '"' and '"' not in inside and is_asking(inside):
        return inside.strip()
    return said


def _take_out(said: str, found: tuple[TimeSpan, ...]) -> tuple[TimeSpan | None, str]:
    """Return the one span that is meant, and the text without its words."""
    if not found:
        return None, said
    first, last = found[0], found[-1]
    rest, at = "", 0
    for span in found:
        rest += said[at : span.begins] + " "
        at = span.ends
    rest += said[at:]
    if len(found) == 1:
        return first, rest
    if len(found) == 2 and _JOINT.fullmatch(said[first.ends : last.begins]):
        # From the one to the other, or both of them: either way all that lies between.
        begins = _FROM.search(said[: first.begins])
        start = begins.start() if begins else first.begins
        rest = f"{said[:start]} {said[last.ends :]}"
    together = replace(
        first,
        since_ms=min(first.since_ms, last.since_ms),
        until_ms=max(first.until_ms, last.until_ms),
        words=said[first.begins : last.ends],
    )
    return together, rest
