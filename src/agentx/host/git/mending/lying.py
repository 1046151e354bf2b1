"""What lies where git is about to write a file that no branch here has: it would be lost.

Git itself stops before files that are new, but writes over those that it ignores.
"""

from __future__ import annotations

import shlex
import stat
from pathlib import Path

from agentx.host.git.command import read_git
from agentx.host.git.work import merge_trees
from agentx.kernel.errors import ConflictError
from agentx.kernel.text import name_some

_AS_NAMES = ("--name-only", "--no-renames", "-z")


def find_lying(folder: Path, before: str, after: str) -> dict[str, str]:
    """Return the files that one commit has and an earlier one has not, in whose place something
    lies in a folder, and what that is; what the earlier has does not count.

    Raises: UnavailableError.
    """
    gone = list_names(folder, "diff-tree", "-r", "--diff-filter=D", before, after)
    known = {name.casefold() for name in gone}  # a name may change in its case alone
    new = list_names(folder, "diff-tree", "-r", "--diff-filter=A", before, after)
    found = {name: _find_taking(folder, name, known) for name in new}
    return {name: lies for name, lies in found.items() if lies}


def require_free(folder: Path, commit: str, *, is_merged: bool = True) -> None:
    """See that nothing that git ignores lies where a merge of a commit, or going to it, writes.

    All else in the folder is committed.

    Raises: ConflictError, UnavailableError.
    """
    merged = merge_trees(folder, "HEAD", commit) if is_merged else ""
    names = sorted(set(find_lying(folder, "HEAD", merged or commit).values()))
    if names:
        raise ConflictError(
            f"git ignores {name_some(names)} in {folder}, no branch has it, and it would be "
            "written over",
            hint=f"move it elsewhere: mv {shlex.quote(str(folder / names[0]))} NEW; then try again",
        )


def list_names(folder: Path, what: str, *words: str) -> frozenset[str]:
    """Return the files that differ, as one of git's commands that compare tells them."""
    return frozenset(read_git(folder, what, *_AS_NAMES, *words, "--").names)


def _find_taking(folder: Path, name: str, known: set[str]) -> str:
    """Return what lies in the place of a file, or of a folder that it is to be in; or nothing."""
    for part in (*reversed(Path(name).parents[:-1]), Path(name)):
        try:
            mode = (folder / part).lstat().st_mode
        except OSError:
            return ""
        if stat.S_ISDIR(mode) and str(part) != name:
            continue
        # What is known goes before: as a file, or as all in a folder.
        place = str(part).casefold()
        is_known = place in known or any(each.startswith(f"{place}/") for each in known)
        return "" if is_known else str(part)
    return ""
