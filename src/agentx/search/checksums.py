"""Whether the files of an index are what was written: held against their own checksums.

Tantivy ends each file of a segment with a footer, `{"crc": ...}`, its length and a magic number,
and looks at it in no search.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentx.search.paths import GenerationPaths, IndexPaths

_MAGIC = 1337
_TAIL_BYTES = 8
_EXTENSIONS = ("fast", "fieldnorm", "idx", "pos", "store", "term")
_BLOCK_BYTES = 1024 * 1024


def find_damaged_text(folder: Path) -> Iterator[str]:
    """Yield what is wrong with the index of words in a folder; nothing where there is none."""
    generation = _generation(folder)
    if generation is None:
        yield from _tell_unnamed(folder)
        return
    for path in (generation.version, generation.mark):
        if not isinstance(_read(path), dict):
            yield f"{path} cannot be read"
    for scale in generation.scales():
        meta = _read(scale / "meta.json")
        segments = meta.get("segments") if isinstance(meta, dict) else None
        if not isinstance(segments, list):
            yield f"{scale / 'meta.json'} cannot be read"
            continue
        yield from _find_damaged_segments(scale, segments)


def _generation(folder: Path) -> GenerationPaths | None:
    """Return the generation that answers; one that is named and gone is told of by its files."""
    try:
        name = IndexPaths(folder).current.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
    return GenerationPaths(folder / name.replace("/", "_").replace("\x00", "_"))


def _tell_unnamed(folder: Path) -> Iterator[str]:
    if any(folder.glob("g-*")):
        yield f"{IndexPaths(folder).current} is gone: nobody knows which index answers"


def _find_damaged_segments(scale: Path, segments: list[Any]) -> Iterator[str]:
    for segment in segments:
        match segment:
            case {"segment_id": str(name)}:
                stem = name.replace("-", "")
            case _:
                yield f"{scale / 'meta.json'} cannot be read"
                continue
        files = [scale / f"{stem}.{extension}" for extension in _EXTENSIONS]
        match segment.get("deletes"):
            case {"opstamp": int(stamp)}:
                files.append(scale / f"{stem}.{stamp}.del")
            case _:
                pass
        yield from (f"{path} is not what was written" for path in files if not _is_whole(path))


def _is_whole(path: Path) -> bool:
    """Tell whether a file of a segment has the checksum that its footer names."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            file.seek(max(size - _TAIL_BYTES, 0))
            tail = file.read(_TAIL_BYTES)
            footer_bytes = int.from_bytes(tail[:4], "little")
            body = size - _TAIL_BYTES - footer_bytes
            if int.from_bytes(tail[4:], "little") != _MAGIC or body < 0:
                return False
            file.seek(body)
            footer = json.loads(file.read(footer_bytes))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(footer, dict) and footer.get("crc") == _checksum(path, size, body)


def _checksum(path: Path, size: int, of_bytes: int | None = None) -> int | None:
    """Return the checksum of a file's beginning; None where it is gone or of another size."""
    left = size if of_bytes is None else of_bytes
    found = 0
    try:
        if path.stat().st_size != size:
            return None
        with path.open("rb") as file:
            while left > 0 and (block := file.read(min(left, _BLOCK_BYTES))):
                found = zlib.crc32(block, found)
                left -= len(block)
    except OSError:
        return None
    return found


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
