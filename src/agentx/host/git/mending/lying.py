"""What lies where git is about to write a file that no branch here has: it would be lost.

Git itself stops before files that are new, but writes over those that it ignores.
"""

from __future__ import annotations

import stat
from pathlib import Path

from agentx.host.git.command import read_git

_AS_NAMES = ("--name-only", "--no-renames", "-z")


def list_lying(folder: Path, before: str, after: str) -> frozenset[str]:
    """Return the files that one commit has and an earlier one has not, in whose place something
    lies in a folder in which nothing is to be lost but what the earlier has.

    Raises: UnavailableError.
    """
    gone = list_names(folder, "diff-tree", "-r", "--diff-filter=D", before, after)
    known = {name.casefold() for name in gone}  # a name may change in its case alone
    return frozenset(
        name
        for name in list_names(folder, "diff-tree", "-r", "--diff-filter=A", before, after)
        if _is_taken(folder, name, known)
    )


def list_names(folder: Path, what: str, *words: str) -> frozenset[str]:
    """Return the files that differ, as one of git's commands that compare tells them."""
    return frozenset(read_git(folder, what, *_AS_NAMES, *words, "--").names)


def _is_taken(folder: Path, name: str, known: set[str]) -> bool:
    """Tell whether something lies in the place of a file, or of a folder that it is to be in."""
    for part in (*reversed(Path(name).parents[:-1]), Path(name)):
        try:
            mode = (folder / part).lstat().st_mode
        except OSError:
            return False
        place = str(part).casefold()
        if stat.S_ISDIR(mode) and str(part) != name:
            continue
        # What is known goes before: as a file, or as all in a folder.
        return place not in known and not any(each.startswith(f"{place}/") for each in known)
    return False
