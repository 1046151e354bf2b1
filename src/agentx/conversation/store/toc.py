"""The table of contents on disk, one project's at a time.

Versions of a node are appended; `toc_latest` names the newest, and the oldest of many
are let go. Three kinds of note are kept among the checkpoints, and change only in the
batch that makes them true:

    toc/{project}            how far the outbox has been read, and in which time zone
    toc-marks/{session}      where the session's segments begin
    toc-dirty/{project}|{id} a period that must be rolled again
    toc-open/{project}|{id}  a node that is provisional
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from agentx.conversation.model import Event
from agentx.conversation.segments import Mark, Place
from agentx.conversation.store import toc_rows
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.rows import SessionRow, split_event, unpack_session
from agentx.conversation.toc_model import Grip, TocNode
from agentx.host import keys
from agentx.host.kv import Batch, Family, KeyValue
from agentx.kernel.clock import Millis
from agentx.kernel.ids import EventId, NodeId
from agentx.kernel.limits import NODE_VERSIONS_MAX

SESSION_OF_OTHER_PROJECT = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the view is."""

    sequence: int = 0
    zone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What happened to the log since: which places of which sessions, up to which entry."""

    touched: dict[bytes, list[Place]]
    sequence: int
    entries: int
    is_complete: bool  # False when the outbox has dropped entries that were not yet read


class TocStore:
    """Nodes and grips of one project. One thread at a time."""

    def __init__(self, kv: KeyValue, log: LogStore, project: str) -> None:
        self._kv = kv
        self._log = log
        self._project = project

    # --- the log ----------------------------------------------------------------------------

    def news(self, since: int, limit: int) -> News:
        """Return what came into the log, or was forgotten, after an outbox entry."""
        touched: dict[bytes, list[Place]] = {}
        sequence, count = since, 0
        first = None
        for key, value in self._kv.scan(Family.OUTBOX, *keys.outbox_range(since + 1), limit=limit):
            sequence = keys.outbox_sequence_of(key)
            first = sequence if first is None else first
            count += 1
            event_key = keys.event_key_of(value[1:].decode())
            ref = self._ref_of(event_key)
            if ref:
                at_ms, event_id = keys.event_parts(event_key)
                touched.setdefault(ref, []).append((at_ms, event_id))
        missing = first is not None and first != since + 1
        return News(touched=touched, sequence=sequence, entries=count, is_complete=not missing)

    def newest_sequence(self) -> int:
        """Return the newest entry of the outbox."""
        for key, _ in self._kv.scan(Family.OUTBOX, *keys.outbox_range(), reverse=True, limit=1):
            return keys.outbox_sequence_of(key)
        return 0

    def _ref_of(self, event_key: bytes) -> bytes:
        row = self._kv.get(Family.EVENTS, event_key)
        if row is None:
            return SESSION_OF_OTHER_PROJECT
        ref = split_event(row)[1]
        session = self.session(ref)
        return ref if session is not None and session.project == self._project else b""

    def session(self, ref: bytes) -> SessionRow | None:
        """Return a session's row."""
        raw = self._kv.get(Family.SESSIONS, keys.session_key(ref))
        return None if raw is None else unpack_session(raw)

    def sessions(self) -> list[tuple[bytes, SessionRow]]:
        """Return every session of the project."""
        return list(self._log.session_rows(self._project))

    def events_of(self, ref: bytes, since_ms: Millis) -> Iterator[Event]:
        """Yield a session's events from a time on."""
        for _, event in self._log.scan_session(ref, *keys.event_range(since_ms)):
            if event is not None:
                yield event

    def around(self, ref: bytes, event_id: EventId, count: int, *, before: bool) -> list[Event]:
        """Return up to `count` events of a session next to one of its events, in order."""
        key = keys.event_key_of(event_id)
        start, end = keys.event_range()
        bounds = (start, key) if before else (key + b"\x00", end)
        found: list[Event] = []
        for _, event in self._log.scan_session(ref, *bounds, reverse=before):
            if len(found) >= count:
                break
            if event is not None:
                found.append(event)
        return found[::-1] if before else found

    def event(self, event_id: EventId) -> Event | None:
        """Return one event."""
        return self._log.get(event_id)

    # --- reading ----------------------------------------------------------------------------

    def progress(self) -> Progress:
        """Return how far the view is."""
        raw = self._kv.get(Family.CHECKPOINTS, keys.checkpoint_key(f"toc/{self._project}"))
        return Progress() if raw is None else msgspec.json.decode(raw, type=Progress)

    def marks(self, ref: bytes) -> tuple[Mark, ...]:
        """Return where a session's segments begin."""
        raw = self._kv.get(Family.CHECKPOINTS, keys.checkpoint_key(f"toc-marks/{ref.hex()}"))
        return () if raw is None else toc_rows.marks(raw)

    def node(self, node_id: NodeId) -> TocNode | None:
        """Return the newest version of a node."""
        version = self._kv.get(Family.TOC_LATEST, keys.toc_latest_key(self._project, node_id))
        if version is None:
            return None
        key = keys.toc_node_key(self._project, node_id, int(version))
        raw = self._kv.get(Family.TOC_NODES, key)
        return None if raw is None else toc_rows.node(raw)

    def ids(self, prefix: str) -> list[NodeId]:
        """Return the ids of the nodes that begin so, in order."""
        bounds = keys.toc_latest_range(self._project, prefix)
        return [keys.node_id_of(key) for key, _ in self._kv.scan(Family.TOC_LATEST, *bounds)]

    def nodes(self, ids: list[NodeId]) -> list[TocNode]:
        """Return those of the nodes that are there."""
        found = (self.node(node_id) for node_id in ids)
        return [node for node in found if node is not None]

    def grip(self, grip_id: str) -> Grip | None:
        """Return a grip."""
        raw = self._kv.get(Family.GRIPS, keys.grip_key(self._project, grip_id))
        return None if raw is None else toc_rows.grip(raw)

    def noted(self, kind: str) -> list[NodeId]:
        """Return the nodes of which a note is kept: `toc-dirty` or `toc-open`."""
        bounds = keys.checkpoint_range(f"{kind}/{self._project}|")
        return [
            NodeId(keys.checkpoint_name_of(key).partition("|")[2])
            for key, _ in self._kv.scan(Family.CHECKPOINTS, *bounds)
        ]

    # --- changing ---------------------------------------------------------------------------

    def change(self) -> TocChange:
        """Return an empty change."""
        return TocChange(self._kv, self, self._project)

    def clear(self) -> None:
        """Drop the whole view."""
        batch = Batch()
        for family in (Family.TOC_NODES, Family.TOC_LATEST, Family.GRIPS):
            batch.delete_range(family, *keys.project_range(self._project))
        for kind in ("toc-dirty", "toc-open"):
            batch.delete_range(
                Family.CHECKPOINTS, *keys.checkpoint_range(f"{kind}/{self._project}|")
            )
        for ref, _ in self.sessions():
            batch.delete(Family.CHECKPOINTS, keys.checkpoint_key(f"toc-marks/{ref.hex()}"))
        batch.delete(Family.CHECKPOINTS, keys.checkpoint_key(f"toc/{self._project}"))
        self._kv.write(batch)

    def drop_old_versions(self) -> None:
        """Keep only the newest version of every node."""
        newest = {
            keys.toc_node_key(self._project, keys.node_id_of(key), int(version))
            for key, version in self._kv.scan(Family.TOC_LATEST, *keys.project_range(self._project))
        }
        batch = Batch()
        for key, _ in self._kv.scan(Family.TOC_NODES, *keys.project_range(self._project)):
            if key not in newest:
                batch.delete(Family.TOC_NODES, key)
        self._kv.write(batch)

    def erase(self) -> None:
        """Make what was dropped physically gone."""
        for family in (Family.TOC_NODES, Family.GRIPS):
            self._kv.erase(family)


