"""Events whose identity was lost meet their drafts again.

Without its identity an event would be stored a second time when its transcript is read again. A
draft that says the same in the same session, of the same kind, is that event; it gives it back its
identity. An event that was forgotten keeps its identity for ever: in a log, and in any that is laid
in its place, it is what tells a transcript that this is not wanted any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from agentx.conversation.cleaning import clean
from agentx.conversation.identity import Occurrence, delivery_of, identity_within
from agentx.conversation.model import Event, ForgottenName
from agentx.conversation.store import rows
from agentx.conversation.store.soundness import EventOpener, pages
from agentx.host.kv import keys
from agentx.host.kv.port import Batch, Family, KeyValue
from agentx.kernel.capture import Draft, text_print
from agentx.kernel.clock import Millis
from agentx.kernel.ids import EventId, spell

_Said = tuple[bytes, str]  # a session, and what was said in it


class Reunion:
    """The events of a store that have no identity."""

    def __init__(self, kv: KeyValue) -> None:
        self._kv = kv
        self._nameless: dict[_Said, list[EventId]] = {}
        named = find_named_events(kv)
        opener = EventOpener(kv)
        for page in pages(kv, Family.EVENTS, *keys.event_range()):
            for each in opener.open_page(page):
                event_id = keys.event_id_of(each.key)
                if each.payload is not None and event_id not in named:
                    said = each.ref, _print(each.payload.event_type, each.payload.text)
                    self._nameless.setdefault(said, []).append(event_id)

    @property
    def is_over(self) -> bool:
        """Whether every event has its identity."""
        return not self._nameless

    def admit(self, drafts: Iterable[Draft], *, project: str) -> list[Draft]:
        """Return the drafts that are no event here; the others give theirs its identity back."""
        left: list[Draft] = []
        batch = Batch()
        for draft in drafts:
            cleaned = clean(draft, now_ms=_LATER_MS)  # its time does not matter here
            session = spell(project, cleaned.harness, cleaned.session_id)
            identity = keys.identity_key(identity_within(session, cleaned))
            said = self._find_said(rows.session_ref_of(session), cleaned)
            waiting = self._nameless.get(said)
            if waiting is None or self._kv.get(Family.IDENTITIES, identity) is not None:
                left.append(draft)
                continue
            event_id = waiting.pop(0)
            if not waiting:
                del self._nameless[said]
            met = Occurrence(event_id=event_id, deliveries=(delivery_of(cleaned),))
            value = event_id.encode() if cleaned.source_id else rows.pack_occurrences((met,))
            batch.put(Family.IDENTITIES, identity, value)
        if len(batch):
            self._kv.write(batch)
        return left

    def _find_said(self, ref: bytes, draft: Draft) -> _Said:
        """Return under what the event of a draft waits, which an older version may have named."""
        own = ref, _print(draft.event_type, draft.text)
        before = ref, _print(draft.known_as or draft.event_type, draft.text)
        return own if own in self._nameless else before


def _print(event_type: str, text: str) -> str:
    return event_type + text_print(text)


def find_named_events(kv: KeyValue) -> set[EventId]:
    """Return every event that an identity names."""
    found: set[EventId] = set()
    for _, value in kv.scan(Family.IDENTITIES, *keys.identity_range()):
        found.update(events_of(value))
    return found


def events_of(value: bytes) -> tuple[EventId, ...]:
    """Return the events that the value of an identity names.

    Raises: CorruptRecord.
    """
    if _is_single(value):
        return (EventId(value.decode("ascii")),)
    return tuple(each.event_id for each in rows.unpack_occurrences(value))


def find_names(kv: KeyValue, events: Sequence[Event]) -> tuple[ForgottenName, ...]:
    """Return the identities of some events, to be kept where the log is not."""
    wanted = {event.event_id: event for event in events}
    found: list[ForgottenName] = []
    for key, value in kv.scan(Family.IDENTITIES, *keys.identity_range()):
        gone = tuple(each for each in events_of(value) if each in wanted)
        if gone:
            event = wanted[gone[0]]
            found.append(
                ForgottenName(
                    identity=key.decode("ascii"),
                    value=value,
                    event_ids=gone,
                    session_id=event.session_id,
                    harness=event.harness,
                    project=event.project,
                )
            )
    return tuple(found)


def name_again(kv: KeyValue, names: Sequence[ForgottenName]) -> None:
    """Let a log know the identities of forgotten events that it may never have held."""
    gone = {event_id for name in names for event_id in name.event_ids}
    missing: Counter[bytes] = Counter()
    rows_of: dict[bytes, rows.SessionRow] = {}
    identities: dict[bytes, bytes] = {}
    for name in names:
        key = name.identity.encode("ascii")
        before = identities.get(key) or kv.get(Family.IDENTITIES, key)
        identities[key] = _merge(kv, before, name.value, gone)
        ref = rows.session_ref(name.project, name.harness, name.session_id)
        missing[ref] += len(name.event_ids)
        rows_of[ref] = rows.SessionRow(
            session_id=name.session_id, harness=name.harness, project=name.project
        )
    batch = Batch()
    batch.put_all(Family.IDENTITIES, identities.items())
    for ref, row in rows_of.items():
        # Identities are asked only in sessions that have a row.
        if kv.get(Family.SESSIONS, keys.session_key(ref)) is None:
            row.forgotten = missing[ref]
            batch.put(Family.SESSIONS, keys.session_key(ref), rows.pack_session(row))
    if len(batch):
        kv.write(batch, sync=True)


def _merge(kv: KeyValue, before: bytes | None, value: bytes, gone: set[EventId]) -> bytes:
    """Return an identity's row with the events of another that are forgotten, or still here."""
    if _is_single(value):
        return before or value
    here = () if before is None else rows.unpack_occurrences(before)
    known = {each.event_id for each in here}
    more = tuple(
        each
        for each in rows.unpack_occurrences(value)
        if each.event_id not in known
        and (each.event_id in gone or kv.get(Family.EVENTS, keys.event_key_of(each.event_id)))
    )
    return rows.pack_occurrences((*here, *more))


def _is_single(value: bytes) -> bool:
    return len(value) == _ULID_CHARS and value.isalnum()


_ULID_CHARS = 26
_LATER_MS = Millis(10**13 - 1)
