"""What was once found out, for as long as the files it was found in look the same.

A look is the names, sizes and times of files; another release looks anew. A note is written
once the files are settled: one may change again within the same tick of the disk's clock.
Notes only save work: one that is lost or damaged is made again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentx import __version__
from agentx.host.files.atomic import replace_file
from agentx.host.files.ground import opening
from agentx.host.files.json_text import line_of, parse_json
from agentx.host.files.plain import is_folder, look, read_bytes
from agentx.host.limits import FOLDERS_DEEP_MAX
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import digest
from agentx.kernel.values import frozen

_SETTLED_MS = 2_000


@frozen(kw_only=False)
class Look:
    """What files look like, and when the newest of them changed."""

    mark: str  # empty where that cannot be told
    newest_ms: int


class NoteFile:
    """Notes in one file, each by its name."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock

    def read(self, name: str, look: Look) -> Any:
        """Return what was noted of files that looked so; None when that is not known."""
        match self._all().get(name):
            case [str(mark), found] if mark and mark == look.mark:
                return found
            case _:
                return None

    def write(self, name: str, look: Look, found: object) -> None:
        """Note what JSON can hold, unless the files may still change unseen."""
        is_settled = self._clock.now_ms() - look.newest_ms >= _SETTLED_MS
        if not (look.mark and is_settled and is_folder(self._path.parent)):
            return
        with suppress(AgentXError, OSError):  # it only saves work
            replace_file(self._path, line_of({**self._all(), name: [look.mark, found]}))

    def _all(self) -> dict[str, object]:
        try:
            said = parse_json(read_bytes(self._path))
        except (OSError, ValueError, AgentXError):
            return {}
        return said if isinstance(said, dict) else {}


def look_below(*folders: Path, beside: str = "") -> Look:
    """Return what the files below folders look like; what is said beside is part of it."""
    looks, newest_ns, waiting = [__version__, *filter(None, (beside,))], 0, list(folders)
    deepest = max(str(folder).count("/") for folder in folders) + FOLDERS_DEEP_MAX
    while waiting:
        try:
            with opening(waiting.pop()) as here, os.scandir(here.descriptor) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if here.path.count("/") < deepest:
                            waiting.append(Path(here.path, entry.name))
                        continue
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue  # gone since the folder was listed
                    newest_ns = max(newest_ns, status.st_mtime_ns)
                    looks.append(_describe(f"{here.path}/{entry.name}", status))
        except OSError:
            continue
    return Look(digest(*sorted(looks)).hex(), newest_ns // 1_000_000)


def look_at(paths: Iterable[Path], *beside: str) -> Look:
    """Return what files look like, also those that are not there."""
    looks, newest_ns, is_known = [__version__, *beside], 0, True
    for path in paths:
        try:
            status = look(path)
        except (AgentXError, OSError, ValueError):
            is_known = False
            continue
        if status is None:
            looks.append(f"{path} -")
            continue
        # What a link leads to changes without the link.
        is_known = is_known and not stat.S_ISLNK(status.st_mode)
        newest_ns = max(newest_ns, status.st_mtime_ns)
        looks.append(_describe(str(path), status))
    return Look(digest(*looks).hex() if is_known else "", newest_ns // 1_000_000)


def find_noted(notes: NoteFile, name: str, look: Look, find_out: Callable[[], Any]) -> Any:
    """Return what is noted, or find it out and note it."""
    found = notes.read(name, look)
    if found is None:
        found = find_out()
        notes.write(name, look, found)
    return found


def _describe(name: str, status: os.stat_result) -> str:
    return f"{name} {status.st_size} {status.st_mtime_ns} {status.st_ino}"
