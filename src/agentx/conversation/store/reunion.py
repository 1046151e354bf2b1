"""Events whose identity was lost meet their drafts again.

Without its identity an event would be stored a second time when its transcript is read again. A
draft that says the same in the same session, of the same kind, is that event; it gives it back its
identity.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.conversation.cleaning import clean
from agentx.conversation.identity import Occurrence, delivery_of, identity_within
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
            said = rows.session_ref_of(session), _print(cleaned.event_type, cleaned.text)
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
    if len(value) == _ULID_CHARS and value.isalnum():
        return (EventId(value.decode("ascii")),)
    return tuple(each.event_id for each in rows.unpack_occurrences(value))


_ULID_CHARS = 26
_LATER_MS = Millis(10**13 - 1)
