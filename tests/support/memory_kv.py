"""A key-value store in memory: the oracle of the one on disk, and quick."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from threading import RLock
from typing import assert_never

from agentx.host.kv.port import Batch, Change, Family, Row
from agentx.kernel.errors import UnavailableError


class MemoryStore:
    """A `KeyValue` that is gone when it is closed."""

    def __init__(self) -> None:
        self._rows: dict[Family, dict[bytes, bytes]] = {family: {} for family in Family}
        self._order: dict[Family, list[bytes]] = {family: [] for family in Family}
        self._lock = RLock()
        self._closed = False

    def get(self, family: Family, key: bytes) -> bytes | None:
        """Return a row's value."""
        with self._lock:
            return self._open(family).get(key)

    def get_many(self, family: Family, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of several rows, in the order of the keys."""
        with self._lock:
            rows = self._open(family)
            return [rows.get(key) for key in keys]

    def scan(
        self,
        family: Family,
        start: bytes,
        end: bytes,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[Row]:
        """Yield the rows with start <= key < end."""
        with self._lock:
            rows = self._open(family)
            keys = self._between(family, start, end)
            if reverse:
                keys.reverse()
            seen = [(key, rows[key]) for key in keys[:limit]]
        yield from seen

    def write(self, batch: Batch, *, sync: bool = True) -> None:
        """Apply a batch as a whole."""
        with self._lock:
            for change, family, pairs in batch.changes:
                for key, value in pairs:
                    self._apply(change, family, key, value)

    def erase(self, family: Family) -> None:
        """Do nothing: a deleted row is gone from memory at once."""
        with self._lock:
            self._open(family)

    def size_bytes(self) -> int:
        """Return the bytes of all keys and values."""
        with self._lock:
            return sum(
                len(key) + len(value)
                for family in Family
                for key, value in self._open(family).items()
            )

    def close(self) -> None:
        """Let go of the store."""
        self._closed = True

    def _apply(self, change: Change, family: Family, key: bytes, value: bytes) -> None:
        rows = self._open(family)
        match change:
            case Change.PUT:
                if key not in rows:
                    insort(self._order[family], key)
                rows[key] = value
            case Change.DELETE:
                self._drop(family, [key] if key in rows else [])
            case Change.DELETE_RANGE:
                self._drop(family, self._between(family, key, value))
            case _:
                assert_never(change)

    def _open(self, family: Family) -> dict[bytes, bytes]:
        if self._closed:
            raise UnavailableError("the store is closed", hint="open it again")
        return self._rows[family]

    def _between(self, family: Family, start: bytes, end: bytes) -> list[bytes]:
        order = self._order[family]
        return order[bisect_left(order, start) : bisect_left(order, end)]

    def _drop(self, family: Family, keys: list[bytes]) -> None:
        if not keys:
            return
        order = self._order[family]
        first = bisect_left(order, keys[0])
        del order[first : first + len(keys)]
        for key in keys:
            del self._rows[family][key]
