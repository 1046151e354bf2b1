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
from agentx.recall.question.actors import Actors, name_all
from agentx.recall.question.intent import is_asking
from agentx.recall.question.time_words import MONTHS
from agentx.recall.question.when import TimeSpan, spans
from agentx.search.analysis import FUNCTION_WORDS

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


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PLAIN = FUNCTION_WORDS | _words(
    "agent agents agentx ai anybody anyone aren around assistant back busy cli codebase current "
    "currently day days didn doesn don earlier else everybody everyone everything exactly far "
    "give hasn haven hello hey hi hour hours isn just last lately later latest list look lot "
    "main month months morning most need needs new newest night nothing now ok okay people "
    "person previous previously project quarter recent recently repo repository see show since "
    "somebody someone still stuff team thing things think time times today together two up want "
    "wasn week weekend weeks went weren whole won year years yet "
)
_HAPPENED = _words(
    "accomplish accomplished achieve achieved activities activity going happen happened happening "
    "happens history news overview progress recap report session sessions standup stand status "
    "conversation conversations discuss discussed hit met said say spend spent talk talked "
    "summarise summarize summary update updates work worked working works catch"
)
_STOPPED = _words(
    "end ended ends interrupted leave continue continued halt halted pause paused pick picked quit "
    "resume resumed stop stopped stopping stuck"
)
_LEFT = _words(
    "incomplete leftover leftovers left missing next open outstanding pending remain remaining "
    "remains task tasks todo todos undone unfinished unresolved unsolved upcoming waiting waits "
    "steps step"
)
_BEGAN = _words("began begin beginning begun first oldest start started")
_TOLD = {
    frozenset({BulletKind.DECISION, BulletKind.ANSWER}): _words(
        "agree agreed choose chose chosen decide decided decides decision decisions settle settled"
    ),
    frozenset({BulletKind.CHANGE, BulletKind.OUTCOME}): _words(
        "build built change changed changes commit commits committed complete completed edit "
        "edited finish finished fix fixed fixes implement implemented merge merged modified "
        "release released ship shipped touch touched write wrote"
    ),
    frozenset({BulletKind.PROBLEM}): _words(
        "break broke broken bug bugs crash crashed error errors fail failed failing fails failure "
        "failures problem problems trouble wrong"
    ),
    frozenset({BulletKind.QUESTION, BulletKind.REQUEST}): _words(
        "ask asked question questions request requested requests"
    ),
}
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
_TELLS = compile_late(
    r"\A\W*(?:please\s+|can you\s+|hey\s+|hi\s+|ok\s+|so\s+)*"
    r"(?:tell|show|give|summari[sz]e|recap|remind|catch|list|continue|resume|pick|let|status|what|where)\b",
    re.IGNORECASE,
)
_JOINT = compile_late(r"\s*(?:-|\u2013|to|and|until|till|through)\s*", re.IGNORECASE)
_FROM = compile_late(r"\b(?:from|between)\s+\Z", re.IGNORECASE)
_WEEK_OF = compile_late(r"\bweek\s+(?:of|from|starting)\s+(?:on\s+)?(?:the\s+)?\Z", re.IGNORECASE)
_ONLY_MONTH = compile_late(rf"\W*(?:{'|'.join(MONTHS)})\W*", re.IGNORECASE)


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
    who = name_all(rest)
    words = [word.casefold() for word in _WORD.findall(who.rest)]
    known = _PLAIN | _HAPPENED | _STOPPED | _LEFT | _BEGAN
    told = next((kinds for kinds, names in _TOLD.items() if not names.isdisjoint(words)), None)
    if any(
        word not in known and not any(word in names for names in _TOLD.values()) for word in words
    ):
        return None
    kind = _kind(who.rest, frozenset(words), said)
    asks = is_asking(said) or bool(_TELLS.search(said))
    if kind is None and told is None and (span is None or (words and not asks)):
        return None
    if span is None and not asks:
        return None
    return HistoryQuestion(
        kind=kind or HistoryKind.HAPPENED,
        span=span,
        who=who,
        told=told if told is not None and kind in (None, HistoryKind.HAPPENED) else frozenset(),
        from_start=not _BEGAN.isdisjoint(words),
    )


def _kind(rest: str, words: frozenset[str], said: str) -> HistoryKind | None:
    if _LEFT_OFF.search(rest):
        return HistoryKind.STOPPED
    if not _LEFT.isdisjoint(words) or _TO_DO.search(rest):
        return HistoryKind.LEFT
    if not _STOPPED.isdisjoint(words):
        return HistoryKind.STOPPED
    if not _HAPPENED.isdisjoint(words) or not _BEGAN.isdisjoint(words) or _DID.search(said):
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
