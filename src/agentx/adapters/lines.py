"""Transcripts that are a file of JSON lines, plain or compressed, read one line at a time.

Agent CLIs append to them while we read. A last line without its newline that does not
parse is still being written: it is left for the next time, without a word. Any other line
that is not a JSON object is told as `Damaged`, and reading goes on behind it.

Law: never raises, and never holds more than one line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import msgspec
import zstandard

from agentx.adapters.limits import (
    TRANSCRIPT_HEAD_BYTES_MAX,
    TRANSCRIPT_HEAD_LINES_MAX,
    TRANSCRIPT_LINE_BYTES_MAX,
)
from agentx.adapters.port import Damaged
from agentx.kernel.capture import Draft

NumberedLine = tuple[int, dict[str, Any]]


def json_lines(
    path: Path, line_bytes_max: int = TRANSCRIPT_LINE_BYTES_MAX
) -> Iterator[NumberedLine | Damaged]:
    """Yield each line's number and object, in order; what cannot be read as `Damaged`."""
    number = 0
    try:
        with _open(path) as stream:
            while raw := stream.readline(line_bytes_max + 1):
                number += 1
                found = _line(path, number, raw, line_bytes_max)
                if found is not None:
                    yield found
                while len(raw) > line_bytes_max and not raw.endswith(b"\n"):
                    raw = stream.readline(line_bytes_max + 1)
    except (OSError, zstandard.ZstdError) as failure:
        yield Damaged(path=path, line=number + 1, reason=f"cannot be read: {failure}")


class LineReader(Protocol):
    """What reads the lines of one transcript, from the first to the last."""

    def line(self, number: int, line: dict[str, Any]) -> Iterator[Draft]:
        """Yield what one line says."""
        ...

    def end(self) -> Iterator[Draft]:
        """Yield what is known only now that the file is at its end."""
        ...


def read_lines(path: Path, reader: LineReader) -> Iterator[Draft | Damaged]:
    """Yield the events of one file, and the lines that could not be read."""
    for found in json_lines(path):
        if isinstance(found, Damaged):
            yield found
        else:
            yield from reader.line(*found)
    yield from reader.end()


def head(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of the first lines: enough to see whose file it is."""
    for found in islice(
        json_lines(path, line_bytes_max=TRANSCRIPT_HEAD_BYTES_MAX), TRANSCRIPT_HEAD_LINES_MAX
    ):
        if not isinstance(found, Damaged):
            yield found[1]


def read_start(path: Path, size: int) -> bytes:
    """Return the first bytes of a file; nothing where it cannot be read."""
    try:
        with _open(path) as stream:
            return stream.read(size)
    except (OSError, zstandard.ZstdError):
        return b""


def _line(
    path: Path, number: int, raw: bytes, line_bytes_max: int
) -> NumberedLine | Damaged | None:
    if len(raw) > line_bytes_max and not raw.endswith(b"\n"):
        return Damaged(path=path, line=number, reason=f"longer than {line_bytes_max} bytes")
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        # Much that is no good JSON can still be read.
        return _read_slowly(path, number, raw)
    return _check(path, number, value)


def _read_slowly(path: Path, number: int, raw: bytes) -> NumberedLine | Damaged | None:
    whole = raw.endswith(b"\n")
    text = raw.decode("utf-8", "replace").lstrip("\ufeff").strip()
    if not text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as failure:
        reason = f"not JSON: {failure}" if isinstance(failure, ValueError) else "nested too deep"
        return Damaged(path=path, line=number, reason=reason) if whole else None
    return _check(path, number, value)


def _check(path: Path, number: int, value: object) -> NumberedLine | Damaged:
    if not isinstance(value, dict):
        return Damaged(path=path, line=number, reason="not a JSON object")
    return number, value


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO | BufferedReader]:
    with path.open("rb") as plain:
        if path.suffix != ".zst":
            yield plain
            return
        decompressor = zstandard.ZstdDecompressor()
        with BufferedReader(decompressor.stream_reader(plain, read_across_frames=True)) as stream:
            yield stream
