"""The nodes of the table of contents that lie in a span, newest or oldest first.

A node is taken whole where it lies in the span and everybody in it is asked about; else its parts
are looked at. What cannot hold anything wanted is not opened, so a day of a long history costs a
day.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from agentx.conversation.toc_model import NodePage, TocNode
from agentx.kernel.clock import Millis
from agentx.kernel.periods import Level
from agentx.kernel.values import frozen
from agentx.recall.question.actors import Actors

_DEPTH = {level: depth for depth, level in enumerate(Level)}
EVER = (Millis(0), Millis(1 << 62))


class Browsed(Protocol):
    """What can be browsed: the table of contents."""

    def toc_roots(self) -> tuple[TocNode, ...]:
        """Return the years, newest first."""
        ...

    def browse(self, node_id: str, *, cursor: str = "") -> NodePage:
        """Return the parts of a node, in order."""
        ...


@frozen
class Wanted:
    """What is looked for: a span, from and up to but not at, and who."""

    since_ms: Millis
    until_ms: Millis
    who: Actors
    session: str = ""
    issue: int | None = None

    @property
    def is_everybody(self) -> bool:
        """Whether nobody and nothing in particular is asked about."""
        return not (self.who or self.session or self.issue is not None)

    def touches(self, node: TocNode) -> bool:
        """Tell whether something of a node may be wanted."""
        return (
            node.start_ms < self.until_ms
            and node.end_ms >= self.since_ms
            and (not self.who.harnesses or not set(self.who.harnesses).isdisjoint(node.harnesses))
            and (not self.who.roles or not set(self.who.roles).isdisjoint(node.agents))
            and (not self.session or _lists_session(node, self.session))
            and (self.issue is None or self.issue in node.issues)
        )

    def holds(self, node: TocNode) -> bool:
        """Tell whether all of a node is wanted."""
        return self.is_everybody and self.since_ms <= node.start_ms and node.end_ms < self.until_ms


def walk(
    contents: Browsed, wanted: Wanted, level: Level, *, oldest_first: bool = False
) -> Iterator[TocNode]:
    """Yield what lies in a span: nodes of a level or above it as they are, the rest by parts."""
    left = list(contents.toc_roots())
    if not oldest_first:
        left.reverse()
    while left:
        node = left.pop()
        if not wanted.touches(node):
            continue
        is_deep = _DEPTH[node.level] >= _DEPTH[level]
        if node.level == Level.SEGMENT or (is_deep and wanted.holds(node)):
            yield node
        else:
            parts = list(_parts(contents, node))
            left += reversed(parts) if oldest_first else parts


def _parts(contents: Browsed, node: TocNode) -> Iterator[TocNode]:
    cursor = ""
    while True:
        page = contents.browse(node.node_id, cursor=cursor)
        yield from page.nodes
        cursor = page.next
        if not cursor:
            return


def _lists_session(node: TocNode, session: str) -> bool:
    return session in node.sessions or node.session_count > len(node.sessions)
