"""As which checkout a clone is noted in its store: one that is moved stays the one that it was.

    <store>/runs/writers.json    `noted`: marker and folder of each clone -> as what it is noted

Its name in lanes and claims goes by that, what may be pushed, and which lines a person took
out. The marker goes with the clone and with nobody else's. Where a noted folder has it no more, the
clone was moved; where both have it one is a copy, in a store that they share.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from agentx.host.files.json_text import parse_json
from agentx.host.files.plain import read_bytes
from agentx.project.moves import is_marked
from agentx.project.project import Project
from agentx.runs.paths import RunNotes
from agentx.runs.store.local.checkouts import NOTED

_Rows = dict[str, str]


def find_noted(project: Project) -> str:
    """Return as which checkout a project is noted: the folder that it was in at first."""
    return _settle(project, _read(project))[0]


def list_due(project: Project) -> dict[str, str]:
    """Return what is to be noted of where a checkout is, to know it again when it was moved."""
    return _settle(project, _read(project))[1]


def _read(project: Project) -> _Rows:
    with suppress(OSError, ValueError):
        found = parse_json(read_bytes(RunNotes(project.store.root).writers))
        rows = found.get(NOTED) if isinstance(found, dict) else None
        if isinstance(rows, dict):
            return {str(key): str(noted) for key, noted in rows.items()}
    return {}


def _settle(project: Project, rows: _Rows) -> tuple[str, _Rows]:
    """Return as what a project is noted, and what is to be noted of that."""
    marker, root = project.trust.marker(), str(project.root)
    if marker is None or project.trust.common is None:
        return root, {}
    own = f"{marker.mark} {root}"
    if rows.get(own):
        return rows[own], {}
    for key, noted in rows.items():
        mark, _, place = key.partition(" ")
        if noted and mark == marker.mark and not is_marked(Path(place), mark):
            return noted, {own: noted, key: ""}  # it was moved
    # Another one that was here may have taken the folder's name along.
    noted = own if root in rows.values() else root
    return noted, {own: noted}
