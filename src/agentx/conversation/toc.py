"""The rules of the table of contents: a period is told by what its parts tell.

A segment's node holds its summary. A day is rolled up from its segments, a week from its
days, a month from its weeks, a year from its months. Rolling up chooses: the weightiest
lines of the parts, each thing once, not all from one part nor of one kind, none that a
later line took back, and a problem that was solved as what was solved. A line keeps the
grips it came with, so that every line of every level leads to the words it was made of.

Rolling up is a function of the children alone: doing it again, or in another order, gives
the same node. A node is provisional while its period goes on or one of its parts is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import cache

from agentx.conversation.extract.salience import is_reversal
from agentx.conversation.limits import (
    BULLET_GRIPS_MAX,
    DAY_BULLETS_MAX,
    MONTH_BULLETS_MAX,
    NODE_ISSUES_MAX,
    NODE_SESSIONS_MAX,
    SEGMENT_BULLETS_MAX,
    TOPICS_MAX,
    WEEK_BULLETS_MAX,
    YEAR_BULLETS_MAX,
)
from agentx.conversation.model import Event
from agentx.conversation.segments import closes_ms
from agentx.conversation.toc_model import (
    Bullet,
    BulletKind,
    Segment,
    SegmentSummary,
    TocNode,
    Topic,
)
from agentx.kernel.capture import EventType
from agentx.kernel.clock import Millis
from agentx.kernel.periods import (
    Level,
    Period,
    end_ms,
)
from agentx.kernel.text import compile_late
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import likeness
from agentx.prose.limits import KEYWORDS_MAX, SUMMARY_HEAD_CHARS_MAX
from agentx.prose.sentences import sentences, shorten
from agentx.prose.settling.amounts import list_measures, list_taken_back

_BULLETS_MAX = {
    Level.SEGMENT: SEGMENT_BULLETS_MAX,
    Level.DAY: DAY_BULLETS_MAX,
    Level.WEEK: WEEK_BULLETS_MAX,
    Level.MONTH: MONTH_BULLETS_MAX,
    Level.YEAR: YEAR_BULLETS_MAX,
}
_ALIKE = 0.6  # two lines about the same thing
_SAME = 0.85  # two lines that say the same thing: the evidence of one proves the other
_TAKEN_BACK = 0.5  # a later line about enough of the same to be its reversal
_SAME_CHILD = 12  # what each line already chosen from a part costs the next one from it
_SAME_KIND = 14  # and each of its kind: a period has a place for every kind
# What says what it overturns is told at every level: else what it overturned would stand above it.
_OVERTURNS = 24
_SAME_PLACE = {
    BulletKind.ANSWER: BulletKind.DECISION,
    BulletKind.REQUEST: BulletKind.FACT,
    BulletKind.QUESTION: BulletKind.FACT,
}
_SOLVES = frozenset({BulletKind.CHANGE, BulletKind.OUTCOME})
_TITLE_TOPICS = 3
_NO_TITLE = frozenset({BulletKind.QUESTION, BulletKind.REQUEST})
_HASH = compile_late(r"\s*[(\[]?`?\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b`?[)\]]?")
_TITLE_CHARS_MAX = 140
_DECIDED = frozenset({BulletKind.DECISION, BulletKind.ANSWER})
_DECIDES = _DECIDED | {BulletKind.CHANGE, BulletKind.OUTCOME}
# Of every reversal: sharing these terms does not make two decisions one.
_ABOUT_DECIDING = "decision decided reverses replaced switched dropped reverted agreed plan"
_NUMBERED = compile_late(r"\bdecision #?(\d+)", re.IGNORECASE)
_REVERSED = compile_late(r"\b(?:revers|supersed|replac)\w* (?:decision )?#?(\d+)", re.IGNORECASE)
# "reverses the 24 hours of 4 March": the day on which it was said.
_OF_DAY = compile_late(
    r"\b(?:of|from|on) (?:the )?(\d{1,2})(?:st|nd|rd|th)?\.? (?:of )?"
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*"
)
_ISSUE = compile_late(r"(?<![\w&/#])(?:[Ii]ssue[ -]#?|GH-|\(#)(\d{1,6})\b")
_PROMPTED_ISSUE = compile_late(r"(?<![\w&/#])#(\d{1,6})\b")
_SPOKEN = frozenset(
    {EventType.USER_MESSAGE, EventType.ASSISTANT_MESSAGE, EventType.ASSISTANT_STOP, EventType.NOTE}
)


# --- nodes ----------------------------------------------------------------------------------


def segment_node(
    segment: Segment, summary: SegmentSummary, *, now_ms: Millis, zone: tzinfo
) -> TocNode:
    """Return the node of a segment."""
    node = TocNode(
        node_id=segment.node_id,
        level=Level.SEGMENT,
        title=summary.title,
        bullets=summary.bullets,
        keywords=summary.keywords,
        topics=(Topic(text=summary.title, weight=_importance(segment, summary)),),
        start_ms=segment.start_ms,
        end_ms=segment.end_ms,
        agents=_sort_names(event.agent for event in segment.events),
        harnesses=_sort_names(event.harness for event in segment.events),
        sessions=(segment.session_id,),
        session_count=1,
        issues=_issues(segment.events),
        event_count=len(segment.events),
        written_by=summary.written_by,
    )
    return replace(node, provisional=now_ms < closes_ms(node, zone))


def roll_up(
    period: Period, children: Iterable[TocNode], *, now_ms: Millis, zone: tzinfo
) -> TocNode:
    """Return the node of a period out of the nodes of its parts, of which there is at least one."""
    parts = sorted(children, key=lambda node: (node.start_ms, node.node_id))
    assert parts, "a period in which nothing happened has no node"
    topics = _merge_topics(parts)
    sessions = list(dict.fromkeys(name for part in reversed(parts) for name in part.sessions))
    unlisted = sum(part.session_count - len(part.sessions) for part in parts)
    return TocNode(
        node_id=period.node_id,
        level=period.level,
        title=_period_title(period, topics, parts),
        bullets=_choose(parts, _BULLETS_MAX[period.level]),
        keywords=_merge_keywords(parts),
        topics=topics,
        children=tuple(part.node_id for part in parts),
        start_ms=parts[0].start_ms,
        end_ms=max(part.end_ms for part in parts),
        agents=_sort_names(agent for part in parts for agent in part.agents),
        harnesses=_sort_names(harness for part in parts for harness in part.harnesses),
        sessions=tuple(sorted(sessions[:NODE_SESSIONS_MAX])),
        session_count=len(sessions) + unlisted,
        issues=tuple(sorted({number for part in parts for number in part.issues}))[
            -NODE_ISSUES_MAX:
        ],
        event_count=sum(part.event_count for part in parts),
        provisional=now_ms < end_ms(period, zone) or any(part.provisional for part in parts),
    )


def tells_the_same(one: TocNode, other: TocNode) -> bool:
    """Tell whether two nodes differ at most in their version, so that none need be stored."""
    return replace(one, version=0) == replace(other, version=0)


# --- the lines of a period ------------------------------------------------------------------


@dataclass(slots=True)
class _Line:
    bullet: Bullet
    child: int
    about: frozenset[str]


def _choose(parts: Sequence[TocNode], count: int) -> tuple[Bullet, ...]:
    """Return the best lines of the parts, the most telling first."""
    lines = [
        _Line(bullet, child, terms(bullet.text))
        for child, part in enumerate(parts)
        for bullet in part.bullets
    ]
    left = sorted(_drop_solved(_standing(lines)), key=_rank)
    chosen: list[_Line] = []
    per_child: Counter[int] = Counter()
    per_kind: Counter[BulletKind] = Counter()
    most = count // 2 if len({_place_of(line) for line in left}) > 1 else count

    def worth(line: _Line) -> int:
        again = _SAME_CHILD * per_child[line.child] + _SAME_KIND * per_kind[_place_of(line)]
        return line.bullet.weight - again + (_OVERTURNS if _overturns(line) else 0)

    while left and len(chosen) < count:
        best = max(left, key=worth)
        per_child[best.child] += 1
        per_kind[_place_of(best)] += 1
        chosen.append(best)
        left = [
            line
            for line in left
            if line is not best and not _absorbs(line, best) and per_kind[_place_of(line)] < most
        ]
    return tuple(line.bullet for line in chosen)


def _place_of(line: _Line) -> BulletKind:
    """Return the kind of which a line takes a place: an answer settles, like a decision."""
    return _SAME_PLACE.get(line.bullet.kind, line.bullet.kind)


def _drop_solved(lines: list[_Line]) -> list[_Line]:
    """Return the lines without the problems of which a later line tells how they ended."""
    ends = [line for line in lines if line.bullet.kind in _SOLVES]
    return [
        line
        for line in lines
        if line.bullet.kind is not BulletKind.PROBLEM
        or not any(
            end.bullet.timestamp_ms >= line.bullet.timestamp_ms
            and likeness(end.about, line.about) >= _TAKEN_BACK
            for end in ends
        )
    ]


def _rank(line: _Line) -> tuple[int, int, str]:
    """Order lines: the weightiest first, of equals the newest."""
    return (-line.bullet.weight, -line.bullet.timestamp_ms, line.bullet.text)


def _absorbs(line: _Line, chosen: _Line) -> bool:
    """Tell whether a line says nothing beside a chosen one, which then takes over its proof."""
    alike = likeness(line.about, chosen.about)
    if alike >= _SAME:
        grips = dict.fromkeys((*chosen.bullet.grip_ids, *line.bullet.grip_ids))
        chosen.bullet = replace(chosen.bullet, grip_ids=tuple(grips)[:BULLET_GRIPS_MAX])
    return alike >= _ALIKE


def _standing(lines: list[_Line]) -> list[_Line]:
    """Return the lines without the decisions that a later line took back."""
    reversals = [
        line for line in lines if line.bullet.kind in _DECIDES and is_reversal(line.bullet.text)
    ]
    return [
        line
        for line in lines
        if line.bullet.kind not in _DECIDED
        or not any(_takes_back(later, line) for later in reversals)
    ]


def _overturns(line: _Line) -> bool:
    """Tell whether a decision names what it overturns: another by its number, or an amount."""
    text = line.bullet.text
    if line.bullet.kind not in _DECIDED:
        return False
    return _REVERSED.search(text) is not None or bool(list_taken_back(text))


def _takes_back(later: _Line, earlier: _Line) -> bool:
    if later.bullet.timestamp_ms <= earlier.bullet.timestamp_ms:
        return False
    reversed_numbers = set(_REVERSED.findall(later.bullet.text))
    if reversed_numbers & set(_NUMBERED.findall(earlier.bullet.text)):
        return True
    amounts = list_taken_back(later.bullet.text)
    if amounts and amounts & list_measures(earlier.bullet.text):
        days = [int(each) for each in _OF_DAY.findall(later.bullet.text)]
        said_on = datetime.fromtimestamp(earlier.bullet.timestamp_ms / 1000, tz=UTC).day
        if days:
            return said_on in days
    now, then = (line.about - _terms_of_deciding() for line in (later, earlier))
    return len(now & then) >= 2 and likeness(now, then) >= _TAKEN_BACK


@cache
def _terms_of_deciding() -> frozenset[str]:
    return frozenset(terms(_ABOUT_DECIDING))


# --- what a period was about ----------------------------------------------------------------


def _importance(segment: Segment, summary: SegmentSummary) -> int:
    """Return how much room a segment takes in the period it lies in."""
    best = max((bullet.weight for bullet in summary.bullets), default=0)
    return max(best, 0) + 5 * len(summary.bullets) + min(len(segment.events), 50)


def _merge_topics(parts: Iterable[TocNode]) -> tuple[Topic, ...]:
    """Return the topics of the parts, each once; one that comes again weighs more."""
    found = [topic for part in parts for topic in part.topics]
    merged: list[tuple[Topic, frozenset[str]]] = []
    for topic in sorted(found, key=lambda topic: (-topic.weight, topic.text)):
        about = terms(topic.text)
        for at, (known, known_about) in enumerate(merged):
            if topic.text == known.text or likeness(about, known_about) >= _ALIKE:
                heavier = Topic(text=known.text, weight=known.weight + topic.weight)
                merged[at] = (heavier, known_about)
                break
        else:
            merged.append((topic, about))
    ranked = sorted((topic for topic, _ in merged), key=lambda topic: (-topic.weight, topic.text))
    return tuple(ranked[:TOPICS_MAX])


def _period_title(period: Period, topics: tuple[Topic, ...], parts: Sequence[TocNode]) -> str:
    """Name a period in words and by its weightiest topics, of different parts where it can.

    One that has a single part does not repeat its headline: a day says what came of it.
    """
    if len(parts) == 1:
        outcome = _find_outcome(parts[0]) if period.level == Level.DAY else ""
        return f"{period.title}: {outcome}" if outcome else period.title
    part_of = {
        topic.text: index for index, part in enumerate(parts) for topic in reversed(part.topics)
    }
    named: list[str] = []
    used: Counter[int] = Counter()
    left = list(topics)
    while left and len(named) < _TITLE_TOPICS:
        best = min(left, key=lambda topic: (used[part_of[topic.text]], -topic.weight, topic.text))
        left.remove(best)
        used[part_of[best.text]] += 1
        named.append(best.text)
    while len(named) > 1 and len("; ".join(named)) > _TITLE_CHARS_MAX:
        named.pop()
    return f"{period.title}: {'; '.join(named)}" if named else period.title


def _find_outcome(part: TocNode) -> str:
    """Return the weightiest line of a part that says more than its headline, cut to a title."""
    headline = terms(part.title)
    for bullet in sorted(part.bullets, key=lambda one: -one.weight):
        said = shorten(_HASH.sub("", _read_first(bullet.text)), _TITLE_CHARS_MAX // 2)
        if bullet.kind in _NO_TITLE or likeness(terms(said), headline) >= _ALIKE:
            continue
        return said.rstrip(".")
    return ""


def _read_first(text: str) -> str:
    return next((each.text for each in sentences(text)), text)


def _merge_keywords(parts: Iterable[TocNode]) -> tuple[str, ...]:
    """Return the keywords of the parts, those first that come first in many of them."""
    points: Counter[str] = Counter()
    written: dict[str, str] = {}
    for part in parts:
        for rank, keyword in enumerate(part.keywords):
            points[keyword.lower()] += KEYWORDS_MAX - rank
            written.setdefault(keyword.lower(), keyword)
    ranked = sorted(points.items(), key=lambda item: (-item[1], item[0]))
    return tuple(written[key] for key, _ in ranked[:KEYWORDS_MAX])


def _issues(events: Iterable[Event]) -> tuple[int, ...]:
    """Return the issues that a segment's events belong to or speak of."""
    found: set[int] = set()
    for event in events:
        given = event.metadata.get("issue")
        if isinstance(given, int | str) and str(given).isascii() and str(given).isdigit():
            found.add(int(str(given)[:9]))
        if event.event_type in _SPOKEN and not event.machine:
            head = event.text[:SUMMARY_HEAD_CHARS_MAX]
            found.update(int(number) for number in _ISSUE.findall(head))
            # Agents number their lists in this way; people who do so mean an issue.
            if event.event_type is EventType.USER_MESSAGE:
                found.update(int(number) for number in _PROMPTED_ISSUE.findall(head))
    return tuple(sorted(found - {0}))[:NODE_ISSUES_MAX]


def _sort_names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}))
