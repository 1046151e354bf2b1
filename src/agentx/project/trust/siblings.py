"""What the user's other clones of a repository call it in signatures.

A clone in which something was signed before `agentx trust` calls the repository by a name of its
own. What the user said there counts in their other clones as soon as a person trusts that clone:
it is known by the user's own record of it, never by what a repository says. The same repository it
is where both came from one address; words that were signed for another count nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from agentx.host.files.plain import is_folder, list_folder
from agentx.host.git.facts import find_repository, remote_url
from agentx.project.trust.marker import marker_path, read_marker
from agentx.project.trust.trust import Trust


def list_sibling_marks(trust: Trust, checkouts: Mapping[str, str]) -> Iterator[str]:
    """Yield the markers of the user's other clones that signed something which lies here.

    `checkouts` are the names of the user's writers, by their folders.
    """
    try:
        cards = frozenset(list_folder(trust.paths.question_writers).files)
    except OSError:
        return
    own = trust.paths.root
    for root, writer in checkouts.items():
        if root == str(own) or f"{writer}.json" not in cards:
            continue
        mark = _find_trusted(trust, Path(root))
        if mark and _share_origin(own, Path(root)):
            yield mark


def _share_origin(one: Path, other: Path) -> bool:
    """Tell whether two clones came from one address, or one of them from the other."""
    ours, theirs = remote_url(one), remote_url(other)
    return (ours is not None and ours in (theirs, str(other))) or theirs == str(one)


def _find_trusted(trust: Trust, root: Path) -> str:
    """Return the marker of a clone that a person trusts and that lies there still."""
    found = find_repository(root) if is_folder(root) else None
    marker = None if found is None else read_marker(marker_path(found.root, found.common))
    record = None if marker is None else trust.folder.read(marker.mark)
    is_there = record is not None and record.said and record.root == str(root)
    return marker.mark if marker is not None and is_there else ""
