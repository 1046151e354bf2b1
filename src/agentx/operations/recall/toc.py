"""Navigate what is remembered by time."""

from __future__ import annotations

from dataclasses import field, fields

from agentx.conversation.toc_model import Bullet, TocNode
from agentx.kernel.values import frozen
from agentx.memory.port import Memory

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


def _tree(memory: Memory, node: TocNode, depth: int) -> TocTree:
    parts: list[TocTree] = []
    if depth > 0 and node.children:
        cursor = ""
        while True:
            page = memory.browse(node.node_id, cursor=cursor)
            parts += [_tree(memory, part, depth - 1) for part in page.nodes]
            cursor = page.next
            if not cursor:
                break
    told = {name: getattr(node, name) for name in _TOLD}
    return TocTree(**told, child_count=len(node.children), children=tuple(parts))
