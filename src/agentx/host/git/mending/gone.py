"""What git holds of a folder that is gone from where it was: what was staged, and its commit.

It is all there is of that, also where the folder was only moved; it goes when the folder is made
anew.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from agentx.host.files.plain import exists, read_text
from agentx.host.git.command import do_git, read_git
from agentx.host.git.mending.behind import has_had
from agentx.host.git.work import Worktree, as_somebody, git_done, git_file
from agentx.kernel.errors import ConflictError

_SAYING = "What was staged in a folder that is gone"


def is_loose(root: Path, commit: str) -> bool:
    """Tell whether no branch or other name has a commit; that it is checked out is none."""
    words = ("--not", "--branches", "--remotes", "--tags", "--glob=refs/agentx/*")
    return read_git(root, "rev-list", "--max-count=1", commit, *words).out.strip() != ""


def list_only_there(root: Path, gone: Worktree) -> tuple[str, ...]:
    """Return commits that hold what only git's notes of a gone folder have.

    Raises: ConflictError where that cannot be read, UnavailableError.
    """
    found = [gone.commit] if is_loose(root, gone.commit) else []
    notes = _find_notes(root, gone.folder)
    if notes is not None and not exists(notes / "index"):
        return tuple(found)  # it was never filled
    tree = None if notes is None else do_git(root, f"--git-dir={notes}", "write-tree")
    if tree is None or tree.code != 0:
        why = "git's notes of it are not found" if tree is None else tree.err.splitlines()[0]
        raise ConflictError(
            f"{gone.folder} is gone, and what was staged there cannot be kept: {why}",
            hint="if you moved it: git worktree repair NEW; if it is lost: "
            f"git worktree remove --force {shlex.quote(str(gone.folder))}",
        )
    staged, name = tree.out.strip(), gone.branch and f"refs/heads/{gone.branch}"
    if not has_had(root, name or gone.commit, staged):
        words = ("commit-tree", staged, "-p", gone.commit, "-m", _SAYING)
        found.append(git_done(root, *as_somebody(root), *words).out.strip())
    return tuple(found)


def _find_notes(root: Path, folder: Path) -> Path | None:
    """Return where git keeps what it notes of a folder; None where that is not found."""
    places = git_file(root, "worktrees").resolve()
    for place in sorted(places.iterdir()) if places.is_dir() else ():
        try:
            said = read_text(place / "gitdir").strip()
        except (OSError, ValueError):
            continue
        if (place / said).parent.resolve() == folder.resolve():
            return place
    return None
