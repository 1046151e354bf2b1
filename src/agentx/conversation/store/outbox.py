"""What is new and what was forgotten, in the order it came: wakes the projections."""

from __future__ import annotations

from collections.abc import Sequence

from agentx.host.kv import keys
from agentx.host.kv.port import Batch, Family, KeyValue
from agentx.kernel.ids import EventId

_NEW, _FORGOTTEN = b"+", b"-"


def newest_sequence(kv: KeyValue) -> int:
    """Return the number of the newest entry; 0 where there is none."""
    newest = kv.scan(Family.OUTBOX, *keys.outbox_range(), reverse=True, limit=1)
    return max((keys.outbox_sequence_of(key) for key, _ in newest), default=0)


class Outbox:
    """Numbers the entries of one store. One thread at a time."""

    def __init__(self, kv: KeyValue) -> None:
        self._sequence = newest_sequence(kv)

    def tell_new(self, batch: Batch, event_ids: Sequence[EventId]) -> None:
        """Say that events are in the log."""
        self._tell(batch, _NEW, event_ids)

    def tell_forgotten(self, batch: Batch, event_ids: Sequence[EventId]) -> None:
        """Say that events were erased."""
        self._tell(batch, _FORGOTTEN, event_ids)

    def _tell(self, batch: Batch, sign: bytes, event_ids: Sequence[EventId]) -> None:
        first = self._sequence + 1
        self._sequence += len(event_ids)
        batch.put_all(
            Family.OUTBOX,
            [
                (keys.outbox_key(number), sign + event_id.encode())
                for number, event_id in enumerate(event_ids, first)
            ],
        )
