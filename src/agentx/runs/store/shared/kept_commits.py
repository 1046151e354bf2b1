"""Commits of a run that no branch has any more, kept under names of our own.

    refs/agentx/kept/<run-id>/<lane>/<commit>

No fetch and no prune of git's moves these names, and no push but a mirror's takes them along.
They say nothing of what is merged. `run prune` takes one away once its run is over and others
have the commit.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentx.host.git.command import read_git
from agentx.host.git.work import git_done
from agentx.kernel.text import compile_late
from agentx.runs.store.git_shared import list_outside

KEPT = "refs/agentx/kept/"
_SHORT = 10
_REFS_MAX = 1_000
_MOVES_MAX = 1_000
# What git notes of who leaves commits that are on no branch; a branch is told by its name.
_LEFT = compile_late(r"checkout: moving from ([0-9a-f]{40}(?:[0-9a-f]{24})?) to ")


def list_lost(root: Path, commits: frozenset[str]) -> frozenset[str]:
    """Return the commits that nothing here holds by a name, nor a remote as last fetched."""
    return list_outside(root, commits, "--all")


def keep_commit(root: Path, run_id: str, branch: str, commit: str) -> str:
    """Keep a commit that was on a branch of a run; return the name that holds it now.

    Raises: UnavailableError.
    """
    name = f"{KEPT}{run_id}/{branch.removeprefix(f'agent/{run_id}/')}/{commit[:_SHORT]}"
    git_done(root, "update-ref", name, commit)
    return name


def keep_left(root: Path, folder: Path, run_id: str, lane: str) -> tuple[str, ...]:
    """Keep what somebody committed in a folder on no branch and went away from; only the log of the
    folder, which goes with it, has that. Return what was kept, in words.

    Raises: UnavailableError.
    """
    said = read_git(folder, "reflog", "show", f"--max-count={_MOVES_MAX}", "--format=%gs", "HEAD")
    left = frozenset(found[1] for found in map(_LEFT.match, said.lines) if found is not None)
    return tuple(
        f"{commit[:_SHORT]}, on no branch in {folder}, stays here as "
        + keep_commit(root, run_id, lane, commit)
        for commit in sorted(list_lost(root, left))
    )


def list_kept(root: Path) -> Iterator[tuple[str, str, str]]:
    """Yield what is kept: of which run, under which name, which commit."""
    words = ("for-each-ref", f"--count={_REFS_MAX}", "--format=%(refname) %(objectname)", KEPT)
    said = read_git(root, *words)
    for name, _, commit in (line.rpartition(" ") for line in said.lines if said.code == 0):
        yield name.removeprefix(KEPT).partition("/")[0], name, commit