class TocChange:
    """Changes to the view that become true together."""

    def __init__(self, kv: KeyValue, store: TocStore, project: str) -> None:
        self._kv = kv
        self._store = store
        self._project = project
        self._batch = Batch()
        self.nodes = 0

    def put(self, node: TocNode, before: TocNode | None) -> None:
        """Append a version of a node and let go of the oldest of many."""
        version = (before.version if before is not None else 0) + 1
        stored = replace(node, version=version)
        node_key = keys.toc_node_key(self._project, node.node_id, version)
        self._batch.put(Family.TOC_NODES, node_key, toc_rows.pack(stored))
        if version > NODE_VERSIONS_MAX:
            oldest = keys.toc_node_key(self._project, node.node_id, version - NODE_VERSIONS_MAX)
            self._batch.delete(Family.TOC_NODES, oldest)
        latest = keys.toc_latest_key(self._project, node.node_id)
        self._batch.put(Family.TOC_LATEST, latest, b"%d" % version)
        self._note("toc-open", node.node_id, kept=node.provisional)
        self.nodes += 1

    def drop(self, node_id: NodeId) -> None:
        """Take a node away, with all its versions."""
        self._batch.delete_range(Family.TOC_NODES, *keys.toc_node_range(self._project, node_id))
        self._batch.delete(Family.TOC_LATEST, keys.toc_latest_key(self._project, node_id))
        self._note("toc-open", node_id, kept=False)
        self.nodes += 1

    def put_grip(self, grip: Grip) -> None:
        """Keep a grip."""
        key = keys.grip_key(self._project, grip.grip_id)
        self._batch.put(Family.GRIPS, key, toc_rows.pack(grip))

    def drop_grip(self, grip_id: str) -> None:
        """Let a grip go."""
        self._batch.delete(Family.GRIPS, keys.grip_key(self._project, grip_id))

    def dirty(self, node_id: NodeId, *, kept: bool = True) -> None:
        """Note that a period must be rolled again, or that it was."""
        self._note("toc-dirty", node_id, kept=kept)

    def put_marks(self, ref: bytes, marks: tuple[Mark, ...]) -> None:
        """Keep where a session's segments begin."""
        key = keys.checkpoint_key(f"toc-marks/{ref.hex()}")
        self._batch.put(Family.CHECKPOINTS, key, toc_rows.pack(marks))

    def put_progress(self, progress: Progress) -> None:
        """Keep how far the view is."""
        key = keys.checkpoint_key(f"toc/{self._project}")
        self._batch.put(Family.CHECKPOINTS, key, msgspec.json.encode(progress))

    def commit(self) -> None:
        """Make it all true. A view may be late, so it need not be synced; the log is."""
        if len(self._batch):
            self._kv.write(self._batch, sync=False)

    def _note(self, kind: str, node_id: NodeId, *, kept: bool) -> None:
        key = keys.checkpoint_key(f"{kind}/{self._project}|{node_id}")
        if kept:
            self._batch.put(Family.CHECKPOINTS, key, b"")
        else:
            self._batch.delete(Family.CHECKPOINTS, key)
