"""One append: drafts become the rows of one atomic batch.

What the drafts of a session share (its row, its key, how its rows' keys begin) is
read, hashed and built once a batch, because an import brings thousands of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from agentx.conversation.identity import Occurrence, delivery_of, identity_within, judge
from agentx.conversation.model import Receipt
from agentx.conversation.store import rows
from agentx.conversation.store.fresh import FreshPayloads
from agentx.conversation.store.outbox import Outbox
from agentx.conversation.store.sealing import SessionKey, new_key, seal
from agentx.conversation.store.session_keys import SessionKeys
from agentx.host.crash import CrashPoint, passing
from agentx.host.kv import keys
from agentx.host.kv.port import Batch, Family, KeyValue, Row
from agentx.kernel.capture import Draft, EventType
from agentx.kernel.ids import ULID_RANDOM_BYTES, Entropy, EventId, spell, ulid, ulid_raw

if TYPE_CHECKING:
    from agentx.conversation.forgotten.spans import ForgottenSpan

_HALF_OF_RANDOM = (1 << (8 * ULID_RANDOM_BYTES - 1)) - 1


@dataclass(slots=True, kw_only=True)
class _Session:
    """A session as one append sees it."""

    spelled: str  # project, harness and session: what identities begin with
    ref: bytes
    is_known: bool  # it has a row on disk
    row: rows.SessionRow
    head: bytes  # of an event's row
    listing: bytes  # of the keys that list its events
    key: SessionKey | None
    key_is_new: bool = False


class Appending:
    """What one append has gathered so far, before it is written."""

    def __init__(
        self,
        kv: KeyValue,
        *,
        project: str,
        entropy: Entropy,
        codec: rows.PayloadCodec,
        session_keys: SessionKeys,
        outbox: Outbox,
        fresh: FreshPayloads,
        barred: Sequence[ForgottenSpan] = (),
    ) -> None:
        self._kv = kv
        self._project = project
        self._entropy = entropy
        self._codec = codec
        self._session_keys = session_keys
        self._outbox = outbox
        self._fresh = fresh
        self._barred = barred
        self._events: list[Row] = []
        self._payloads: list[Row] = []
        self._event_keys: list[Row] = []
        self._listed: list[Row] = []
        self._changed: dict[bytes, bytes] = {}  # identities
        self._sessions: dict[tuple[str, str], _Session] = {}
        self._identities: dict[bytes, bytes] = {}
        self._newest: dict[int, int] = {}  # by millisecond: the entropy used last
        self._stored: list[EventId] = []
        self._duplicates = 0
        self._forgotten = 0

    def run(self, drafts: Sequence[Draft]) -> Receipt:
        """Store what is new; return after it is on disk."""
        sessions = [self._session(draft) for draft in drafts]
        identities = [
            keys.identity_key(identity_within(session.spelled, draft))
            for session, draft in zip(sessions, drafts, strict=True)
        ]
        # The events of a session come with its row: where there is none, all of them are new.
        asked = (key for key, session in zip(identities, sessions, strict=True) if session.is_known)
        self._look_up(list(dict.fromkeys(asked)))
        for session, draft, identity in zip(sessions, drafts, identities, strict=True):
            if draft.timestamp_ms <= session.row.forgotten_ms:
                self._forgotten += 1
            elif draft.source_id:
                self._take_named(session, draft, identity)
            else:
                self._take_alike(session, draft, identity)
        if self._stored or self._duplicates:
            self._write()
        return Receipt(
            stored=tuple(self._stored), duplicates=self._duplicates, forgotten=self._forgotten
        )

    def _look_up(self, identities: list[bytes]) -> None:
        found = self._kv.get_many(Family.IDENTITIES, identities)
        for identity, value in zip(identities, found, strict=True):
            if value is not None:
                self._identities[identity] = value

    def _take_named(self, session: _Session, draft: Draft, identity: bytes) -> None:
        if identity in self._identities:
            self._duplicates += 1
        elif self._is_barred(draft):
            self._forgotten += 1
        else:
            self._identify(identity, self._add(session, draft).encode())

    def _take_alike(self, session: _Session, draft: Draft, identity: bytes) -> None:
        known = self._identities.get(identity)
        occurrences = rows.unpack_occurrences(known) if known is not None else ()
        verdict = judge(draft, occurrences, last_ms=session.row.last_ms)
        if verdict.known is not None:
            self._duplicates += 1
            if verdict.occurrences is not None:
                self._identify(identity, rows.pack_occurrences(verdict.occurrences))
            return
        if self._is_barred(draft):
            self._forgotten += 1
            return
        event_id = self._add(session, draft)
        seen = Occurrence(event_id=event_id, deliveries=(delivery_of(draft),))
        self._identify(identity, rows.pack_occurrences((*occurrences, seen)))

    def _is_barred(self, draft: Draft) -> bool:
        return any(span.covers(draft, project=self._project) for span in self._barred)

    def _identify(self, identity: bytes, value: bytes) -> None:
        self._identities[identity] = self._changed[identity] = value

    def _add(self, session: _Session, draft: Draft) -> EventId:
        at_ms = draft.timestamp_ms
        randomness = self._randomness(at_ms)
        event_id = EventId(ulid(at_ms, randomness))
        key, seal_key, listed = keys.new_event_keys(at_ms, event_id, session.listing)
        payload = rows.Payload(
            session_id=draft.session_id,
            event_type=draft.event_type,
            role=draft.role,
            text=draft.text,
            harness=draft.harness,
            agent=draft.agent,
            project=self._project,
            metadata=draft.metadata,
        )
        event_key = new_key(self._entropy)
        raw = rows.encode_payload(payload)
        sealed = seal(self._codec.pack(raw), key=event_key, context=key + session.head)
        wrapped = self._key_of(session).wrap(event_key, ulid_raw(at_ms, randomness))
        self._events.append((key, session.head + sealed))
        self._payloads.append((key, raw))
        self._event_keys.append((seal_key, wrapped))
        self._listed.append((listed, b""))
        self._stored.append(event_id)
        count_event(session.row, draft, at_ms, event_id)
        return event_id

    def _randomness(self, at_ms: int) -> bytes:
        """Return entropy that grows within a millisecond: what came in order stays in order."""
        before = self._newest.get(at_ms)
        if before is None:
            fresh = int.from_bytes(self._entropy(ULID_RANDOM_BYTES))
            grown = fresh & _HALF_OF_RANDOM  # room to grow
        else:
            grown = before + 1
        self._newest[at_ms] = grown
        return grown.to_bytes(ULID_RANDOM_BYTES)

    def _write(self) -> None:
        batch = Batch()
        batch.put_all(Family.EVENTS, self._events)
        batch.put_all(Family.KEYS, self._event_keys)
        batch.put_all(Family.SESSIONS, self._listed)
        batch.put_all(Family.IDENTITIES, self._changed.items())
        self._outbox.tell_new(batch, self._stored)
        for session in self._sessions.values():
            ref, row = session.ref, session.row
            if row.counts or row.forgotten_ms:
                batch.put(Family.SESSIONS, keys.session_key(ref), rows.pack_session(row))
            if session.key_is_new and session.key is not None:
                batch.put(Family.KEYS, keys.session_seal_key(ref), session.key.raw)
        passing(CrashPoint.LOG_BEFORE_WRITE)
        self._kv.write(batch, sync=True)
        passing(CrashPoint.LOG_AFTER_WRITE)
        self._fresh.keep(self._payloads)
        for session in self._sessions.values():
            if session.key is not None:
                self._session_keys.remember(session.ref, session.key)

    def _session(self, draft: Draft) -> _Session:
        name = (draft.harness, draft.session_id)
        known = self._sessions.get(name)
        if known is None:
            known = self._sessions[name] = self._open_session(draft)
        return known

    def _open_session(self, draft: Draft) -> _Session:
        session = spell(self._project, draft.harness, draft.session_id)
        ref = rows.session_ref_of(session)
        raw = self._kv.get(Family.SESSIONS, keys.session_key(ref))
        return _Session(
            spelled=session,
            ref=ref,
            is_known=raw is not None,
            row=rows.unpack_session(raw)
            if raw is not None
            else rows.SessionRow(
                session_id=draft.session_id, harness=draft.harness, project=self._project
            ),
            head=rows.event_head(ref),
            listing=keys.session_event_head(ref),
            key=self._session_keys.find(ref),
        )

    def _key_of(self, session: _Session) -> SessionKey:
        if session.key is None:
            session.key = SessionKey(new_key(self._entropy))
            session.key_is_new = True
        return session.key


class Counted(Protocol):
    """What of an event its session's row tells: of a draft, or of a payload."""

    @property
    def event_type(self) -> EventType: ...
    @property
    def agent(self) -> str: ...
    @property
    def metadata(self) -> dict[str, Any]: ...


def count_event(row: rows.SessionRow, event: Counted, at_ms: int, event_id: EventId) -> None:
    """Let a session's row tell of one more event."""
    kind = event.event_type
    row.counts[kind] = row.counts.get(kind, 0) + 1
    row.first_ms = min(row.first_ms or at_ms, at_ms)
    row.last_ms = max(row.last_ms, at_ms)
    row.agent = event.agent or row.agent  # it may have been set while the session ran
    row.working_directory = row.working_directory or _read_field(event, "cwd")
    row.branch = _read_field(event, "git_branch") or row.branch
    if kind is EventType.SESSION_END:
        row.ended_ms = max(row.ended_ms, at_ms)
    earlier = not row.first_prompt or at_ms < row.first_prompt_ms
    if kind is EventType.USER_MESSAGE and earlier:
        row.first_prompt = event_id
        row.first_prompt_ms = at_ms


def _read_field(event: Counted, name: str) -> str:
    value = event.metadata.get(name, "")
    return value if isinstance(value, str) else ""
