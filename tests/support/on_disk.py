"""Which files hold a word, with every compressed block opened: those of RocksDB and of Tantivy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import zstandard

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def on_disk(folder: Path, word: str) -> list[str]:
    """Return the files below a folder that hold a word."""
    wanted = word.casefold().encode()
    return [
        path.name
        for path in sorted(folder.rglob("*"))
        if path.is_file() and any(wanted in piece.lower() for piece in _pieces(path))
    ]


def _pieces(path: Path) -> Iterator[bytes]:
    raw = path.read_bytes()
    yield raw
    yield from _opened_zstd(raw)
    if path.suffix == ".store":
        for block in _opened_lz4(raw):
            yield block
            yield from _opened_zstd(block)


def _opened_zstd(raw: bytes) -> Iterator[bytes]:
    at = raw.find(_ZSTD_MAGIC)
    while at >= 0:
        with suppress(zstandard.ZstdError):  # four bytes that only look like a block
            yield zstandard.ZstdDecompressor().decompressobj().decompress(raw[at:])
        at = raw.find(_ZSTD_MAGIC, at + 4)


def _opened_lz4(raw: bytes) -> Iterator[bytes]:
    """Yield the blocks of a store of documents: each begins with its size when it is opened."""
    at = 0
    with suppress(IndexError):
        while at + 4 < len(raw):
            size = int.from_bytes(raw[at : at + 4], "little")
            block, at = _open_block(raw, at + 4, size)
            if len(block) != size or not size:
                return
            yield block


def _open_block(raw: bytes, at: int, size: int) -> tuple[bytes, int]:
    made = bytearray()
    while True:
        token = raw[at]
        count, at = _length(raw, at + 1, token >> 4)
        made += raw[at : at + count]
        at += count
        if len(made) >= size:
            return bytes(made), at
        back = raw[at] | raw[at + 1] << 8
        count, at = _length(raw, at + 2, token & 15)
        if not back or back > len(made):
            raise IndexError(at)
        for _ in range(count + 4):
            made.append(made[-back])


def _length(raw: bytes, at: int, count: int) -> tuple[int, int]:
    if count == 15:
        while raw[at] == 255:
            count, at = count + 255, at + 1
        count, at = count + raw[at], at + 1
    return count, at
