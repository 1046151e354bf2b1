"""Commits that are put onto a base anew, where that comes to the same files as its merge."""

from __future__ import annotations

from pathlib import Path

from agentx.host.git.command import NO_HOOKS, do_git
from agentx.host.git.work import commit_of, git_done, is_same_tree


def replay(folder: Path, before: str, onto: str, who: tuple[str, ...], held: int) -> None:
    """Put the commits up to one onto a base, in a folder where that is merged; else leave it so.

    Raises: UnavailableError.
    """
    merged = commit_of(folder, "HEAD")
    git_done(folder, "reset", "--quiet", "--keep", before, settings=NO_HOOKS, held=held)
    words = (*who, "rebase", "--quiet", onto)
    is_replayed = do_git(folder, *words, settings=NO_HOOKS, held=held).code == 0
    if not is_replayed:
        do_git(folder, "rebase", "--abort", settings=NO_HOOKS, held=held)
    if not is_replayed or not is_same_tree(folder, merged, "HEAD"):
        git_done(folder, "reset", "--quiet", "--keep", merged, settings=NO_HOOKS, held=held)
