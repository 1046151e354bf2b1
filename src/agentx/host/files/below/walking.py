"""Every file below a folder: named, or measured without being read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from agentx.host.files.plain import list_folder
from agentx.host.limits import FOLDERS_DEEP_MAX
from agentx.kernel.errors import UnsafePath


def sum_up_files(path: Path) -> str:
    """Return a text that changes when any file below a folder does: how many, how long, how old.

    Cheap: no file is read, and no link is followed.
    """
    count = size = times = 0
    folders = [str(path)]
    try:
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                        continue
                    stat = entry.stat(follow_symlinks=False)
                    count, size = count + 1, size + stat.st_size
                    times += stat.st_mtime_ns
    except OSError:
        return ""
    return f"{count}:{size}:{times}"


def measure_files(path: Path) -> dict[str, list[int]]:
    """Return length and time of every plain file below a folder, by its name there, in order.

    Cheap: no file is read, and no link is followed.
    """
    found: dict[str, list[int]] = {}
    top = len(str(path)) + 1
    folders = [str(path)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    name = entry.path[top:]
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        seen = entry.stat(follow_symlinks=False)
                        found[name] = [seen.st_size, seen.st_mtime_ns]
        except FileNotFoundError:
            continue
    return dict(sorted(found.items()))


def walk_files(path: Path, *, depth_max: int = FOLDERS_DEEP_MAX) -> Iterator[Path]:
    """Yield every plain file below a folder, in order; folders without end are not entered.

    Raises: as `list_folder`.
    """
    listing = list_folder(path)
    yield from (path / name for name in listing.files)
    for name in listing.folders if depth_max else ():
        yield from walk_files(path / name, depth_max=depth_max - 1)


def walk_refused(path: Path, *, depth_max: int = FOLDERS_DEEP_MAX) -> Iterator[Path]:
    """Yield every link, pipe and device below a folder, and the folder itself if it is one."""
    if not depth_max:
        yield path
        return
    try:
        listing = list_folder(path)
    except UnsafePath as error:
        yield Path(error.filename)
        return
    except OSError:
        return
    yield from (path / name for name in listing.refused)
    for name in listing.folders:
        yield from walk_refused(path / name, depth_max=depth_max - 1)
