"""Two clones of one project that commit all of their memory and merge each other, with real git."""

from __future__ import annotations

from pathlib import Path

from tests.support.repository import commit, git


def merge(into: Path, other: Path) -> None:
    """Commit what lies in both clones, and merge the other one; there must be no conflict."""
    for each in (into, other):
        commit(each, "memory")
    git(into, "pull", "-q", "--no-rebase", "--no-edit", str(other), "main")
    unmerged = git(into, "diff", "--name-only", "--diff-filter=U")
    assert unmerged == "", f"{into.name} has conflicts: {unmerged}"


def files_below(root: Path) -> dict[str, bytes]:
    """Return every file below a folder with what it holds."""
    return {
        str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }
