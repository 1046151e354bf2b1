"""The table of contents by address: the years with their months and weeks, or one node."""

from __future__ import annotations

from agentx.conversation.toc_model import Bullet
from agentx.kernel.errors import NotFound
from agentx.memory.port import Memory
from agentx.operations.recall.toc import TocTree, toc
from agentx.project.project import Project
from agentx.surfaces.mcp.answer import answer
from agentx.surfaces.mcp.desk import Desk
from agentx.surfaces.mcp.tools.timeline import open_stretch

_DEPTH = 2


def open_contents(desk: Desk, node: str) -> str:
    """Return a node with its lines and parts, by its id or by words of time.

    Raises: NotFound, InvalidValue.
    """

    def look(project: Project, memory: Memory) -> str:
        if not node or node.startswith("toc:"):
            trees = toc(memory, node_id=node, depth=1 if node else _DEPTH)
            rows = [row for tree in trees for row in _outline(tree, 0, whole=bool(node))]
            return answer(rows, head="" if rows else "Nothing is remembered yet.")
        found = open_stretch(project, memory, node)
        if found is None:
            raise NotFound(
                f"{node[:60]!r} names no time and no node",
                hint="such as toc:week:2026:W11, 2026-03-02 or last week",
            )
        return found

    return desk.ask(look, fresh=True)


def _outline(tree: TocTree, depth: int, *, whole: bool) -> list[str]:
    indent = "  " * depth
    rows = [f"{indent}- {tree.node_id} ({tree.event_count} events): {tree.title}"]
    if whole or not tree.children:
        rows += [f"{indent}  {_line(bullet)}" for bullet in tree.bullets]
    for part in tree.children:
        rows += _outline(part, depth + 1, whole=False)
    return rows


def _line(bullet: Bullet) -> str:
    return f"{bullet.kind}: {bullet.text} [{bullet.grip_ids[0]}]"
