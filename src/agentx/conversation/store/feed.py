"""The log and its table of contents, as another view reads them: what is new since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import RLock

from agentx.conversation.model import Event
from agentx.conversation.store.toc import News, TocStore
from agentx.conversation.toc_model import Grip, TocNode
from agentx.kernel.clock import Millis
from agentx.kernel.ids import NodeId


class Feed:
    """What a view of one project reads. It takes turns with the log."""

    def __init__(self, toc: TocStore, lock: RLock) -> None:
        self._toc = toc
        self._lock = lock

    def news(self, since: int, limit: int) -> News:
        """Return what came into the log, or was forgotten, after an outbox entry."""
        with self._lock:
            return self._toc.news(since, limit)

    def newest_sequence(self) -> int:
        """Return the newest entry of the outbox."""
        with self._lock:
            return self._toc.newest_sequence()

    def entry_at(self, sequence: int) -> str:
        """Return an entry of the outbox; nothing where there is none, or none any more."""
        with self._lock:
            return self._toc.entry_at(sequence)

    def session_refs(self) -> list[bytes]:
        """Return every session of the project, the newest first."""
        with self._lock:
            found = [(row.last_ms, ref) for ref, row in self._toc.sessions()]
        return [ref for _, ref in sorted(found, reverse=True)]

    def count_events(self, refs: Iterable[bytes]) -> int:
        """Return how many events some sessions have."""
        wanted = set(refs)
        with self._lock:
            return sum(
                sum(row.counts.values()) for ref, row in self._toc.sessions() if ref in wanted
            )

    def session_events(
        self, ref: bytes, since_ms: Millis, until_ms: Millis | None = None
    ) -> list[Event]:
        """Return a session's events from a time on, up to and with another."""
        with self._lock:
            return list(self._toc.events_of(ref, since_ms, until_ms))

    def new_nodes(self, limit: int) -> list[tuple[NodeId, TocNode | None]]:
        """Return some of the nodes that are new since they were settled; None for one gone.

        A grip that is gone stands among them, before the nodes that may have it again.
        """
        with self._lock:
            names = self._toc.list_noted("toc-new", limit=limit)
            return [(name, self._toc.node(name)) for name in names]

    def nodes_before(self, node_id: str, limit: int) -> list[tuple[NodeId, TocNode | None]]:
        """Return the nodes whose ids stand just before one, the last of them first."""
        with self._lock:
            names = [name for name in self._toc.ids("toc:") if name < node_id]
            return [(name, self._toc.node(name)) for name in reversed(names[-limit:])]

    def settle_nodes(self, ids: Iterable[NodeId]) -> None:
        """Note that these nodes were read."""
        read = list(ids)
        if not read:
            return
        change = self._toc.change()
        for name in read:
            change.note_read(name)
        with self._lock:
            change.commit()

    def all_nodes(self) -> Iterator[TocNode]:
        """Yield every node."""
        with self._lock:
            ids = self._toc.ids("toc:")
        for name in ids:
            node = self.node(name)
            if node is not None:
                yield node

    def node_versions(self, prefix: str = "toc:") -> list[tuple[NodeId, int]]:
        """Return the ids of nodes that begin so with their newest version, without opening any."""
        with self._lock:
            return self._toc.versions(prefix)

    def node(self, node_id: NodeId) -> TocNode | None:
        """Return a node as it is now."""
        with self._lock:
            return self._toc.node(node_id)

    def grips_of(self, node: TocNode) -> tuple[Grip, ...]:
        """Return the grips of a segment's lines; those of a period belong to its segments."""
        if node.children:
            return ()
        names = dict.fromkeys(name for bullet in node.bullets for name in bullet.grip_ids)
        with self._lock:
            found = (self._toc.grip(name) for name in names)
            return tuple(grip for grip in found if grip is not None)
