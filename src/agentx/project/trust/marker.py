"""The marker: a small file by which a repository is known again, and which no clone carries.

It lies where git keeps what all worktrees share (`.git/agentx.json`), so a copied or moved
repository keeps it and one that was cloned, or cloned anew in the same place, has none. Without
git it lies in `.agentx/state`. It says nothing by itself: what is trusted is written in the
user's own folder, under the marker's name.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from agentx.host.files.atomic import replace_file, temporary_beside
from agentx.host.files.json_text import line_of, parse_json
from agentx.host.files.plain import read_bytes
from agentx.kernel.ids import Entropy
from agentx.kernel.paths import ProjectPaths
from agentx.kernel.places import MARKER_NAME
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_MARKER_BYTES_MAX = 4_096
_MARK_BYTES = 16
_SEEN_MAX = 8  # a command looks at the same marker at every turn
_MARK = compile_late(r"[0-9a-f]{32}")


@frozen
class Marker:
    """What a marker says: its own name, and the id that the project had when it was made."""

    mark: str
    project_id: str


@lru_cache(_SEEN_MAX)
def marker_path(root: Path, common: Path | None) -> Path:
    """Return where the marker of a project lies; `common` is git's folder, if there is git."""
    return (ProjectPaths(root).state if common is None else common) / MARKER_NAME


def read_marker(path: Path) -> Marker | None:
    """Return a marker; None where there is none to rely on."""
    return _marker_of(read_small(path, _MARKER_BYTES_MAX))


@lru_cache(_SEEN_MAX)
def _marker_of(raw: bytes | None) -> Marker | None:
    match _parse(raw):
        case {"mark": str(mark), "project_id": str(name)} if _MARK.fullmatch(mark):
            return Marker(mark=mark, project_id=name)
        case _:
            return None


def make_marker(path: Path, project_id: str, entropy: Entropy) -> Marker:
    """Return the marker that lies there; one is made where none does.

    Raises: UnavailableError when it cannot be written.
    """
    known = read_marker(path)
    if known is not None:
        return known
    made = Marker(mark=entropy(_MARK_BYTES).hex(), project_id=project_id)
    raw = line_of({"mark": made.mark, "project_id": made.project_id}) + b"\n"
    # Whole before it has its name, and the name is given once: two processes see one marker.
    waiting = temporary_beside(path)
    replace_file(waiting, raw)
    try:
        os.link(waiting, path)
    except OSError:
        # Another was faster, what lies there is no marker, or the disk knows no second names.
        known = read_marker(path)
        if known is None:
            replace_file(path, raw)
    finally:
        waiting.unlink(missing_ok=True)
    return made if known is None else known


def read_small(path: Path, bytes_max: int) -> bytes | None:
    """Return a small plain file; None for none, a link, a pipe, a device or a larger one."""
    with suppress(OSError, ValueError):
        return read_bytes(path, bytes_max=bytes_max, ground=path.parent)
    return None


def _parse(raw: bytes | None) -> object:
    try:
        return None if raw is None else parse_json(raw)
    except ValueError:
        return None
