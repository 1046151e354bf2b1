"""Files some folders down, found from one open folder: the way to it is gone once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agentx.host.files.ground import Folder, opening
from agentx.host.files.plain import list_open
from agentx.kernel.values import frozen

ANY = ""  # of a way: whatever the folder is called


def find_files(
    path: Path, *, depth: int, suffix: str, refused: list[Path] | None = None
) -> list[Path]:
    """Return the plain files so many folders below a folder, in order; `refused` takes the rest.

    Raises: UnsafePath where a link is in the way, OSError.
    """
    return find_on_way(path, (ANY,) * depth, suffix=suffix, refused=refused)


def find_on_way(
    path: Path, way: tuple[str, ...], *, suffix: str, refused: list[Path] | None = None
) -> list[Path]:
    """Return the plain files at the end of a way down, whose folders are named or are any.

    Raises: as `find_files`.
    """
    search = _Search(path=path, suffix=suffix, refused=[] if refused is None else refused)
    with suppress(FileNotFoundError), opening(path) as folder:
        return [path / name for name, _ in search.go(folder, "", way)]
    return []


def look_on_way(
    path: Path, way: tuple[str, ...], *, suffix: str, refused: list[Path] | None = None
) -> list[tuple[str, os.stat_result]]:
    """Return the files that `find_on_way` finds, as text, each with what is known of it.

    Raises: as `find_files`.
    """
    found = []
    search = _Search(path=path, suffix=suffix, refused=[] if refused is None else refused)
    with suppress(FileNotFoundError), opening(path) as folder:
        for name, where in search.go(folder, "", way):
            with suppress(FileNotFoundError):
                found.append((f"{path}/{name}", where.stat(name.rpartition("/")[2])))
    return found


@frozen
class _Search:
    """What is looked for, and what takes links and the like."""

    path: Path
    suffix: str
    refused: list[Path]

    def go(self, folder: Folder, above: str, way: tuple[str, ...]) -> Iterator[tuple[str, Folder]]:
        """Yield the name of each file that is found, from the first folder, and where it lies."""
        if way and way[0] != ANY:
            names: tuple[str, ...] = way[:1]
        else:
            listing = list_open(folder)
            self.refused.extend(self.path / f"{above}{name}" for name in listing.refused)
            if not way:
                fitting = (name for name in listing.files if name.endswith(self.suffix))
                yield from ((f"{above}{name}", folder) for name in fitting)
                return
            names = listing.folders
        for name in names:
            try:
                below = folder.enter(name)
            except FileNotFoundError:
                continue
            with below:
                yield from self.go(below, f"{above}{name}/", way[1:])
