"""Rows out of a table file that RocksDB will not read: block by block, entry by entry.

A table begins with its data blocks, one after the other: entries of `shared, unshared, value
length` as varints, the rest of the key, the value; then the places where a key is spelled out, a
byte that says how the block is compressed, and a checksum. An index at the end says where blocks
begin, and that may be what is damaged: so blocks are found by what they look like. After damage
reading goes on at the next key that is spelled out.

No checksum is looked at here. Whoever takes these rows holds each against what it must be.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path

import zstandard

from agentx.kernel.values import frozen

_FRAME = b"\x28\xb5\x2f\xfd"  # how a compressed block goes on after its length
_FRAME_BYTES_MORE = 1024
_TRAILER_BYTES = 5
_KEY_BYTES_MAX = 512
_VALUE_BYTES_MAX = 256 * 1024 * 1024
_BLOCK_BYTES_MAX = 512 * 1024 * 1024
_PUT, _DELETED = 1, (0, 7)
_VARINT_BYTES_MAX = 5
_NO_SHARED = 0


@frozen(kw_only=False)
class TableRow:
    """A version of a row."""

    key: bytes
    sequence: int
    is_deleted: bool
    value: bytes


_Reading = Generator[TableRow, None, int | None]


def read_table(path: Path, prefixes: tuple[bytes, ...]) -> Iterator[TableRow]:
    """Yield every row that can be made out whose key begins like one of these."""
    raw = path.read_bytes()
    known = re.compile(b"|".join(map(re.escape, (*prefixes, _FRAME))))
    at = 0
    while at < len(raw):
        end = yield from _read_block(raw, at, prefixes)
        if end is None:
            end = _next_begin(raw, at + 1, known)
            if end is None:
                return
        at = end


def _read_block(raw: bytes, at: int, prefixes: tuple[bytes, ...]) -> _Reading:
    """Yield the rows of a block; return where it ends, or None where it is none."""
    size, begin = read_varint(raw, at)
    if raw[begin : begin + 4] == _FRAME and 0 < size <= _BLOCK_BYTES_MAX:
        unpacker = zstandard.ZstdDecompressor().decompressobj()
        packed = raw[begin : begin + size + _FRAME_BYTES_MORE]  # it would not be packed if larger
        try:
            block = unpacker.decompress(packed)
        except zstandard.ZstdError:
            return None
        if not unpacker.eof:
            return None
        yield from _read_entries(block, 0, prefixes)
        return begin + len(packed) - len(unpacker.unused_data) + _TRAILER_BYTES
    end = yield from _read_entries(raw, at, prefixes)
    return None if end is None else end + _TRAILER_BYTES


def _read_entries(raw: bytes, at: int, prefixes: tuple[bytes, ...]) -> _Reading:
    """Yield the rows from a spelled-out key on; return where the list of such places ends."""
    key = b""
    first = at
    while at < len(raw):
        if at > first and raw[at : at + 4] == bytes(4):
            return _after_restarts(raw, at)
        shared, begin = read_varint(raw, at)
        unshared, begin = read_varint(raw, begin)
        size, begin = read_varint(raw, begin)
        end = begin + unshared + size
        is_entry = shared <= len(key) and 8 <= shared + unshared <= _KEY_BYTES_MAX
        if not is_entry or size > _VALUE_BYTES_MAX or end > len(raw) or min(shared, unshared) < 0:
            return None
        key = key[:shared] + raw[begin : begin + unshared]
        packed = int.from_bytes(key[-8:], "little")
        name, kind = key[:-8], packed & 0xFF
        if not name.startswith(prefixes) or kind not in (_PUT, *_DELETED):
            return None
        yield TableRow(name, packed >> 8, kind in _DELETED, raw[begin + unshared : end])
        at = end
    return None


def _after_restarts(raw: bytes, at: int) -> int | None:
    """Return where a block's list of spelled-out keys ends: its last word counts the others."""
    before = -1
    count = 0
    while at + 4 <= len(raw):
        word = int.from_bytes(raw[at : at + 4], "little")
        at += 4
        # The places grow; the count, which comes last, is smaller than the last of them, except
        # where there is one place alone. Its highest bit says that a hash index follows no key.
        if count and word & 0x7FFFFFFF == count and (word <= before or count == 1):
            return at
        if word <= before:
            return None
        before, count = word, count + 1
    return None


def _next_begin(raw: bytes, at: int, known: re.Pattern[bytes]) -> int | None:
    """Return the next place from which a block, or the rest of one, may be read."""
    for found in known.finditer(raw, at):
        if found.group() == _FRAME:
            lengths: tuple[int, ...] = tuple(range(1, _VARINT_BYTES_MAX + 1))
        else:
            lengths = tuple(range(3, 3 + _VARINT_BYTES_MAX))
        for length in lengths:
            begin = found.start() - length
            if begin < at:
                break
            if found.group() == _FRAME:
                if read_varint(raw, begin)[1] == found.start():
                    return begin
            elif raw[begin] == _NO_SHARED and _header_end(raw, begin) == found.start():
                return begin
    return None


def _header_end(raw: bytes, at: int) -> int:
    for _ in range(3):
        _, at = read_varint(raw, at)
    return at


def read_varint(raw: bytes, at: int) -> tuple[int, int]:
    """Return a number and where it ends; -1 where there is none."""
    value = 0
    for index in range(_VARINT_BYTES_MAX):
        if at + index >= len(raw):
            return -1, at
        byte = raw[at + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, at + index + 1
    return -1, at
