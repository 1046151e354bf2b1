"""Rows out of a write-ahead log that RocksDB will not read: record by record, batch by batch.

The file is blocks of 32 KB; a record is `checksum, length, kind` and a part of a batch; a batch is
`sequence, count` and its changes. A part that is gone takes its batch with it, or the rest of it;
those after it are read. As in `tables`, no checksum is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentx.host.kv.tables import TableRow, read_varint

_BLOCK_BYTES = 32 * 1024
_HEAD_BYTES, _RECYCLED_HEAD_BYTES = 7, 11
_RECYCLED = 4  # kinds from 5 on are the same, with the number of the log behind
_WHOLE, _FIRST, _MIDDLE, _LAST = _KINDS = (1, 2, 3, 4)
_BATCH_HEAD_BYTES = 12
_DELETION, _VALUE, _OF_FAMILY_DELETION, _OF_FAMILY_VALUE = 0, 1, 4, 5
_OF_FAMILY = frozenset({_OF_FAMILY_DELETION, _OF_FAMILY_VALUE, 8, 14})
_WITHOUT_VALUE = frozenset({_DELETION, _OF_FAMILY_DELETION, 7, 8})
_OF_VALUES = frozenset({_VALUE, _OF_FAMILY_VALUE})
_RANGES = frozenset({14, 15})
_NOTHING = 13


def read_write_ahead(path: Path, prefixes: tuple[bytes, ...]) -> Iterator[TableRow]:
    """Yield every change that can be made out to a row whose key begins like one of these."""
    for batch in _batches(path.read_bytes()):
        yield from (row for row in _changes(batch) if row.key.startswith(prefixes))


def _batches(raw: bytes) -> Iterator[bytes]:
    parts: list[bytes] = []
    for begin in range(0, len(raw), _BLOCK_BYTES):
        for kind, part in _records(raw[begin : begin + _BLOCK_BYTES]):
            if kind in (_WHOLE, _FIRST):
                if parts:
                    yield b"".join(parts)  # its end is gone: what there is of it
                parts = [part]
            else:
                parts.append(part)
            if kind in (_WHOLE, _LAST):
                yield b"".join(parts)
                parts = []
    if parts:
        yield b"".join(parts)


def _records(block: bytes) -> Iterator[tuple[int, bytes]]:
    at = before = 0
    is_astray = False
    while at + _HEAD_BYTES <= len(block):
        size = int.from_bytes(block[at + 4 : at + 6], "little")
        kind = block[at + 6]
        head = _RECYCLED_HEAD_BYTES if kind > _RECYCLED else _HEAD_BYTES
        kind = kind - _RECYCLED if kind > _RECYCLED else kind
        part = block[at + head : at + head + size]
        is_record = kind in _KINDS and len(part) == size
        if not is_record or (is_astray and not _is_begin(kind, size, part)):
            # The length of the record before may be what led astray.
            at = at + 1 if is_astray else before + 1
            is_astray = True
            continue
        is_astray = False
        yield kind, part
        before = at
        at += head + size


def _is_begin(kind: int, size: int, part: bytes) -> bool:
    """Tell whether this is the first part of a batch, after reading went astray."""
    if kind not in (_WHOLE, _FIRST) or len(part) != size:
        return False
    count = int.from_bytes(part[8:_BATCH_HEAD_BYTES], "little")
    changes = sum(1 for _ in _changes(part))
    return changes == count > 0 if kind == _WHOLE else 0 < changes <= count


def _changes(batch: bytes) -> Iterator[TableRow]:
    sequence = int.from_bytes(batch[:8], "little")
    at = _BATCH_HEAD_BYTES
    while at < len(batch):
        kind = batch[at]
        at += 1
        if kind == _NOTHING:
            continue
        if kind in _OF_FAMILY:
            _, at = read_varint(batch, at)
        key, at = _text(batch, at)
        if key is None:
            return
        value: bytes | None = b""
        if kind in _OF_VALUES or kind in _RANGES:
            value, at = _text(batch, at)
        elif kind not in _WITHOUT_VALUE:
            return
        if value is None:
            return
        if kind not in _RANGES:
            yield TableRow(key, sequence, kind in _WITHOUT_VALUE, value)
        sequence += 1


def _text(batch: bytes, at: int) -> tuple[bytes | None, int]:
    size, begin = read_varint(batch, at)
    if size < 0 or begin + size > len(batch):
        return None, at
    return batch[begin : begin + size], begin + size
