"""Know a repository again that was moved, and tell it from a copy and from one in its place.

A project is named after the folder it is in, and keeps that name wherever it goes: its marker goes
with it, and the user's record of the marker says where it was. If the marker is not there any
more it was moved; if it is there too, this is a copy, with a memory of its own. A repository that
lies where a moved one was has another name than that one took along; so has one that is not kin to
what lay there: it came from elsewhere and begins with another commit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from agentx.host.git import facts as git
from agentx.project.trust.marker import marker_path, read_marker
from agentx.project.trust.record import TrustRecord
from agentx.project.trust.trust import Trust

Naming = Callable[[Path, str], str]  # a folder, and what tells apart a second project there
_PLACES_MAX = 20  # so many repositories lie in one folder, one after the other


def find_kept_name(root: Path, trust: Trust, name: Naming) -> str:
    """Return the name that a project has kept, or that of its folder."""
    natural = name(root, "")
    marker = trust.marker()
    record = None if marker is None else trust.folder.read(marker.mark)
    if marker is None or record is None:
        return _name_newcomer(root, trust, name)
    if record.root == str(root):
        return record.natural or natural
    if _is_another(record, trust, marker.mark):
        return natural  # among a folder's own files it may have come from anywhere
    return record.natural or name(Path(record.root), "")


def find_original(root: Path, trust: Trust) -> TrustRecord | None:
    """Return the record of the repository that this one is a copy of.

    Of a folder without git it may be what became of it as well: there nothing tells the two apart.
    """
    marker = trust.marker()
    record = None if marker is None else trust.folder.read(marker.mark)
    if marker is None or record is None or record.root == str(root):
        return None
    return record if _is_another(record, trust, marker.mark) else None


def _is_another(record: TrustRecord, trust: Trust, mark: str) -> bool:
    """Tell whether what has the mark where it was noted is another repository, and no worktree."""
    if trust.common is None:
        return True
    place = Path(record.root)
    found = git.find_repository(place) if place.is_dir() else None
    return (found is None or found.common != trust.common) and is_marked(place, mark)


def is_marked(folder: Path, mark: str) -> bool:
    """Tell whether the repository in a folder has a marker."""
    if not folder.is_dir():
        return False
    found = git.find_repository(folder)
    path = marker_path(folder, None) if found is None else marker_path(found.root, found.common)
    marker = read_marker(path)
    return marker is not None and marker.mark == mark


def find_moved(directory: str, trust: Trust) -> TrustRecord | None:
    """Return the record of the project that a directory belonged to when it was there."""
    for record in trust.folder.records():
        if directory == record.root or directory.startswith(f"{record.root}/"):
            return record
    return None


def _name_newcomer(root: Path, trust: Trust, name: Naming) -> str:
    """Return the name of a project that nothing is known of, beside those that are or were here."""
    natural, taken = name(root, ""), set()
    own: frozenset[str] | None = None
    for record in trust.folder.records():
        if record.root != str(root):
            if record.natural and os.path.lexists(record.root):
                taken.add(record.natural)
        elif record.kin and trust.common is not None:
            own = frozenset(git.find_kin(root)) if own is None else own
            if own.isdisjoint(record.kin):
                taken.add(record.natural or natural)
    others = (name(root, f"again{count}".removesuffix("1")) for count in range(1, _PLACES_MAX))
    return next((one for one in (natural, *others) if one not in taken), natural)
