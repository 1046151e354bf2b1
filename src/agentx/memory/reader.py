"""What can be read of a project's log and its table of contents: by verbs, and by later views."""

from __future__ import annotations

from agentx.conversation.contents import Contents
from agentx.conversation.model import Event, EventPage, EventQuery, Session, SessionQuery
from agentx.conversation.service import Conversation
from agentx.conversation.toc_model import Expansion, NodePage, TocNode
from agentx.kernel.limits import TOC_PAGE_MAX


class LogReader:
    """Reads and changes nothing."""

    def __init__(self, log: Conversation, contents: Contents) -> None:
        self._log = log
        self._contents = contents

    def events(self, query: EventQuery) -> EventPage:
        """Return one page of events."""
        return self._log.events(query)

    def event(self, event_id: str) -> Event:
        """Return one event."""
        return self._log.get(event_id)

    def sessions(self, query: SessionQuery) -> tuple[Session, ...]:
        """Return sessions, newest first."""
        return self._log.sessions(query)

    def toc_roots(self) -> tuple[TocNode, ...]:
        """Return the years, newest first."""
        return self._contents.roots()

    def toc_node(self, node_id: str) -> TocNode:
        """Return one node of the table of contents."""
        return self._contents.node(node_id)

    def browse(self, node_id: str, *, cursor: str = "", limit: int = TOC_PAGE_MAX) -> NodePage:
        """Return the parts of a node, or the years, in order."""
        return self._contents.browse(node_id, cursor=cursor, limit=limit)

    def expand(self, grip_id: str, *, before: int, after: int) -> Expansion:
        """Return the evidence of a bullet with the events around it."""
        return self._contents.expand(grip_id, before=before, after=after)
