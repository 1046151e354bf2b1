"""What happened in a span, in rows: all of it first, then its parts, the newest first.

    a day          its parts, as they were worked on
    up to 16 days  its days
    up to 100      its weeks
    longer         its months

A part is shown by its node; one that is only half asked about (by one agent CLI, up to a date) by
the titles of what is. Where there is a single part, its own parts are shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import tzinfo
from itertools import islice

from agentx.conversation.toc_model import Bullet, BulletKind, TocNode
from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.periods import (
    Level,
    Period,
    SegmentRef,
    end_ms,
    parse_node_id,
    period_at,
    start_ms,
)
from agentx.kernel.text import fold_text, preview
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.memory.found import SearchHit
from agentx.recall.history.calendar import EVER, Browsed, Wanted, walk

# Nodes that one question opens: a year of parts would be read for ten rows.
_NODES_MAX = 400
_ROW_CHARS_MAX = 400
_BESIDE = " \u00b7 "
_DAYS_BY_PARTS, _DAYS_BY_DAYS, _DAYS_BY_WEEKS = 1.5, 16, 100
_ROWS_MIN = 2
_BELOW = {
    Level.MONTH: Level.WEEK,
    Level.WEEK: Level.DAY,
    Level.DAY: Level.SEGMENT,
}


@frozen(kw_only=False)
class _Part:
    """A stretch of a span, and the nodes that tell of it."""

    node_id: str
    title: str
    nodes: tuple[TocNode, ...]


def list_happened(
    contents: Browsed, wanted: Wanted, zone: tzinfo, limit: int, *, oldest_first: bool = False
) -> list[SearchHit]:
    """Return what happened in a span, in at most so many rows."""
    level = _level(wanted)
    while True:
        nodes = tuple(islice(walk(contents, wanted, level, oldest_first=oldest_first), _NODES_MAX))
        parts = _group(nodes, level, zone)
        if len(parts) >= _ROWS_MIN or level == Level.SEGMENT:
            break
        level = _BELOW[level]
    rows = [_show(part) for part in parts[:limit]]
    whole = _whole(contents, wanted)
    if whole is not None and len(parts) >= _ROWS_MIN:
        rows = [show_node(whole), *rows[: limit - 1]]
    return rows


def list_told(
    contents: Browsed, wanted: Wanted, kinds: frozenset[BulletKind], limit: int
) -> list[SearchHit]:
    """Return the lines of some kinds in a span: the weightiest, the newest of them first."""
    found: list[tuple[Bullet, TocNode]] = []
    for node in islice(walk(contents, wanted, Level.SEGMENT), _NODES_MAX):
        found += (
            (bullet, node)
            for bullet in node.bullets
            if bullet.kind in kinds and wanted.since_ms <= bullet.timestamp_ms < wanted.until_ms
        )
    best = sorted(found, key=lambda each: -each[0].weight)[:limit]
    best.sort(key=lambda each: -each[0].timestamp_ms)
    return [_show_bullet(bullet, node) for bullet, node in best]


def nearest_to(contents: Browsed, wanted: Wanted, zone: tzinfo) -> list[SearchHit]:
    """Return the last day before a span and the first after it, the nearer first."""
    before = replace(wanted, since_ms=EVER[0], until_ms=wanted.since_ms)
    after = replace(wanted, since_ms=wanted.until_ms, until_ms=EVER[1])
    found = [
        (node, side)
        for side, is_after in ((before, False), (after, True))
        for node in islice(walk(contents, side, Level.SEGMENT, oldest_first=is_after), 1)
    ]
    found.sort(key=lambda each: _distance(each[0], wanted))
    return [_show_day(contents, node, side, zone) for node, side in found]


def _show_day(contents: Browsed, node: TocNode, side: Wanted, zone: tzinfo) -> SearchHit:
    """Return the day of a part as a row, as far as it is wanted."""
    day = _period(node, Level.DAY, zone)
    own = replace(
        side,
        since_ms=max(side.since_ms, start_ms(day, zone)),
        until_ms=min(side.until_ms, end_ms(day, zone)),
    )
    nodes = tuple(islice(walk(contents, own, Level.DAY), _NODES_MAX)) or (node,)
    return _show(_Part(day.node_id, day.title, nodes))


def show_node(node: TocNode) -> SearchHit:
    """Return a node as a row: its title, then its lines."""
    known = fold_text(node.title).rstrip("\u2026. ")
    lines = [bullet.text for bullet in node.bullets if not fold_text(bullet.text).startswith(known)]
    # A line that begins with all of the title says it in full.
    said = [node.title, *lines] if len(lines) == len(node.bullets) else _fuller(node, known, lines)
    return _row(node.node_id, _join(said), (node,))


def _fuller(node: TocNode, known: str, lines: list[str]) -> list[str]:
    whole = next(each.text for each in node.bullets if fold_text(each.text).startswith(known))
    return [whole, *lines]


def _distance(node: TocNode, wanted: Wanted) -> int:
    return max(wanted.since_ms - node.end_ms, node.start_ms - wanted.until_ms)


def _level(wanted: Wanted) -> Level:
    days = (wanted.until_ms - wanted.since_ms) / DAY_MS
    if days <= _DAYS_BY_PARTS:
        return Level.SEGMENT
    if days <= _DAYS_BY_DAYS:
        return Level.DAY
    return Level.WEEK if days <= _DAYS_BY_WEEKS else Level.MONTH


def _whole(contents: Browsed, wanted: Wanted) -> TocNode | None:
    """Return the period that is all of a span, if one is."""
    if not wanted.is_everybody:
        return None
    largest = list(islice(walk(contents, wanted, Level.YEAR), _ROWS_MIN))
    found = largest[0] if len(largest) == 1 else None
    return None if found is None or found.level == Level.SEGMENT else found


def _group(nodes: Iterable[TocNode], level: Level, zone: tzinfo) -> list[_Part]:
    """Put nodes together by the period of a level that they lie in, in their order."""
    if level == Level.SEGMENT:
        return [_Part(node.node_id, node.title, (node,)) for node in nodes]
    found: dict[Period, list[TocNode]] = {}
    for node in nodes:
        found.setdefault(_period(node, level, zone), []).append(node)
    return [_Part(period.node_id, period.title, tuple(own)) for period, own in found.items()]


def _period(node: TocNode, level: Level, zone: tzinfo) -> Period:
    named = parse_node_id(node.node_id)
    if isinstance(named, SegmentRef):
        return period_at(node.start_ms, zone, level)
    return named if named.level == level else period_at(node.start_ms, zone, level)


def _show(part: _Part) -> SearchHit:
    first = part.nodes[0]
    if len(part.nodes) == 1 and first.node_id == part.node_id:
        return show_node(first)
    titles = "; ".join(dict.fromkeys(fold_text(node.title) for node in part.nodes))
    told = sorted((each for node in part.nodes for each in node.bullets), key=_lightness)
    lines = [bullet.text for bullet in told if fold_text(bullet.text) not in titles]
    return _row(part.node_id, _join([f"{part.title}: {titles}", *lines]), part.nodes)


def _lightness(bullet: Bullet) -> int:
    return -bullet.weight


def _show_bullet(bullet: Bullet, node: TocNode) -> SearchHit:
    text = f"{bullet.kind}: {bullet.text}"
    return _hit(bullet.grip_ids[0], "grip", text, bullet.timestamp_ms, (node,))


def _row(node_id: str, text: str, nodes: tuple[TocNode, ...]) -> SearchHit:
    return _hit(node_id, "toc_node", text, max(node.end_ms for node in nodes), nodes)


def _hit(doc_id: str, kind: str, text: str, at_ms: int, nodes: tuple[TocNode, ...]) -> SearchHit:
    return SearchHit(
        doc_id=doc_id,
        kind=kind,
        score=0.0,
        snippet=text,
        marks=(),
        timestamp_ms=Millis(at_ms),
        project="",
        session_id=_only({session for node in nodes for session in node.sessions}),
        harness=", ".join(dict.fromkeys(name for node in nodes for name in node.harnesses)),
        agent=_only({name for node in nodes for name in node.agents}),
        role="",
        issue="",
        tokens=estimate(text),
    )


def _only(names: set[str]) -> str:
    return names.pop() if len(names) == 1 else ""


def _join(said: Iterable[str]) -> str:
    return preview(_BESIDE.join(filter(None, map(fold_text, said))), _ROW_CHARS_MAX)
