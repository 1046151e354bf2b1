"""Rows on disk, in files that never change once they have their name.

    g-0001/
      mark.json           which segments count, which rows of them are dead, how far the owner is
      s-000001.vec        AXV1 | length of the table | table | rows x dimensions 16-bit floats
      graph-000007.bin    the graph over the first rows, if there are very many

A commit writes a new segment, then replaces `mark.json`, then removes what no longer counts.
So a process may die anywhere: what `mark.json` names is there and whole.

Law: a file that `mark.json` names has the size and the checksum that it names.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from agentx.host.crash import CrashPoint, passing
from agentx.kernel.errors import IndexUnavailable
from agentx.kernel.values import frozen
from agentx.search.paths import GenerationPaths
from agentx.search.text.store import IndexStore
from agentx.search.vectors.table import SIZES, WORDS, Columns, Mask

Halves = NDArray[np.float16]

_MAGIC = b"AXV1"
_HINT = "it is built again from the log by `agentx sync`"


class SegmentMark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `mark.json` says of a segment."""

    name: str
    rows: int
    size: int
    crc: int
    dead: tuple[int, ...] = ()


class GraphMark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `mark.json` says of the graph: it finds the first `rows` rows."""

    name: str
    rows: int
    size: int


class IndexMark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of `mark.json`."""

    model: str
    dimensions: int
    next: int = 1  # the number of the next file
    segments: tuple[SegmentMark, ...] = ()
    graph: GraphMark | None = None
    owner: dict[str, Any] = {}


@frozen(kw_only=False)
class VectorSegment:
    """One segment, opened: its rows, and its vectors, read from the disk where they are used."""

    held: SegmentMark
    columns: Columns
    vectors: Halves

    def dead(self) -> Mask:
        """Return which of its rows are dead."""
        mask = np.zeros(self.held.rows, dtype=np.bool_)
        mask[list(self.held.dead)] = True
        return mask


class SegmentStore:
    """The files of one generation."""

    def __init__(self, store: IndexStore, generation: GenerationPaths) -> None:
        self._store = store
        self._generation = generation

    @property
    def root(self) -> Path:
        """The folder of the generation."""
        return self._generation.root

    def manifest(self) -> IndexMark:
        """Return what counts.

        Raises: IndexUnavailable.
        """
        try:
            return msgspec.convert(self._store.mark(self._generation), IndexMark)
        except msgspec.ValidationError as error:
            raise self._complain("mark.json", str(error)) from error

    def commit(self, manifest: IndexMark) -> None:
        """Let a manifest count from now on, then remove the files that it does not name."""
        passing(CrashPoint.VECTORS_WRITTEN)
        self._store.set_mark(self._generation, msgspec.to_builtins(manifest))
        passing(CrashPoint.VECTORS_COMMITTED)
        self.sweep(manifest)

    def sweep(self, manifest: IndexMark) -> None:
        """Remove what does not count: what a crash left, and what was replaced."""
        named = {held.name for held in manifest.segments}
        if manifest.graph is not None:
            named.add(manifest.graph.name)
        for path in self.root.iterdir():
            if path.suffix in {".vec", ".bin"} and path.name not in named:
                path.unlink(missing_ok=True)

    def write(self, number: int, columns: Columns, vectors: Halves) -> VectorSegment:
        """Write a segment; it counts once a manifest names it."""
        table = msgspec.msgpack.encode(
            {
                "words": columns.words,
                "codes": {field: columns.codes[field].tobytes() for field in WORDS},
                "sizes": {name: columns.sizes[name].tobytes() for name, _ in SIZES},
            }
        )
        vectors = np.ascontiguousarray(vectors, dtype="<f2")
        # Floats begin at an even byte, so the table may be followed by one that means nothing.
        filler = b"\0" * (len(table) % 2)
        head = _MAGIC + struct.pack("<I", len(table))
        raw = b"".join((head, table, filler, vectors.tobytes()))
        held = SegmentMark(f"s-{number:06}.vec", len(columns), len(raw), zlib.crc32(raw))
        self._store.write(self.root / held.name, raw)
        return VectorSegment(held, columns, vectors)

    def read(self, held: SegmentMark, dimensions: int, *, whole: bool) -> VectorSegment:
        """Open a segment; with `whole`, every byte is checked.

        Raises: IndexUnavailable when it is not as the manifest says.
        """
        path = self.root / held.name
        try:
            raw = np.memmap(path, dtype=np.uint8, mode="r")
        except (OSError, ValueError) as error:
            raise self._complain(held.name, str(error)) from error
        if len(raw) != held.size or (whole and zlib.crc32(raw.data) != held.crc):
            raise self._complain(held.name, "its bytes are not those that were written")
        try:
            return _parse(raw, held, dimensions)
        except (ValueError, KeyError, TypeError, struct.error, msgspec.MsgspecError) as error:
            raise self._complain(held.name, str(error)) from error

    def graph_path(self, graph: GraphMark) -> Path:
        """Return where a graph lies.

        Raises: IndexUnavailable when it is not there as the manifest says.
        """
        path = self.root / graph.name
        try:
            size = path.stat().st_size
        except OSError as error:
            raise self._complain(graph.name, str(error)) from error
        if size != graph.size:
            raise self._complain(graph.name, "its size is not the one that was written")
        return path

    def write_graph(self, number: int, rows: int, save: Callable[[str], object]) -> GraphMark:
        """Let a graph save itself; it counts once a manifest names it."""
        path = self.root / f"graph-{number:06}.bin"
        save(str(path))
        return GraphMark(path.name, rows, self._store.settle(path))

    def _complain(self, name: str, why: str) -> IndexUnavailable:
        return IndexUnavailable(f"{self.root / name}: the vectors are damaged: {why}", hint=_HINT)


def _parse(raw: NDArray[np.uint8], held: SegmentMark, dimensions: int) -> VectorSegment:
    head = bytes(raw[:8])
    if head[:4] != _MAGIC:
        raise ValueError("it is not a segment")
    (length,) = struct.unpack("<I", head[4:])
    table = msgspec.msgpack.decode(bytes(raw[8 : 8 + length]), type=dict[str, dict[str, Any]])
    columns = Columns(
        {field: list(table["words"][field]) for field in WORDS},
        {field: np.frombuffer(table["codes"][field], dtype="<i4") for field in WORDS},
        {name: np.frombuffer(table["sizes"][name], dtype=kind) for name, kind in SIZES},
    )
    vectors = raw[8 + length + length % 2 :].view("<f2").reshape(held.rows, dimensions)
    counts = {len(column) for column in (*columns.codes.values(), *columns.sizes.values())}
    if counts != {held.rows}:
        raise ValueError("its columns are not of one length")
    for field in WORDS:
        if held.rows and int(columns.codes[field].max()) >= len(columns.words[field]):
            raise ValueError("a row has a word that is not there")
    return VectorSegment(held, columns, vectors)
