"""The log and its table of contents, as another view reads them: what is new since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import RLock

from agentx.conversation.model import Event
from agentx.conversation.segments import Place
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.rows import split_event
from agentx.conversation.store.toc import FORGOTTEN, TocStore
from agentx.conversation.toc_model import Grip, TocNode
from agentx.host.kv import keys
from agentx.host.kv.port import Batch, Family, KeyValue
from agentx.kernel.clock import Millis
from agentx.kernel.ids import NodeId
from agentx.kernel.values import frozen

_NEW = "toc-new"


@frozen
class FeedNews:
    """What happened to the log since: which places of which sessions, up to which entry."""

    touched: dict[bytes, list[Place]]
    sequence: int
    entries: int
    has_forgotten: bool  # something was erased: no trace of it may stay
    is_complete: bool  # False when the outbox has dropped entries that were not yet read


class Feed:
    """What a view of one project reads. It takes turns with the log."""

    def __init__(self, kv: KeyValue, log: LogStore, toc: TocStore, project: str) -> None:
        self._kv = kv
        self._log = log
        self._toc = toc
        self._project = project
        self._lock = RLock()

    def sharing(self, lock: RLock) -> Feed:
        """Return this feed, taking turns with the holder of a lock."""
        self._lock = lock
        return self

    def news(self, since: int, limit: int) -> FeedNews:
        """Return what came into the log, or was forgotten, after an outbox entry."""
        touched: dict[bytes, list[Place]] = {}
        sequence, first, count = since, None, 0
        has_forgotten = False
        with self._lock:
            bounds = keys.outbox_range(since + 1)
            for key, value in self._kv.scan(Family.OUTBOX, *bounds, limit=limit):
                sequence = keys.outbox_sequence_of(key)
                first = sequence if first is None else first
                count += 1
                event_key = keys.event_key_of(value[1:].decode())
                ref = self._ref_of(event_key)
                if ref:
                    touched.setdefault(ref, []).append(keys.event_parts(event_key))
                    has_forgotten = has_forgotten or value.startswith(FORGOTTEN.encode())
        return FeedNews(
            touched=touched,
            sequence=sequence,
            entries=count,
            has_forgotten=has_forgotten,
            is_complete=first in (None, since + 1),
        )

    def newest_sequence(self) -> int:
        """Return the newest entry of the outbox."""
        with self._lock:
            return self._toc.newest_sequence()

    def session_refs(self) -> list[bytes]:
        """Return every session of the project."""
        with self._lock:
            return [ref for ref, _ in self._log.session_rows(self._project)]

    def session_events(
        self, ref: bytes, since_ms: Millis, until_ms: Millis | None = None
    ) -> list[Event]:
        """Return a session's events from a time on, up to and with another."""
        end = None if until_ms is None else until_ms + 1
        with self._lock:
            rows = self._log.scan_session(ref, *keys.event_range(since_ms, end))
            return [event for _, event in rows if event is not None]

    def new_nodes(self) -> list[tuple[NodeId, TocNode | None]]:
        """Return the nodes that changed since they were settled; None for one that is gone."""
        with self._lock:
            return [(name, self._toc.node(name)) for name in self._toc.list_noted(_NEW)]

    def settle_nodes(self, ids: Iterable[NodeId]) -> None:
        """Note that these nodes were read."""
        batch = Batch()
        for name in ids:
            key = keys.checkpoint_key(f"{_NEW}/{self._project}|{name}")
            batch.delete(Family.CHECKPOINTS, key)
        if len(batch):
            with self._lock:
                self._kv.write(batch, sync=False)

    def all_nodes(self) -> Iterator[TocNode]:
        """Yield every node."""
        with self._lock:
            ids = self._toc.ids("toc:")
        for name in ids:
            with self._lock:
                node = self._toc.node(name)
            if node is not None:
                yield node

    def node_versions(self, prefix: str = "toc:") -> list[tuple[NodeId, int]]:
        """Return the ids of nodes with the number of the newest version, without opening any."""
        bounds = keys.toc_latest_range(self._project, prefix)
        with self._lock:
            rows = list(self._kv.scan(Family.TOC_LATEST, *bounds))
        return [(keys.node_id_of(key), int(version)) for key, version in rows]

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

    def _ref_of(self, event_key: bytes) -> bytes:
        row = self._kv.get(Family.EVENTS, event_key)
        if row is None:
            return b""
        ref = split_event(row)[1]
        session = self._toc.session(ref)
        return ref if session is not None and session.project == self._project else b""
