"""Navigate what is remembered by time."""

from __future__ import annotations

from dataclasses import field, fields
from typing import TYPE_CHECKING

from agentx.conversation.toc_model import Bullet, TocNode
from agentx.kernel.clock import Millis
from agentx.kernel.periods import Level
from agentx.kernel.values import frozen
from agentx.memory.port import Memory

if TYPE_CHECKING:
    from agentx.operations.recall.stretch import TimeStretch

DEPTH_MAX = 5


@frozen
class TocTree:
    """A node and its parts, as deep as was asked for."""

    node_id: str
    level: str
    title: str
    bullets: tuple[Bullet, ...]
    keywords: tuple[str, ...]
    start_ms: int
    end_ms: int
    agents: tuple[str, ...]
    harnesses: tuple[str, ...]
    sessions: tuple[str, ...]
    session_count: int
    issues: tuple[int, ...]
    event_count: int
    version: int
    provisional: bool
    written_by: str
    child_count: int
    children: tuple[TocTree, ...] = field(default=())


_TOLD = tuple(each.name for each in fields(TocTree) if not each.name.startswith("child"))


def toc(memory: Memory, *, node_id: str = "", depth: int = 1) -> tuple[TocTree, ...]:
    """Return a node, or all years newest first, with `depth` levels of parts below.

    Raises: NotFound, InvalidValue.
    """
    roots = (memory.toc_node(node_id),) if node_id else memory.toc_roots()
    return tuple(_tree(memory, root, depth) for root in roots)


def toc_of(memory: Memory, stretch: TimeStretch, *, depth: int = 1) -> tuple[TocTree, ...]:
    """Return what the table of contents has of a stretch of time: its node, or the parts in it."""
    if stretch.node is not None:
        return (_tree(memory, stretch.node, depth),)
    return tuple(_tree(memory, part, depth - 1) for part in stretch.parts)


def find_nearest(memory: Memory, stretch: TimeStretch) -> tuple[TocNode, ...]:
    """Return the last day before a stretch of time and the first after it, the nearer first."""
    since_ms, until_ms = stretch.since_ms, stretch.until_ms
    if since_ms is None or until_ms is None:
        return ()
    before = _find_last(memory, memory.toc_roots(), until_ms=since_ms)
    after = _find_first(memory, memory.toc_roots(), since_ms=until_ms)
    found = [node for node in (before, after) if node is not None]
    found.sort(key=lambda node: max(since_ms - node.end_ms, node.start_ms - until_ms))
    return tuple(found)


def _find_last(memory: Memory, nodes: tuple[TocNode, ...], *, until_ms: Millis) -> TocNode | None:
    """Return the last day that began before a time."""
    early = [node for node in nodes if node.start_ms < until_ms]
    for node in sorted(early, key=lambda each: each.start_ms, reverse=True):
        if node.level == Level.DAY:
            return node
        below = _find_last(memory, _list_parts(memory, node), until_ms=until_ms)
        if below is not None:
            return below
    return None


def _find_first(memory: Memory, nodes: tuple[TocNode, ...], *, since_ms: Millis) -> TocNode | None:
    """Return the first day that ends after a time."""
    late = [node for node in nodes if node.end_ms >= since_ms]
    for node in sorted(late, key=lambda each: each.start_ms):
        if node.level == Level.DAY:
            return node
        below = _find_first(memory, _list_parts(memory, node), since_ms=since_ms)
        if below is not None:
            return below
    return None


def _list_parts(memory: Memory, node: TocNode) -> tuple[TocNode, ...]:
    parts: list[TocNode] = []
    cursor = ""
    while True:
        page = memory.browse(node.node_id, cursor=cursor)
        parts += page.nodes
        cursor = page.next
        if not cursor:
            return tuple(parts)


def _tree(memory: Memory, node: TocNode, depth: int) -> TocTree:
    below = _list_parts(memory, node) if depth > 0 and node.children else ()
    parts = [_tree(memory, part, depth - 1) for part in below]
    told = {name: getattr(node, name) for name in _TOLD}
    return TocTree(**told, child_count=len(node.children), children=tuple(parts))
