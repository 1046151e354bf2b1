"""Payloads that were just written, as they were before they were sealed.

Whoever follows the log reads next what came last: so that need not be opened, decrypted and
unpacked again. Each is handed out once, and what is forgotten is let go. Who reads asks the store
all the same whether an event is there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from agentx.conversation.limits import FRESH_BYTES_MAX
from agentx.host.kv.port import Row


class FreshPayloads:
    """Some of the newest payloads by the keys of their rows; bounded."""

    def __init__(self) -> None:
        self._held: OrderedDict[bytes, bytes] = OrderedDict()
        self._bytes = 0

    def keep(self, written: Iterable[Row]) -> None:
        """Hold payloads that are on disk; the oldest go where there are too many."""
        for key, raw in written:
            self._held[key] = raw
            self._bytes += len(raw)
        while self._bytes > FRESH_BYTES_MAX:
            self._bytes -= len(self._held.popitem(last=False)[1])

    def take(self, key: bytes) -> bytes | None:
        """Return a payload, the first time it is asked for."""
        raw = self._held.pop(key, None)
        if raw is not None:
            self._bytes -= len(raw)
        return raw

    def clear(self) -> None:
        """Let go of all."""
        self._held.clear()
        self._bytes = 0
