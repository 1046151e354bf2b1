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

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from agentx.conversation.model import Event, EventQuery, Forgotten, ForgottenName, Grave, Receipt
from agentx.conversation.store import rows
from agentx.conversation.store.appending import Appending
from agentx.conversation.store.fresh import FreshPayloads
from agentx.conversation.store.outbox import Outbox
from agentx.conversation.store.sealing import unseal
from agentx.conversation.store.session_keys import SessionKeys
from agentx.host.crash import CrashPoint, passing
from agentx.host.kv import keys
from agentx.host.kv.port import Batch, Family, KeyValue
from agentx.kernel.capture import Draft
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import Entropy, EventId, is_ulid, raw_ulid

if TYPE_CHECKING:
    from agentx.conversation.forgotten.spans import ForgottenSpan

Found = tuple[EventId, Event | None]

_PAGE_ROWS = 256
_NEWEST_ROWS = 2_000  # that are looked at for the newest sessions
_ERASING = keys.checkpoint_key("erasing-keys")  # keys were deleted that may still be on the disk


class LogStore:
    """Turns drafts into rows and rows into events. One thread at a time."""

    def __init__(
        self,
        kv: KeyValue,
        *,
        entropy: Entropy,
        bury: Callable[[Grave], None] = lambda _grave: None,
        barred: Callable[[Millis], Sequence[ForgottenSpan]] = lambda _since_ms: (),
    ) -> None:
        """Open the log; `bury` notes outside of the store what is forgotten, before it is.

        `barred` tells the spans that were forgotten and that reach beyond a time.
        """
        self._bury = bury
        self._barred = barred
        self._kv = kv
        self._entropy = entropy
        self._codec = rows.PayloadCodec()
        self._session_keys = SessionKeys(kv)
        self._outbox = Outbox(kv)
        self._fresh = FreshPayloads()

    def append(self, drafts: Sequence[Draft], *, project: str) -> Receipt:
        """Store what is new in one atomic batch; return after it is on disk."""
        oldest_ms = min((draft.timestamp_ms for draft in drafts), default=None)
        appending = Appending(
            self._kv,
            project=project,
            entropy=self._entropy,
            codec=self._codec,
            session_keys=self._session_keys,
            outbox=self._outbox,
            fresh=self._fresh,
            barred=() if oldest_ms is None else self._barred(oldest_ms),
        )
        return appending.run(drafts)

    # --- reading ----------------------------------------------------------------------------

    def beside(self) -> LogStore:
        """Return another one over the same rows, for who only reads and waits for no writer."""
        return LogStore(self._kv, entropy=self._entropy)

    def look_anew(self) -> None:
        """Know no key from before: by another one over these rows a session may be forgotten."""
        self._session_keys.clear()

    def get(self, event_id: EventId) -> Event | None:
        """Return one event, or None if there is none or it was forgotten."""
        key = keys.event_key_of(event_id)
        row = self._kv.get(Family.EVENTS, key)
        return None if row is None else next(self._open_found([(key, row)]))[1]

    def holds(self, event_id: EventId) -> bool:
        """Tell, without opening it, whether an event is there and was not forgotten."""
        key = keys.event_seal_key_of(keys.event_key_of(event_id))
        return self._kv.get(Family.KEYS, key) is not None

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
                yield from self._open_found(page)
                page = []
        yield from self._open_found(page)

    def scan_session(
        self, ref: bytes, start: bytes, end: bytes, *, reverse: bool = False
    ) -> Iterator[Found]:
        """Yield the events of one session within a range of event keys."""
        first, last = keys.session_event_span(ref, start, end)
        page: list[bytes] = []
        for key, _ in self._kv.scan(Family.SESSIONS, first, last, reverse=reverse):
            page.append(keys.session_event_of(key))
            if len(page) == _PAGE_ROWS:
                yield from self._fetch(page)
                page = []
        yield from self._fetch(page)

    def _fetch(self, wanted: list[bytes]) -> Iterator[Found]:
        found = self._kv.get_many(Family.EVENTS, wanted)
        yield from self._open_found(
            [(key, row) for key, row in zip(wanted, found, strict=True) if row is not None]
        )

    def _open_found(self, page: list[tuple[bytes, bytes]]) -> Iterator[Found]:
        parts = [keys.event_parts(key) for key, _ in page]
        wrapped = self._kv.get_many(Family.KEYS, [keys.event_seal_key_of(key) for key, _ in page])
        for (key, row), (at_ms, event_id), sealed_key in zip(page, parts, wrapped, strict=True):
            head, ref, sealed = rows.split_event(row)
            session_key = self._session_keys.find(ref)
            if sealed_key is None or session_key is None:
                yield event_id, None
                continue
            raw = self._fresh.take(key)
            if raw is not None:
                payload = rows.decode_payload(raw)
            else:
                event_key = session_key.unwrap(sealed_key, raw_ulid(event_id))
                payload = self._codec.unpack(unseal(sealed, key=event_key, context=key + head))
            yield event_id, _event(event_id, at_ms, payload)

    def session_rows(self, project: str) -> Iterator[tuple[bytes, rows.SessionRow]]:
        """Yield the reference and the row of every session of a project."""
        start, end = keys.session_range()
        for key, raw in self._kv.scan(Family.SESSIONS, start, end):
            row = rows.unpack_session(raw)
            if row.project == project:
                yield keys.session_ref_of(key), row

    def find_newest(
        self,
        project: str,
        limit: int,
        wants: Callable[[rows.SessionRow], bool],
        since_ms: Millis | None = None,
    ) -> list[rows.SessionRow] | None:
        """Return at least so many of the sessions wanted that have the newest events, if there are.

        The ends of the newest sessions lie close together at the end of the log. None where they
        do not: then it takes less to look at the row of every session.
        """
        start, end = keys.event_range(since_ms)
        met: set[bytes] = set()
        found: list[rows.SessionRow] = []
        looked = 0
        for key, raw in self._kv.scan(Family.EVENTS, start, end, reverse=True, limit=_NEWEST_ROWS):
            looked += 1
            _, ref, _ = rows.split_event(raw)
            if ref in met:
                continue
            met.add(ref)
            # Of several that end in the same moment all are to be known before some are chosen.
            if len(found) >= limit and keys.event_parts(key)[0] < found[limit - 1].last_ms:
                return found
            packed = self._kv.get(Family.SESSIONS, keys.session_key(ref))
            row = None if packed is None else rows.unpack_session(packed)
            if row is not None and row.project == project and wants(row):
                found.append(row)
        return found if looked < _NEWEST_ROWS else None

    def has_session(self, ref: bytes) -> bool:
        """Tell whether a session has events."""
        raw = self._kv.get(Family.SESSIONS, keys.session_key(ref))
        return raw is not None and any(rows.unpack_session(raw).counts.values())

    def projects(self) -> tuple[str, ...]:
        """Return every project that has a session here."""
        bounds = keys.session_range()
        rows_here = (rows.unpack_session(raw) for _, raw in self._kv.scan(Family.SESSIONS, *bounds))
        return tuple(sorted({row.project for row in rows_here}))

    # --- forgetting -------------------------------------------------------------------------

    def forget_events(self, events: Sequence[Event]) -> Forgotten:
        """Delete the keys of events, so that nobody can read them again."""
        batch = Batch()
        by_session: dict[bytes, list[Event]] = {}
        for event in events:
            ref = rows.session_ref(event.project, event.harness, event.session_id)
            by_session.setdefault(ref, []).append(event)
            batch.delete(Family.KEYS, keys.event_seal_key(event.event_id))
        for ref, gone in by_session.items():
            raw = self._kv.get(Family.SESSIONS, keys.session_key(ref))
            if raw is not None:
                row = _without(rows.unpack_session(raw), gone)
                batch.put(Family.SESSIONS, keys.session_key(ref), rows.pack_session(row))
        gone_ids = tuple(event.event_id for event in events)
        self._outbox.tell_forgotten(batch, gone_ids)
        self._bury(Grave(event_ids=gone_ids, names=self._names_of(events)))
        self._erase(batch)
        return Forgotten(events=len(events), sessions=0)

    def forget_session(self, ref: bytes, row: rows.SessionRow, *, now_ms: Millis) -> Forgotten:
        """Delete a session's key and the keys of its events; what is older than now stays away."""
        batch = Batch()
        batch.delete(Family.KEYS, keys.session_seal_key(ref))
        gone: list[EventId] = []
        start, end = keys.session_event_range(ref)
        for key, _ in self._kv.scan(Family.SESSIONS, start, end):
            event_id = keys.event_id_of(keys.session_event_of(key))
            batch.delete(Family.KEYS, keys.event_seal_key(event_id))
            batch.delete(Family.SESSIONS, key)
            gone.append(event_id)
        self._outbox.tell_forgotten(batch, gone)
        tombstone = rows.SessionRow(
            session_id=row.session_id,
            harness=row.harness,
            project=row.project,
            forgotten=row.forgotten + sum(row.counts.values()),
            forgotten_ms=now_ms,
        )
        batch.put(Family.SESSIONS, keys.session_key(ref), rows.pack_session(tombstone))
        self._session_keys.drop(ref)
        self._bury(
            Grave(
                event_ids=tuple(gone),
                session=ref,
                session_id=row.session_id,
                harness=row.harness,
                project=row.project,
                at_ms=now_ms,
            )
        )
        self._erase(batch)
        return Forgotten(events=len(gone), sessions=1)

    def finish_forgetting(self) -> None:
        """Erase what a process deleted that died before it was off the disk."""
        if self._kv.get(Family.CHECKPOINTS, _ERASING) is not None:
            self._erase_deleted()

    def _names_of(self, events: Sequence[Event]) -> tuple[ForgottenName, ...]:
        from agentx.conversation.store.reunion import find_names  # noqa: PLC0415  only who forgets

        return find_names(self._kv, events)

    def _erase(self, batch: Batch) -> None:
        self._fresh.clear()
        batch.put(Family.CHECKPOINTS, _ERASING, b"")
        self._kv.write(batch, sync=True)
        passing(CrashPoint.FORGET_KEY_DELETED)
        self._erase_deleted()

    def _erase_deleted(self) -> None:
        # A deleted row lives on in old files until they are merged: only then is it gone.
        self._kv.erase(Family.KEYS)
        done = Batch()
        done.delete(Family.CHECKPOINTS, _ERASING)
        self._kv.write(done)

    def size_bytes(self) -> int:
        """Return what the store takes on disk."""
        return self._kv.size_bytes()

    def close(self) -> None:
        """Close the store."""
        self._kv.close()


def _without(row: rows.SessionRow, gone: Iterable[Event]) -> rows.SessionRow:
    for event in gone:
        row.counts[event.event_type] = row.counts.get(event.event_type, 1) - 1
        row.forgotten += 1
        if row.first_prompt == event.event_id:
            row.first_prompt = ""
    return row


def _event(event_id: EventId, at_ms: Millis, payload: rows.Payload) -> Event:
    return Event(
        event_id=event_id,
        session_id=payload.session_id,
        timestamp_ms=at_ms,
        event_type=payload.event_type,
        role=payload.role,
        text=payload.text,
        harness=payload.harness,
        agent=payload.agent,
        project=payload.project,
        metadata=payload.metadata,
    )
