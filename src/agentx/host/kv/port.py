"""Ordered rows of bytes, in families, written in atomic batches: the port.

    store.write(batch)            all of it or nothing, across families; synced unless told not to
    store.scan(family, a, b)      rows with a <= key < b, in the order of their bytes

A scan sees its family as it was when its first row was asked for; what is written
meanwhile does not disturb it. RocksDB and the store
of the tests, in memory, pass one contract suite.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from typing import Final, Protocol

Row = tuple[bytes, bytes]


class Family(StrEnum):
    """The column families of a store."""

    EVENTS = "events"
    TOC_NODES = "toc_nodes"
    TOC_LATEST = "toc_latest"
    GRIPS = "grips"
    OUTBOX = "outbox"
    CHECKPOINTS = "checkpoints"
    SESSIONS = "sessions"
    IDENTITIES = "identities"
    KEYS = "keys"


class Change(StrEnum):
    """What a batch does to a row."""

    PUT = "put"
    DELETE = "delete"
    DELETE_RANGE = "delete_range"


class Batch:
    """Changes that happen together, in the order they were added."""

    __slots__ = ("changes",)

    def __init__(self) -> None:
        # Each is: what, where, and pairs: of key and value, or of a range's start and end.
        self.changes: Final[list[tuple[Change, Family, Collection[Row]]]] = []

    def put(self, family: Family, key: bytes, value: bytes) -> None:
        """Set a row."""
        self.changes.append((Change.PUT, family, ((key, value),)))

    def put_all(self, family: Family, rows: Collection[Row]) -> None:
        """Set many rows at once, in their order."""
        self.changes.append((Change.PUT, family, rows))

    def delete(self, family: Family, key: bytes) -> None:
        """Take a row away; one that is not there is no error."""
        self.changes.append((Change.DELETE, family, ((key, b""),)))

    def delete_range(self, family: Family, start: bytes, end: bytes) -> None:
        """Take away the rows with start <= key < end."""
        assert start <= end, "a range begins before it ends"
        self.changes.append((Change.DELETE_RANGE, family, ((start, end),)))

    def __len__(self) -> int:
        return sum(len(rows) for _, _, rows in self.changes)


class KeyValue(Protocol):
    """What the house asks of an ordered store."""

    def get(self, family: Family, key: bytes) -> bytes | None:
        """Return a row's value."""
        ...

    def get_many(self, family: Family, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of several rows, in the order of the keys."""
        ...

    def scan(
        self,
        family: Family,
        start: bytes,
        end: bytes,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[Row]:
        """Yield the rows with start <= key < end, smallest key first or, reversed, last.

        Raises: CorruptRecord where a damaged block is met: never a silently short answer.
        """
        ...

    def write(self, batch: Batch, *, sync: bool = True) -> None:
        """Apply a batch as a whole; with `sync`, return after it is on disk.

        Raises: UnavailableError when the disk refuses; nothing was applied then.
        """
        ...

    def erase(self, family: Family) -> None:
        """Make what was deleted from a family physically gone, from the write-ahead log too."""
        ...

    def size_bytes(self) -> int:
        """Return about how much room the store takes."""
        ...

    def close(self) -> None:
        """Let go of the store; twice is once."""
        ...
