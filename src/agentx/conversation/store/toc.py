"""The table of contents on disk, one project's at a time.

Versions of a node are appended; `toc_latest` names the newest, and the oldest of many
are let go. Notes are kept among the checkpoints, and change only in the batch that makes
them true:

    toc/{project}                 how far the outbox has been read, and in which time zone
    toc-marks/{session}           where the session's segments begin
    toc-todo/{project}|{session}  a session of a view that is begun again, and what is done of it
    toc-dirty/{project}|{id}      a period that must be rolled again
    toc-new/{project}|{id}        a node, or a grip that is gone, that readers have not seen yet
    toc-open/{project}|{id}       a node that is provisional
    toc-tried/{project}|{id}      a segment, and the model that could not tell it
    toc-traces/{project}          something was forgotten that old rows may still hold
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import msgspec

from agentx.conversation.limits import NODE_VERSIONS_MAX
from agentx.conversation.model import Event
from agentx.conversation.segments import Continuation, Place
from agentx.conversation.store import toc_rows
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.rows import SessionRow, split_event, unpack_session
from agentx.conversation.toc_model import Grip, TocNode
from agentx.host.kv import keys
from agentx.host.kv.port import Batch, Family, KeyValue
from agentx.kernel.clock import Millis
from agentx.kernel.ids import EventId, NodeId
from agentx.kernel.periods import settle_zone_name
from agentx.kernel.values import frozen

_SESSION_OF_OTHER_PROJECT = b""
_FORGOTTEN = "-"
_PAGE_ROWS = 256
_TRIES = 3  # to read a node that is written anew meanwhile
_RUN_ON = 4  # times what was asked for, where a session goes on


@frozen
class Progress:
    """How far the view is: the newest outbox entry it knows, and what that entry was."""

    sequence: int = 0
    entry: str = ""
    zone: str = ""


@frozen
class News:
    """What happened to the log since: which places of which sessions, up to which entry."""

    touched: dict[bytes, list[Place]]
    progress: Progress
    entries: int
    has_forgotten: bool  # something was erased: no trace of it may stay
    is_complete: bool  # False when the outbox has dropped entries that were not yet read

    @property
    def sequence(self) -> int:
        """The newest entry that is in it."""
        return self.progress.sequence


@frozen
class Part:
    """Some events of a session that are to be taken into a view that is begun again."""

    ref: bytes
    places: list[Place]
    is_last: bool


def read_zone(kv: KeyValue, project: str) -> str:
    """Return in which time zone the days of a project are cut; empty where none is."""
    return _read_progress(kv, project).zone


def _read_progress(kv: KeyValue, project: str) -> Progress:
    raw = kv.get(Family.CHECKPOINTS, keys.checkpoint_key(f"toc/{project}"))
    if raw is None:
        return Progress()
    found = msgspec.json.decode(raw, type=Progress)
    return replace(found, zone=settle_zone_name(found.zone))


class TocStore:
    """Nodes and grips of one project. One thread at a time, but for nodes that are only read."""

    def __init__(self, kv: KeyValue, log: LogStore, project: str) -> None:
        self._kv = kv
        self._log = log
        self._project = project

    # --- the log ----------------------------------------------------------------------------

    def news(self, since: int, limit: int) -> News:
        """Return what came into the log, or was forgotten, after an outbox entry.

        A session whose entries follow each other is not parted where they are few more.
        """
        touched: dict[bytes, list[Place]] = {}
        last, first = since, None
        entry, ref = "", b""
        count = forgotten = 0
        for sequence, told, event_key, owner in self._list_entries(since, _RUN_ON * limit):
            if count >= limit and owner != ref:
                break
            last, entry, ref = sequence, told, owner
            first = sequence if first is None else first
            count += 1
            if ref:
                touched.setdefault(ref, []).append(keys.event_parts(event_key))
                forgotten += entry[0] == _FORGOTTEN
        return News(
            touched=touched,
            progress=Progress(sequence=last, entry=entry),
            entries=count,
            has_forgotten=forgotten > 0,
            is_complete=first in (None, since + 1),
        )

    def _list_entries(self, since: int, limit: int) -> Iterator[tuple[int, str, bytes, bytes]]:
        """Yield entries of the outbox: number, words, the event's key and whose session it is."""
        own: dict[bytes, bytes] = {}
        entries = self._kv.scan(Family.OUTBOX, *keys.outbox_range(since + 1), limit=limit)
        while page := list(islice(entries, _PAGE_ROWS)):
            told = [value.decode() for _, value in page]
            event_keys = [keys.event_key_of(entry[1:]) for entry in told]
            events = self._kv.get_many(Family.EVENTS, event_keys)
            for (key, _), entry, event_key, row in zip(page, told, event_keys, events, strict=True):
                ref = _SESSION_OF_OTHER_PROJECT if row is None else split_event(row)[1]
                if ref and ref not in own:
                    session = self.session(ref)
                    is_own = session is not None and session.project == self._project
                    own[ref] = ref if is_own else _SESSION_OF_OTHER_PROJECT
                yield keys.outbox_sequence_of(key), entry, event_key, own.get(ref, ref)

    def is_sound(self, zone: str) -> bool:
        """Tell whether the view can go on from where it is, or must be begun again.

        It must in another time zone, and where the outbox is not the one it has read.
        """
        progress = self.progress()
        if progress.zone != zone or self.newest_sequence() < progress.sequence:
            return False
        entry = self._kv.get(Family.OUTBOX, keys.outbox_key(progress.sequence))
        return entry is None or entry.decode() == progress.entry

    def events_left(self) -> int:
        """Return about how many events are still to be taken into the view."""
        to_do = {ref for ref, _ in self._to_do()}
        whole = sum(sum(row.counts.values()) for ref, row in self.sessions() if ref in to_do)
        return whole + self.newest_sequence() - self.progress().sequence

    def part_to_do(self, limit: int) -> Part | None:
        """Return the next events of the next session that is to do."""
        for ref, done in self._to_do():
            start, end = keys.session_event_range(ref)
            seen, _ = keys.session_event_span(ref, done, done)
            rows = self._kv.scan(Family.SESSIONS, max(start, seen + b"\x00"), end, limit=limit)
            places: list[Place] = [keys.event_parts(keys.session_event_of(key)) for key, _ in rows]
            return Part(ref=ref, places=places, is_last=len(places) < limit)
        return None

    def _to_do(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield the sessions that are to do, and the newest key that is done of each."""
        for key, done in self._kv.scan(Family.CHECKPOINTS, *self._notes("toc-todo")):
            yield bytes.fromhex(keys.checkpoint_name_of(key).partition("|")[2]), done

    def entry_at(self, sequence: int) -> str:
        """Return an entry of the outbox; nothing where there is none, or none any more."""
        return (self._kv.get(Family.OUTBOX, keys.outbox_key(sequence)) or b"").decode()

    def newest_sequence(self) -> int:
        """Return the newest entry of the outbox."""
        return self._newest("").sequence

    def session(self, ref: bytes) -> SessionRow | None:
        """Return a session's row."""
        raw = self._kv.get(Family.SESSIONS, keys.session_key(ref))
        return None if raw is None else unpack_session(raw)

    def sessions(self) -> list[tuple[bytes, SessionRow]]:
        """Return every session of the project."""
        return list(self._log.session_rows(self._project))

    def events_of(
        self, ref: bytes, since_ms: Millis, until_ms: Millis | None = None
    ) -> Iterator[Event]:
        """Yield a session's events from a time on, up to and with another."""
        end = None if until_ms is None else until_ms + 1
        for _, event in self._log.scan_session(ref, *keys.event_range(since_ms, end)):
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
        return _read_progress(self._kv, self._project)

    def marks(self, ref: bytes) -> tuple[Continuation, ...]:
        """Return where a session's segments begin."""
        raw = self._kv.get(Family.CHECKPOINTS, keys.checkpoint_key(f"toc-marks/{ref.hex()}"))
        return () if raw is None else toc_rows.marks(raw)

    def node(self, node_id: NodeId) -> TocNode | None:
        """Return the newest version of a node, also while others write a newer one."""
        for _ in range(_TRIES):
            version = self._kv.get(Family.TOC_LATEST, keys.toc_latest_key(self._project, node_id))
            if version is None:
                return None
            key = keys.toc_node_key(self._project, node_id, int(version))
            raw = self._kv.get(Family.TOC_NODES, key)
            if raw is not None:
                return toc_rows.node(raw)
        return None

    def ids(self, prefix: str) -> list[NodeId]:
        """Return the ids of the nodes that begin so, in order."""
        bounds = keys.toc_latest_range(self._project, prefix)
        return [keys.node_id_of(key) for key, _ in self._kv.scan(Family.TOC_LATEST, *bounds)]

    def versions(self, prefix: str) -> list[tuple[NodeId, int]]:
        """Return the ids of nodes that begin so with their newest version, without opening any."""
        bounds = keys.toc_latest_range(self._project, prefix)
        rows = self._kv.scan(Family.TOC_LATEST, *bounds)
        return [(keys.node_id_of(key), int(version)) for key, version in rows]

    def nodes(self, ids: list[NodeId]) -> list[TocNode]:
        """Return those of the nodes that are there."""
        found = (self.node(node_id) for node_id in ids)
        return [node for node in found if node is not None]

    def grip(self, grip_id: str) -> Grip | None:
        """Return a grip."""
        raw = self._kv.get(Family.GRIPS, keys.grip_key(self._project, grip_id))
        return None if raw is None else toc_rows.grip(raw)

    def list_noted(self, kind: str, prefix: str = "", limit: int | None = None) -> list[NodeId]:
        """Return the nodes of which a note is kept: `toc-dirty` or `toc-open`."""
        found = self._kv.scan(Family.CHECKPOINTS, *self._notes(kind, prefix), limit=limit)
        return [NodeId(keys.checkpoint_name_of(key).partition("|")[2]) for key, _ in found]

    def find_tried(self, node_id: NodeId) -> str:
        """Return the model that was asked about a segment in vain."""
        key = keys.checkpoint_key(f"toc-tried/{self._project}|{node_id}")
        return (self._kv.get(Family.CHECKPOINTS, key) or b"").decode()

    def has_traces(self) -> bool:
        """Tell whether rows may still hold what was forgotten."""
        return self._kv.get(Family.CHECKPOINTS, self._traces_key()) is not None

    def _notes(self, kind: str, prefix: str = "") -> keys.KeyRange:
        return keys.checkpoint_range(f"{kind}/{self._project}|{prefix}")

    def _traces_key(self) -> bytes:
        return keys.checkpoint_key(f"toc-traces/{self._project}")

    # --- changing ---------------------------------------------------------------------------

    def change(self) -> TocChange:
        """Return an empty change."""
        return TocChange(self._kv, self._project, Batch())

    def begin_again(self, zone: str) -> None:
        """Drop the whole view and note every session as to do."""
        batch = Batch()
        for family in (Family.TOC_NODES, Family.TOC_LATEST, Family.GRIPS):
            batch.delete_range(family, *keys.project_range(self._project))
        for kind in ("toc-dirty", "toc-open", "toc-tried", "toc-todo"):
            batch.delete_range(Family.CHECKPOINTS, *self._notes(kind))
        for ref, _ in self.sessions():
            batch.delete(Family.CHECKPOINTS, keys.checkpoint_key(f"toc-marks/{ref.hex()}"))
            todo = keys.checkpoint_key(f"toc-todo/{self._project}|{ref.hex()}")
            batch.put(Family.CHECKPOINTS, todo, b"")
        change = TocChange(self._kv, self._project, batch)
        change.put_progress(self._newest(zone))
        # Whatever was forgotten unseen is in the rows that were just dropped.
        if self.ids(""):
            change.leave_no_trace()
        change.commit()

    def erase_traces(self) -> None:
        """Keep only the newest version of every node, and nothing dropped on disk."""
        newest = {
            keys.toc_node_key(self._project, keys.node_id_of(key), int(version))
            for key, version in self._kv.scan(Family.TOC_LATEST, *keys.project_range(self._project))
        }
        batch = Batch()
        for key, _ in self._kv.scan(Family.TOC_NODES, *keys.project_range(self._project)):
            if key not in newest:
                batch.delete(Family.TOC_NODES, key)
        self._kv.write(batch)
        for family in (Family.TOC_NODES, Family.GRIPS):
            self._kv.erase(family)
        batch = Batch()
        batch.delete(Family.CHECKPOINTS, self._traces_key())
        self._kv.write(batch)

    def _newest(self, zone: str) -> Progress:
        for key, value in self._kv.scan(Family.OUTBOX, *keys.outbox_range(), reverse=True, limit=1):
            sequence = keys.outbox_sequence_of(key)
            return Progress(sequence=sequence, entry=value.decode(), zone=zone)
        return Progress(zone=zone)


class TocChange:
    """Changes to the view that become true together."""

    def __init__(self, kv: KeyValue, project: str, batch: Batch) -> None:
        self._kv = kv
        self._project = project
        self._batch = batch
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
        self._note("toc-new", node.node_id, kept=True)
        self.nodes += 1

    def drop(self, node_id: NodeId) -> None:
        """Take a node away, with all its versions."""
        self._batch.delete_range(Family.TOC_NODES, *keys.toc_node_range(self._project, node_id))
        self._batch.delete(Family.TOC_LATEST, keys.toc_latest_key(self._project, node_id))
        self._note("toc-open", node_id, kept=False)
        self._note("toc-new", node_id, kept=True)
        self.nodes += 1

    def note_read(self, node_id: NodeId) -> None:
        """Note that readers of the view have seen a node."""
        self._note("toc-new", node_id, kept=False)

    def put_grip(self, grip: Grip) -> None:
        """Keep a grip."""
        key = keys.grip_key(self._project, grip.grip_id)
        self._batch.put(Family.GRIPS, key, toc_rows.pack(grip))
        self._note("toc-new", grip.grip_id, kept=False)

    def drop_grip(self, grip_id: str) -> None:
        """Let a grip go, and readers know of it: what stays of its node does not name it."""
        self._batch.delete(Family.GRIPS, keys.grip_key(self._project, grip_id))
        self._note("toc-new", grip_id, kept=True)

    def dirty(self, node_id: NodeId, *, kept: bool = True) -> None:
        """Note that a period must be rolled again, or that it was."""
        self._note("toc-dirty", node_id, kept=kept)

    def note_tried(self, node_id: NodeId, name: str) -> None:
        """Note which model could not tell a segment; nobody, when it has changed since."""
        self._note("toc-tried", node_id, name.encode(), kept=bool(name))

    def note_done(self, part: Part) -> None:
        """Note how much of a session is done."""
        done = b"" if part.is_last else keys.event_key_of(part.places[-1][1])
        self._note("toc-todo", part.ref.hex(), done, kept=not part.is_last)

    def leave_no_trace(self) -> None:
        """Note that rows may hold what was forgotten, until they are erased."""
        self._batch.put(Family.CHECKPOINTS, keys.checkpoint_key(f"toc-traces/{self._project}"), b"")

    def put_marks(self, ref: bytes, marks: tuple[Continuation, ...]) -> None:
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

    def _note(self, kind: str, name: str, value: bytes = b"", *, kept: bool) -> None:
        key = keys.checkpoint_key(f"{kind}/{self._project}|{name}")
        if kept:
            self._batch.put(Family.CHECKPOINTS, key, value)
        else:
            self._batch.delete(Family.CHECKPOINTS, key)
