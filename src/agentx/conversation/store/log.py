"""The log on disk: the only file that knows which row goes where.

    events       evt:{ms}:{ulid}        head + sealed payload           never rewritten
    keys         an event's key         wrapped by its session's key    deleted to forget
                 a session's key
    identities   who an event is        its id, or its occurrences
    sessions     one row a session, and one empty row for each of its events, in order
    outbox       what is new, in the order it came: wakes the projections

An event and everything that belongs to it are one atomic batch, synced before
`append` returns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agentx.conversation.identity import Occurrence, delivery_of, identity_of, judge
from agentx.conversation.model import Event, EventQuery, Forgotten, Receipt
from agentx.conversation.sealing import SessionKey, new_key, seal, unseal
from agentx.conversation.store import rows
from agentx.host import keys
from agentx.host.kv import Batch, Family, KeyValue
from agentx.kernel.capture import Draft, EventType, Role
from agentx.kernel.clock import Millis
from agentx.kernel.crash import CrashPoint, passing
from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import Entropy, EventId, is_ulid, mint, ulid_bytes

Found = tuple[EventId, Event | None]

_PAGE_ROWS = 256
_OPEN_SESSIONS_MAX = 10_000


@dataclass(slots=True)
class _Pending:
    """What one batch has changed so far, before it is written."""

    project: str
    batch: Batch = field(default_factory=Batch)
    identities: dict[bytes, bytes] = field(default_factory=dict)
    sessions: dict[bytes, rows.SessionRow] = field(default_factory=dict)
    session_keys: dict[bytes, SessionKey] = field(default_factory=dict)
    stored: list[EventId] = field(default_factory=list)
    duplicates: int = 0
    forgotten: int = 0
    refs: dict[tuple[str, str], bytes] = field(default_factory=dict)

    def ref_of(self, draft: Draft) -> bytes:
        """Return the reference of a draft's session, hashed once a batch."""
        name = (draft.harness, draft.session_id)
        if name not in self.refs:
            self.refs[name] = rows.session_ref(self.project, *name)
        return self.refs[name]


