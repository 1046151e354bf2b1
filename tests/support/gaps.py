"""Gaps in memory that is shared with forked processes, filled before they begin.

What a forked process writes to is copied first, a page at a time. Much of what an import leaves is
free again, in thousands of gaps between what stays: a process would put what it makes into these,
and have a page copied for every few words. Where there is no gap it takes new memory, in one piece.
And a fork copies the list of all pages, which is short where they are large.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

# Of the C library: from what it gives back to the system down to the smallest that it hands out.
_BLOCKS = (65_536, 32_768, 16_384, 8_192, 4_096, 2_048, *range(1_032, 8, -16))
_BLOCKS_MAX = 200_000
# Of Python: objects of up to so many bytes lie beside those of their size, in pools.
_SMALL_BYTES = range(16, 513, 16)
_POOL_BYTES = 16_384
_TEXT_BYTES = sys.getsizeof(b"")

_LARGE_BYTES = 2 << 20
_ADVICE = 14, 25  # MADV_HUGEPAGE of <sys/mman.h>, and MADV_COLLAPSE: at once

_fillings: list[object] = []


def fill_gaps() -> None:
    """Take what is free between what is held, and keep it."""
    for size in _SMALL_BYTES:
        _fill_pools(size)
    with suppress(OSError, AttributeError):  # another C library
        _fill_blocks()


def _fill_blocks() -> None:
    library = ctypes.CDLL(None)
    library.gnu_get_libc_version()  # another one may give addresses in another order
    library.malloc.restype = library.sbrk.restype = ctypes.c_size_t
    library.malloc.argtypes = [ctypes.c_size_t]
    end, left = library.sbrk(0), _BLOCKS_MAX
    for size in _BLOCKS:
        while left and library.malloc(size) < end:
            left -= 1


def _fill_pools(size: int) -> None:
    """Make objects of a size until they lie one behind the other: there was no gap for them."""
    make, in_a_row, last = _maker_of(size), 0, 0
    for _ in range(_BLOCKS_MAX):
        one = make()
        _fillings.append(one)
        in_a_row = in_a_row + 1 if id(one) == last + size else 0
        last = id(one)
        if in_a_row == _POOL_BYTES // size // 2:
            return


def _maker_of(size: int) -> Callable[[], object]:
    if size <= _TEXT_BYTES:
        return object if size == object().__sizeof__() else lambda: float("0.5")
    return lambda: bytes(size - _TEXT_BYTES)


def take_large_pages() -> None:
    """Let what is held lie in large pages, where the system has them."""
    with suppress(OSError, AttributeError):
        advise = ctypes.CDLL(None).madvise
        advise.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
        for start, end in [*_list_own_memory()]:
            for advice in _ADVICE:  # which may be refused: then the pages stay as they are
                advise(start, end - start, advice)


def _list_own_memory() -> Iterator[tuple[int, int]]:
    """Yield where whole large pages of memory lie that is of no file."""
    for line in Path("/proc/self/maps").read_text("ascii").splitlines():
        place, access, _, _, node, *name = line.split()
        if access == "rw-p" and node == "0" and name in ([], ["[heap]"]):
            start, end = (int(each, 16) for each in place.split("-"))
            first, last = -(-start // _LARGE_BYTES), end // _LARGE_BYTES
            if first < last:
                yield first * _LARGE_BYTES, last * _LARGE_BYTES
