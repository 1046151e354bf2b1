"""Files some folders down, found from one open folder: the way to it is gone once."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from agentx.host.files.ground import Folder, opening
from agentx.host.files.plain import list_open

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
    found: list[Path] = []
    search = _Search(path, suffix, lambda name, _: found.append(path / name), refused)
    search.begin(way)
    return found


def look_on_way(
    path: Path, way: tuple[str, ...], *, suffix: str, refused: list[Path] | None = None
) -> list[tuple[str, os.stat_result]]:
    """Return the files that `find_on_way` finds, as text, each with what is known of it.

    Raises: as `find_files`.
    """
    found: list[tuple[str, os.stat_result]] = []

    def look(name: str, folder: Folder) -> None:
        with suppress(FileNotFoundError):
            found.append((f"{path}/{name}", folder.stat(name.rpartition("/")[2])))

    _Search(path, suffix, look, refused).begin(way)
    return found


class _Search:
    """What is looked for, who is given it, and what takes links and the like."""

    def __init__(
        self,
        path: Path,
        suffix: str,
        give: Callable[[str, Folder], None],
        refused: list[Path] | None,
    ) -> None:
        self._path = path
        self._suffix = suffix
        self._give = give
        self._refused = [] if refused is None else refused

    def begin(self, way: tuple[str, ...]) -> None:
        """Give the name of each file that is found, from the first folder, and where it lies."""
        with suppress(FileNotFoundError), opening(self._path) as folder:
            self._go(folder, "", way)

    def _go(self, folder: Folder, above: str, way: tuple[str, ...]) -> None:
        if way and way[0] != ANY:
            self._enter(folder, above, way[0], way[1:])
            return
        listing = list_open(folder)
        self._refused += (self._path / f"{above}{name}" for name in listing.refused)
        for name in listing.folders if way else ():
            self._enter(folder, above, name, way[1:])
        for name in () if way else listing.files:
            if name.endswith(self._suffix):
                self._give(f"{above}{name}", folder)

    def _enter(self, folder: Folder, above: str, name: str, way: tuple[str, ...]) -> None:
        try:
            below = folder.enter(name)
        except FileNotFoundError:
            return
        with below:
            self._go(below, f"{above}{name}/", way)