class LogStore:
    """Turns drafts into rows and rows into events. One thread at a time."""

    def __init__(self, kv: KeyValue, *, entropy: Entropy) -> None:
        self._kv = kv
        self._entropy = entropy
        self._codec = rows.PayloadCodec()
        self._session_keys: dict[bytes, SessionKey] = {}
        self._sequence = self._last_sequence()

    # --- writing ----------------------------------------------------------------------------

    def append(self, drafts: Sequence[Draft], *, project: str) -> Receipt:
        """Store what is new in one atomic batch; return after it is on disk."""
        pending = _Pending(project=project)
        named = [(draft, keys.identity_key(identity_of(draft, project))) for draft in drafts]
        self._look_up(pending, [key for _, key in named])
        for draft, key in named:
            self._take(pending, draft, key)
        self._finish(pending)
        return Receipt(
            stored=tuple(pending.stored),
            duplicates=pending.duplicates,
            forgotten=pending.forgotten,
        )

    def _look_up(self, pending: _Pending, wanted: list[bytes]) -> None:
        distinct = list(dict.fromkeys(wanted))
        for key, value in zip(
            distinct, self._kv.get_many(Family.IDENTITIES, distinct), strict=True
        ):
            if value is not None:
                pending.identities[key] = value

    def _take(self, pending: _Pending, draft: Draft, identity: bytes) -> None:
        ref = pending.ref_of(draft)
        session = self._session_row(pending, ref, draft)
        if draft.timestamp_ms <= session.forgotten_ms:
            pending.forgotten += 1
            return
        known = pending.identities.get(identity)
        if draft.source_id:
            if known is not None:
                pending.duplicates += 1
                return
            event_id = EventId(mint(draft.timestamp_ms, self._entropy))
            pending.identities[identity] = event_id.encode()
        else:
            occurrences = rows.unpack_occurrences(known) if known is not None else ()
            verdict = judge(draft, occurrences, last_ms=session.last_ms)
            if verdict.known is not None:
                pending.duplicates += 1
                if verdict.occurrences is not None:
                    packed = rows.pack_occurrences(verdict.occurrences)
                    pending.identities[identity] = packed
                    pending.batch.put(Family.IDENTITIES, identity, packed)
                return
            event_id = EventId(mint(draft.timestamp_ms, self._entropy))
            seen = Occurrence(event_id=event_id, deliveries=(delivery_of(draft),))
            pending.identities[identity] = rows.pack_occurrences((*occurrences, seen))
        pending.batch.put(Family.IDENTITIES, identity, pending.identities[identity])
        self._write_event(pending, ref, draft, event_id)
        _count(session, draft, event_id)
        pending.stored.append(event_id)

    def _write_event(self, pending: _Pending, ref: bytes, draft: Draft, event_id: EventId) -> None:
        batch = pending.batch
        key = keys.event_key(draft.timestamp_ms, event_id)
        raw_id = ulid_bytes(event_id)
        event_key = new_key(self._entropy)
        head = rows.event_head(ref)
        payload = rows.Payload(
            session_id=draft.session_id,
            event_type=draft.event_type,
            role=draft.role,
            text=draft.text,
            harness=draft.harness,
            agent=draft.agent,
            project=pending.project,
            metadata=draft.metadata,
        )
        sealed = seal(self._codec.pack(payload), key=event_key, context=key + head)
        batch.put(Family.EVENTS, key, head + sealed)
        wrapped = self._session_key(pending, ref).wrap(event_key, raw_id)
        batch.put(Family.KEYS, keys.event_seal_key(event_id), wrapped)
        batch.put(Family.SESSIONS, keys.session_event_key(ref, key), b"")
        self._tell(batch, b"+", event_id)

    def _finish(self, pending: _Pending) -> None:
        if not pending.stored and not pending.duplicates:
            return
        for ref, session in pending.sessions.items():
            if session.counts or session.forgotten_ms:
                pending.batch.put(
                    Family.SESSIONS, keys.session_key(ref), rows.pack_session(session)
                )
        for ref, key in pending.session_keys.items():
            pending.batch.put(Family.KEYS, keys.session_seal_key(ref), key.raw)
        passing(CrashPoint.LOG_BEFORE_WRITE)
        self._kv.write(pending.batch, sync=True)
        passing(CrashPoint.LOG_AFTER_WRITE)
        if len(self._session_keys) > _OPEN_SESSIONS_MAX:
            self._session_keys.clear()
        self._session_keys.update(pending.session_keys)

    def _tell(self, batch: Batch, sign: bytes, event_id: EventId) -> None:
        self._sequence += 1
        batch.put(Family.OUTBOX, keys.outbox_key(self._sequence), sign + event_id.encode())

    def _last_sequence(self) -> int:
        for key, _ in self._kv.scan(Family.OUTBOX, *keys.outbox_range(), reverse=True, limit=1):
            return keys.outbox_sequence_of(key)
        return 0

    def _session_row(self, pending: _Pending, ref: bytes, draft: Draft) -> rows.SessionRow:
        if ref not in pending.sessions:
            raw = self._kv.get(Family.SESSIONS, keys.session_key(ref))
            pending.sessions[ref] = (
                rows.unpack_session(raw)
                if raw is not None
                else rows.SessionRow(
                    session_id=draft.session_id, harness=draft.harness, project=pending.project
                )
            )
        return pending.sessions[ref]

    def _session_key(self, pending: _Pending, ref: bytes) -> SessionKey:
        known = pending.session_keys.get(ref) or self._known_session_key(ref)
        if known is None:
            known = SessionKey(new_key(self._entropy))
            pending.session_keys[ref] = known
        return known

    def _known_session_key(self, ref: bytes) -> SessionKey | None:
        known = self._session_keys.get(ref)
        if known is None:
            raw = self._kv.get(Family.KEYS, keys.session_seal_key(ref))
            if raw is None:
                return None
            known = self._session_keys[ref] = SessionKey(raw)
        return known

    # --- reading ----------------------------------------------------------------------------

    def get(self, event_id: EventId) -> Event | None:
        """Return one event, or None if there is none or it was forgotten."""
        key = keys.event_key_of(event_id)
        row = self._kv.get(Family.EVENTS, key)
        return None if row is None else next(self._opened([(key, row)]))[1]

    def bounds(self, query: EventQuery) -> tuple[bytes, bytes]:
        """Return the range of keys that a query asks for, after what its cursor has seen.

        Raises: InvalidValue for a cursor that no page gave.
        """
        start, end = keys.event_range(query.since_ms, query.until_ms)
        if not query.cursor:
            return start, end
        if not is_ulid(query.cursor):
            raise InvalidValue("that cursor was not given by a page before")
        seen = keys.event_key_of(query.cursor)
        if query.newest_first:
            return start, min(end, seen)
        return max(start, seen + b"\x00"), end

    def scan(self, start: bytes, end: bytes, *, reverse: bool = False) -> Iterator[Found]:
        """Yield the id and the event of every row in a range of keys; no event where forgotten."""
        page: list[tuple[bytes, bytes]] = []
        for row in self._kv.scan(Family.EVENTS, start, end, reverse=reverse):
            page.append(row)
            if len(page) == _PAGE_ROWS:
                yield from self._opened(page)
                page = []
        yield from self._opened(page)

    def scan_session(
        self, ref: bytes, start: bytes, end: bytes, *, reverse: bool = False
    ) -> Iterator[Found]:
        """Yield the events of one session within a range of event keys."""
        first, last = keys.session_event_span(ref, start, end)
        page: list[bytes] = []
        for key, _ in self._kv.scan(Family.SESSIONS, first, last, reverse=reverse):
            page.append(keys.session_event_of(key))
            if len(page) == _PAGE_ROWS:
                yield from self._fetched(page)
                page = []
        yield from self._fetched(page)

    def _fetched(self, wanted: list[bytes]) -> Iterator[Found]:
        found = self._kv.get_many(Family.EVENTS, wanted)
        yield from self._opened(
            [(key, row) for key, row in zip(wanted, found, strict=True) if row is not None]
        )

    def _opened(self, page: list[tuple[bytes, bytes]]) -> Iterator[Found]:
        parts = [keys.event_parts(key) for key, _ in page]
        wrapped = self._kv.get_many(
            Family.KEYS, [keys.event_seal_key(event_id) for _, event_id in parts]
        )
        for (key, row), (at_ms, event_id), sealed_key in zip(page, parts, wrapped, strict=True):
            head, ref, sealed = rows.split_event(row)
            session_key = self._known_session_key(ref)
            if sealed_key is None or session_key is None:
                yield event_id, None
                continue
            event_key = session_key.unwrap(sealed_key, ulid_bytes(event_id))
            payload = self._codec.unpack(unseal(sealed, key=event_key, context=key + head))
            yield event_id, _event(event_id, at_ms, payload)

    def session_rows(self, project: str) -> Iterator[tuple[bytes, rows.SessionRow]]:
        """Yield the reference and the row of every session of a project."""
        start, end = keys.session_range()
        for key, raw in self._kv.scan(Family.SESSIONS, start, end):
            row = rows.unpack_session(raw)
            if row.project == project:
                yield keys.session_ref_of(key), row

    def projects(self) -> tuple[str, ...]:
        """Return every project that has a session here."""
        bounds = keys.session_range()
        rows_here = (rows.unpack_session(raw) for _, raw in self._kv.scan(Family.SESSIONS, *bounds))
        return tuple(sorted({row.project for row in rows_here}))

    # --- forgetting -------------------------------------------------------------------------

    def forget_event(self, event: Event) -> Forgotten:
        """Delete an event's key, so that nobody can read it again."""
        ref = rows.session_ref(event.project, event.harness, event.session_id)
        batch = Batch()
        batch.delete(Family.KEYS, keys.event_seal_key(event.event_id))
        raw = self._kv.get(Family.SESSIONS, keys.session_key(ref))
        if raw is not None:
            row = rows.unpack_session(raw)
            row.counts[event.event_type] = row.counts.get(event.event_type, 1) - 1
            row.forgotten += 1
            if row.first_prompt == event.event_id:
                row.first_prompt = ""
            batch.put(Family.SESSIONS, keys.session_key(ref), rows.pack_session(row))
        self._tell(batch, b"-", event.event_id)
        self._erase(batch)
        return Forgotten(events=1, sessions=0)

    def forget_session(self, ref: bytes, row: rows.SessionRow, *, now_ms: Millis) -> Forgotten:
        """Delete a session's key and the keys of its events; what is older than now stays away."""
        batch = Batch()
        batch.delete(Family.KEYS, keys.session_seal_key(ref))
        count = 0
        start, end = keys.session_event_range(ref)
        for key, _ in self._kv.scan(Family.SESSIONS, start, end):
            event_id = keys.event_id_of(keys.session_event_of(key))
            batch.delete(Family.KEYS, keys.event_seal_key(event_id))
            batch.delete(Family.SESSIONS, key)
            self._tell(batch, b"-", event_id)
            count += 1
        tombstone = rows.SessionRow(
            session_id=row.session_id,
            harness=row.harness,
            project=row.project,
            forgotten=row.forgotten + sum(row.counts.values()),
            forgotten_ms=now_ms,
        )
        batch.put(Family.SESSIONS, keys.session_key(ref), rows.pack_session(tombstone))
        self._session_keys.pop(ref, None)
        self._erase(batch)
        return Forgotten(events=count, sessions=1)

    def _erase(self, batch: Batch) -> None:
        self._kv.write(batch, sync=True)
        passing(CrashPoint.FORGET_KEY_DELETED)
        # A deleted row lives on in old files until they are merged: only then is it gone.
        self._kv.erase(Family.KEYS)

    def size_bytes(self) -> int:
        """Return what the store takes on disk."""
        return self._kv.size_bytes()

    def close(self) -> None:
        """Close the store."""
        self._kv.close()


