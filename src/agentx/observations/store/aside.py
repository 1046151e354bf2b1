"""What was put aside beside a store: damaged files, and stores that a migration replaced.

They are kept for people to mend and go back to, and hold the same texts. So what is forgotten
takes with it every one of them that names it.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

_REPLACED = "replaced-"
_CORRUPT = ".corrupt-"


def purge_aside(folder: Path, ids: Collection[str]) -> None:
    """Delete whatever was put aside and names one of these observations."""
    needles = [each.encode() for each in ids]
    for path in _aside(folder):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        if any(_names(file, needles) for file in files):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def list_damaged(folder: Path) -> list[Path]:
    """Return the damaged files that were put aside."""
    return [path for path in _aside(folder) if _CORRUPT in path.name]


def _aside(folder: Path) -> Iterator[Path]:
    for place in (folder, folder / "archive"):
        if place.is_dir():
            yield from (
                path
                for path in sorted(place.iterdir())
                if path.name.startswith(_REPLACED) or _CORRUPT in path.name
            )


def _names(path: Path, needles: Collection[bytes]) -> bool:
    if not path.is_file():
        return False
    data = path.read_bytes()
    return any(needle in data for needle in needles)
