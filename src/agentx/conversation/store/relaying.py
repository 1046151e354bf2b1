"""The log laid again around its events: who they belong to, in which order they came.

What opens an event proves it, so events and keys are taken as they are found. The rows that only
say where an event stands (sessions, their lists, the outbox) are made from them; of an old session
row that can still be read, what the events do not tell is kept: that and when it was forgotten.

The outbox begins anew, so every view of the log must be made from nothing afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from agentx.conversation.store import rows
from agentx.conversation.store.appending import count_event
from agentx.conversation.store.outbox import Outbox
from agentx.conversation.store.soundness import EventOpener, OpenedEvent, pages
from agentx.host.kv import keys
from agentx.host.kv.port import Batch, Family, KeyValue
from agentx.kernel.clock import Millis
from agentx.kernel.errors import CorruptRecord
from agentx.kernel.ids import EventId, is_ulid, ulid_ms
from agentx.kernel.values import frozen

_CAPTURES = "observe/"
_OPEN_NOTES = ("|sequence", "|wait/")
_SESSIONS_NAMED_MAX = 20
_MADE_ANEW = (
    Family.SESSIONS,
    Family.OUTBOX,
    Family.TOC_NODES,
    Family.TOC_LATEST,
    Family.GRIPS,
)


@frozen
class LostEvents:
    """Events that were there and cannot be brought back from the store."""

    count: int = 0
    first_ms: Millis | None = None
    last_ms: Millis | None = None
    sessions: tuple[str, ...] = ()  # the first of those that are known


@frozen
class RelaidLog:
    """A log that was laid again."""

    events: int  # that can be read
    sessions: int
    closed: int  # sealed for good: forgotten, or their key is gone
    lost: LostEvents


def relay_log(
    kv: KeyValue,
    sessions: Mapping[bytes, rows.SessionRow],
    known: Mapping[EventId, bytes],
    *,
    keeps_views: bool = False,
    is_backup: bool = False,
) -> RelaidLog:
    """Lay the log again in a store that holds its events, keys and identities.

    `sessions` are the old rows, as far as there are any; `known` is every event that was ever
    named, with the reference of its session where that was said. `keeps_views` leaves outbox and
    table of contents as they are: for a log of which nothing is lost. In one from a backup an event
    without its key was forgotten, whatever its session says.
    """
    _clear(kv, (Family.SESSIONS,) if keeps_views else _MADE_ANEW)
    outbox = Outbox(kv)
    forgetting = {ref for ref, row in sessions.items() if row.forgotten or row.forgotten_ms}
    opener = EventOpener(kv)
    made: dict[bytes, rows.SessionRow] = {}
    lost = dict(known)
    events = closed = 0
    for page in pages(kv, Family.EVENTS, *keys.event_range()):
        batch = Batch()
        opened = list(opener.open_page(page))
        for each in opened:
            if each.fault or (each.is_forgotten and not is_backup and each.ref not in forgetting):
                # Nobody ever forgot anything there: it is its key that is lost.
                batch.delete(Family.EVENTS, each.key)
                if keys.is_event_key(each.key):
                    lost[keys.event_id_of(each.key)] = each.ref
                continue
            lost.pop(keys.event_id_of(each.key), None)
            closed += each.is_forgotten
            if each.payload is not None:
                events += 1
                batch.put(Family.SESSIONS, keys.session_event_head(each.ref) + each.key, b"")
                _count(made, each)
        told = [keys.event_id_of(each.key) for each in opened if each.payload is not None]
        if not keeps_views:
            outbox.tell_new(batch, told)
        kv.write(batch, sync=False)
    _write_sessions(kv, made, sessions)
    named = {ref: row.session_id for ref, row in {**made, **sessions}.items()}
    return RelaidLog(events=events, sessions=len(made), closed=closed, lost=_describe(lost, named))


def _clear(kv: KeyValue, families: Collection[Family]) -> None:
    """Take away what is made anew; with the outbox, also what speaks of the old one."""
    batch = Batch()
    for family in families:
        batch.delete_range(family, b"", b"\xff" * 8)
    notes = kv.scan(Family.CHECKPOINTS, *keys.checkpoint_range())
    for key, _ in notes if Family.OUTBOX in families else ():
        name = keys.checkpoint_name_of(key)
        if not name.startswith(_CAPTURES) or any(note in name for note in _OPEN_NOTES):
            batch.delete(Family.CHECKPOINTS, key)
    kv.write(batch)


def _count(made: dict[bytes, rows.SessionRow], each: OpenedEvent) -> None:
    payload = each.payload
    assert payload is not None, "only what was opened is counted"
    at_ms, event_id = keys.event_parts(each.key)
    row = made.get(each.ref)
    if row is None:
        row = made[each.ref] = rows.SessionRow(
            session_id=payload.session_id, harness=payload.harness, project=payload.project
        )
    count_event(row, payload, at_ms, event_id)


def _write_sessions(
    kv: KeyValue, made: Mapping[bytes, rows.SessionRow], old: Mapping[bytes, rows.SessionRow]
) -> None:
    batch = Batch()
    for ref in {*made, *old}:
        row, before = made.get(ref), old.get(ref)
        if row is None:
            assert before is not None, "it is one or the other"
            before.counts = {}
            row = before
        elif before is not None:
            row.forgotten, row.forgotten_ms = before.forgotten, before.forgotten_ms
            row.agent = before.agent or row.agent
            row.branch = before.branch or row.branch
            row.working_directory = before.working_directory or row.working_directory
        batch.put(Family.SESSIONS, keys.session_key(ref), rows.pack_session(row))
    kv.write(batch)


def _describe(lost: Mapping[EventId, bytes], sessions: Mapping[bytes, str]) -> LostEvents:
    times = [ulid_ms(each) for each in lost if is_ulid(each)]
    names: Collection[str] = dict.fromkeys(
        sessions[ref] for ref in lost.values() if ref in sessions
    )
    return LostEvents(
        count=len(lost),
        first_ms=min(times, default=None),
        last_ms=max(times, default=None),
        sessions=tuple(names)[:_SESSIONS_NAMED_MAX],
    )


def read_sessions(kv: KeyValue) -> dict[bytes, rows.SessionRow]:
    """Return the rows of sessions that can be read, by their references."""
    found: dict[bytes, rows.SessionRow] = {}
    for key, raw in kv.scan(Family.SESSIONS, *keys.session_range()):
        try:
            found[keys.session_ref_of(key)] = rows.unpack_session(raw)
        except CorruptRecord:
            continue
    return found


def drop_stray_keys(kv: KeyValue) -> None:
    """Take away the keys of events that are not here."""
    batch = Batch()
    for key, _ in kv.scan(Family.KEYS, *keys.event_seal_range()):
        name = key[4:].decode("ascii", "replace")
        if not is_ulid(name) or kv.get(Family.EVENTS, keys.event_key_of(name)) is None:
            batch.delete(Family.KEYS, key)
    kv.write(batch)