def _count(session: rows.SessionRow, draft: Draft, event_id: EventId) -> None:
    at_ms = draft.timestamp_ms
    session.counts[draft.event_type] = session.counts.get(draft.event_type, 0) + 1
    session.first_ms = min(session.first_ms or at_ms, at_ms)
    session.last_ms = max(session.last_ms, at_ms)
    session.agent = session.agent or draft.agent
    session.working_directory = session.working_directory or _said(draft, "cwd")
    session.branch = _said(draft, "git_branch") or session.branch
    if draft.event_type is EventType.SESSION_END:
        session.ended_ms = max(session.ended_ms, at_ms)
    earlier = not session.first_prompt or at_ms < session.first_prompt_ms
    if draft.event_type is EventType.USER_MESSAGE and earlier:
        session.first_prompt = event_id
        session.first_prompt_ms = at_ms


def _said(draft: Draft, name: str) -> str:
    value = draft.metadata.get(name, "")
    return value if isinstance(value, str) else ""


def _event(event_id: EventId, at_ms: Millis, payload: rows.Payload) -> Event:
    return Event(
        event_id=event_id,
        session_id=payload.session_id,
        timestamp_ms=at_ms,
        event_type=EventType(payload.event_type),
        role=Role(payload.role),
        text=payload.text,
        harness=payload.harness,
        agent=payload.agent,
        project=payload.project,
        metadata=payload.metadata,
    )
