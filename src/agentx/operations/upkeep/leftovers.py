"""What AgentX itself leaves behind and nobody needs any more.

Only files that AgentX made, known by their place and name, and only when they are
old. Events, memories and what was moved aside for a person to look at are not
leftovers; of the copies of a settings file the newest stays, however old it is.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from agentx.host.files.plain import is_folder
from agentx.kernel.paths import SpoolPaths
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.operations.limits import BACKUPS_KEPT_MS, DAEMON_LOG_KEPT_MS, UNFINISHED_KEPT_MS
from agentx.project.project import Project

_BACKUP = compile_late(r"(?P<file>.+)\.\d{8}T\d{6}\.\d{3}Z")
# As an atomic replace names what it writes: `.daemon.json.0123456789abcdef.tmp`
_UNFINISHED = compile_late(r"\..+\.[0-9a-f]{16}\.tmp")


@frozen
class Swept:
    """What was removed."""

    backups: int = 0
    logs: int = 0
    unfinished: int = 0

    def __str__(self) -> str:
        counts = {
            "copies of settings files": self.backups,
            "daemon logs": self.logs,
            "unfinished files": self.unfinished,
        }
        said = [f"{what}: {count}" for what, count in counts.items() if count]
        return f"removed {', '.join(said)}" if said else "nothing to remove"


def sweep(project: Project) -> Swept:
    """Remove what is old enough; return how much that was."""
    now_ms = project.clock.now_ms()
    return Swept(
        backups=_remove(_old_backups(project.data.backups), before_ms=now_ms - BACKUPS_KEPT_MS),
        logs=_remove([project.store.daemon_log_before], before_ms=now_ms - DAEMON_LOG_KEPT_MS),
        unfinished=_remove(_list_unfinished(project), before_ms=now_ms - UNFINISHED_KEPT_MS),
    )


def remove_vectors(project: Project) -> tuple[Path, ...]:
    """Remove what earlier versions kept to search by meaning, in every store; return what went."""
    for path in (left := project.data.left_by_vectors):
        with suppress(OSError):  # it is named again while it is there
            if path.is_symlink():  # what it leads to is somebody else's
                path.unlink()
            else:
                shutil.rmtree(path)
    with suppress(OSError):  # there is more in it, or it was never there
        (project.data.root / "models").rmdir()
    return tuple(path for path in left if not path.exists())


def _old_backups(folder: Path) -> Iterator[Path]:
    """Yield all copies of each settings file but the newest."""
    named = sorted(
        (match["file"], path) for path in _files(folder) if (match := _BACKUP.fullmatch(path.name))
    )
    for _, copies in groupby(named, key=lambda pair: pair[0]):
        yield from [path for _, path in copies][:-1]


def _list_unfinished(project: Project) -> Iterator[Path]:
    learnt = (project.observations, project.observations / "archive")
    ours = (project.store.root, project.store.digests, project.data.backups)
    for folder in (*ours, *(place for place in learnt if is_folder(place))):
        yield from (path for path in _files(folder) if _UNFINISHED.fullmatch(path.name))
    for root in project.environment.spools:
        for spool in _folders(root):
            yield from _files(SpoolPaths(spool).tmp)


def _remove(paths: Iterable[Path], *, before_ms: int) -> int:
    count = 0
    for path in paths:
        with suppress(OSError):  # gone meanwhile, or not ours: the next sweep looks again
            if path.lstat().st_mtime * 1000 < before_ms:
                path.unlink()
                count += 1
    return count


def _files(folder: Path) -> Iterator[Path]:
    yield from (
        Path(entry.path) for entry in _entries(folder) if entry.is_file(follow_symlinks=False)
    )


def _folders(root: Path) -> Iterator[Path]:
    with suppress(OSError):
        if root.lstat().st_uid != os.getuid():
            return  # somebody else's folder under the temporary one
    yield from (Path(entry.path) for entry in _entries(root) if entry.is_dir(follow_symlinks=False))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
