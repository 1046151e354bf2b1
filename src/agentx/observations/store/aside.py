"""What was put aside beside a store: damaged files, and stores that a migration replaced.

They are kept for people to mend and go back to, and hold the same texts. So what is forgotten
takes with it every one of them that names it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from agentx.host.files.below.walking import walk_files
from agentx.host.files.plain import Listing, is_folder, list_folder, read_bytes, remove, remove_tree
from agentx.observations.store.packing import unpack

_REPLACED = "replaced-"
_CORRUPT = ".corrupt-"
_UNFINISHED = ".tmp"
_PACKED = b'"packed"'


def purge_aside(folder: Path, ids: Collection[str]) -> None:
    """Delete whatever was put aside, or never finished, and names one of these observations."""
    needles = [each.encode() for each in ids]
    for path in (*_aside(folder), *_list_unfinished(folder)):
        files = list(walk_files(path)) if is_folder(path) else [path]
        if any(_names(file, needles) for file in files):
            if is_folder(path):
                remove_tree(path)
            else:
                remove(path)


def list_damaged(folder: Path) -> list[Path]:
    """Return the damaged files that were put aside."""
    return [path for path in _aside(folder) if _CORRUPT in path.name]


def _aside(folder: Path) -> Iterator[Path]:
    for place in (folder, folder / "archive"):
        listing = list_folder(place) if is_folder(place) else Listing()
        yield from (
            place / name
            for name in sorted((*listing.files, *listing.folders))
            if name.startswith(_REPLACED) or _CORRUPT in name
        )


def _list_unfinished(folder: Path) -> Iterator[Path]:
    """Yield what somebody was writing who died: `.issue-0.json.0123456789abcdef.tmp`."""
    for place in (folder, folder / "archive"):
        listing = list_folder(place) if is_folder(place) else Listing()
        yield from (
            place / name
            for name in listing.files
            if name.startswith(".") and name.endswith(_UNFINISHED)
        )


def _names(path: Path, needles: Collection[bytes]) -> bool:
    data = read_bytes(path)
    if _PACKED in data:
        try:
            data += unpack(msgspec.json.decode(data)["packed"])
        except (msgspec.DecodeError, UnicodeDecodeError, LookupError, TypeError):
            return True  # it cannot be read, and may name any of them
    return any(needle in data for needle in needles)
