"""Whether every event can be opened: each row held against its key, as a reader would.

RocksDB's checksums say that a block is what was written. This says that what was written makes
sense: the key opens the payload, the payload is one, and the session knows of the event.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from agentx.conversation.store import rows
from agentx.conversation.store.sealing import unseal
from agentx.conversation.store.session_keys import SessionKeys
from agentx.host.kv import keys
from agentx.host.kv.port import Family, KeyValue, Row
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.errors import CorruptRecord, DataError
from agentx.kernel.ids import EventId, raw_ulid
from agentx.kernel.values import frozen

_PAGE_ROWS = 512


@frozen
class OpenedEvent:
    """An event's row, tried: its payload, or why there is none."""

    key: bytes
    row: bytes
    wrapped: bytes | None  # its key as it is kept, if it is
    session_key: bytes | None
    ref: bytes = b""
    payload: rows.Payload | None = None
    is_forgotten: bool = False
    fault: str = ""


@frozen
class LogSoundness:
    """How the events stand."""

    events: int
    forgotten: int
    broken: tuple[EventId, ...]  # the first few of those that cannot be opened
    broken_count: int
    unlisted: int  # readable, and not named by their session
    sessions_broken: int


class EventOpener:
    """Opens the events of a store, row by row, and says of each whether it can be read."""

    def __init__(self, kv: KeyValue) -> None:
        self._kv = kv
        self._keys = SessionKeys(kv)
        self._codec = rows.PayloadCodec()

    def open_page(self, page: list[Row]) -> Iterator[OpenedEvent]:
        """Yield each row of a page, opened."""
        wrapped = self._kv.get_many(Family.KEYS, [keys.event_seal_key_of(key) for key, _ in page])
        for (key, row), sealed_key in zip(page, wrapped, strict=True):
            yield self.open(key, row, sealed_key)

    def open(self, key: bytes, row: bytes, wrapped: bytes | None) -> OpenedEvent:
        """Return one row, opened."""
        try:
            event_id = keys.event_id_of(key)
            head, ref, sealed = rows.split_event(row)
        except DataError as error:
            return OpenedEvent(
                key=key, row=row, wrapped=wrapped, session_key=None, fault=error.message
            )
        session_key = self._keys.find(ref)
        raw = None if session_key is None else session_key.raw
        if wrapped is None or session_key is None:
            return OpenedEvent(
                key=key, row=row, wrapped=wrapped, session_key=raw, ref=ref, is_forgotten=True
            )
        payload, fault = None, ""
        try:
            opened = session_key.unwrap(wrapped, raw_ulid(event_id))
            payload = self._codec.unpack(unseal(sealed, key=opened, context=key + head))
        except CorruptRecord as error:
            fault = error.message
        return OpenedEvent(
            key=key,
            row=row,
            wrapped=wrapped,
            session_key=raw,
            ref=ref,
            payload=payload,
            fault=fault,
        )


def check_log(kv: KeyValue, *, named_max: int = 5, told: HowFar = unheard) -> LogSoundness:
    """Open every event and every session's row; `told` is heard after each page.

    Raises: CorruptRecord where a block cannot be read.
    """
    opener = EventOpener(kv)
    events = forgotten = broken_count = unlisted = 0
    broken: list[EventId] = []
    total = _count_events(kv)
    for page in pages(kv, Family.EVENTS, *keys.event_range()):
        opened = list(opener.open_page(page))
        known = [each for each in opened if each.payload is not None]
        places = [keys.session_event_head(each.ref) + each.key for each in known]
        unlisted += kv.get_many(Family.SESSIONS, places).count(None)
        for each in opened:
            events += 1
            forgotten += each.is_forgotten
            if each.fault:
                broken_count += 1
                if len(broken) < named_max:
                    broken.append(EventId(each.key.rpartition(b":")[2].decode("ascii", "replace")))
        told(events, max(events, total))
    return LogSoundness(
        events=events,
        forgotten=forgotten,
        broken=tuple(broken),
        broken_count=broken_count,
        unlisted=unlisted,
        sessions_broken=_count_broken_sessions(kv),
    )


def pages(kv: KeyValue, family: Family, start: bytes, end: bytes) -> Iterator[list[Row]]:
    """Yield the rows of a range in pages."""
    page: list[Row] = []
    for row in kv.scan(family, start, end):
        page.append(row)
        if len(page) == _PAGE_ROWS:
            yield page
            page = []
    if page:
        yield page


def _count_events(kv: KeyValue) -> int:
    """Return how many events there should be, as far as the rows of sessions can be read."""
    total = 0
    for _, raw in kv.scan(Family.SESSIONS, *keys.session_range()):
        with suppress(CorruptRecord):
            row = rows.unpack_session(raw)
            total += sum(row.counts.values()) + row.forgotten
    return total


def _count_broken_sessions(kv: KeyValue) -> int:
    broken = 0
    for _, raw in kv.scan(Family.SESSIONS, *keys.session_range()):
        try:
            rows.unpack_session(raw)
        except CorruptRecord:
            broken += 1
    return broken
