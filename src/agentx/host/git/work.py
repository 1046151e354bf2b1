"""Git that writes: branches, worktrees, merges; alone, bounded, and never asking anyone.

Hooks, signing, editors, background chores and autostash are off: what a machine does for
itself runs no program of the repository's owner and waits for nobody. Nothing here pushes,
deletes a branch or rewrites one that is not checked out in the given folder.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from agentx.host.limits import GIT_WORK_WAIT_MS
from agentx.host.system import environment_without
from agentx.kernel.errors import UnavailableError
from agentx.kernel.values import frozen

_QUIET = (
    *("core.hooksPath=/dev/null", "commit.gpgSign=false", "core.fsmonitor=false", "gc.auto=0"),
    *("rebase.autoStash=false", "rebase.updateRefs=false", "merge.autoStash=false"),
    "advice.detachedHead=false",
)
_WHO = ("GIT_AUTHOR_", "GIT_COMMITTER_")
_NOBODY = ("-c", "user.name=AgentX", "-c", "user.email=agentx@localhost")


@frozen
class GitReply:
    """How git ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> tuple[str, ...]:
        """What it said, line by line."""
        return tuple(self.out.splitlines())

    @property
    def names(self) -> tuple[str, ...]:
        """What it said, as names that end in a null byte."""
        return tuple(name for name in self.out.split("\0") if name)


def git(path: Path, *words: str) -> GitReply:
    """Run git in a folder and return what came of it.

    Raises: UnavailableError when git is not there or does not end.
    """
    everything = environment_without("\0")
    environment = {
        **environment_without("GIT_"),
        **{name: value for name, value in everything.items() if name.startswith(_WHO)},
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "GIT_MERGE_AUTOEDIT": "no",
        "LC_ALL": "C",
    }
    settings = [word for pair in _QUIET for word in ("-c", pair)]
    try:
        done = subprocess.run(
            ["git", "--no-pager", *settings, *words],
            cwd=path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_WORK_WAIT_MS / 1000,
        )
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(
            f"git {words[0]} in {path} did not end", hint="look for a git that hangs there"
        ) from error
    except (OSError, ValueError) as error:
        raise UnavailableError(f"git cannot be run in {path}: {error}") from error
    return GitReply(
        code=done.returncode, out=os.fsdecode(done.stdout), err=os.fsdecode(done.stderr).strip()
    )


def git_done(path: Path, *words: str) -> GitReply:
    """Run git in a folder; it must succeed.

    Raises: UnavailableError with what git said.
    """
    said = git(path, *words)
    if said.code != 0:
        reason = said.err or said.out.strip() or f"it left with {said.code}"
        raise UnavailableError(
            f"git {words[0]} in {path}: {reason[:500]}",
            hint="mend what git says and try again; nothing was recorded",
        )
    return said


def as_somebody(path: Path) -> tuple[str, ...]:
    """Return the options that give a commit an author where git knows none."""
    return () if git(path, "var", "GIT_COMMITTER_IDENT").code == 0 else _NOBODY


def commit_of(path: Path, name: str) -> str:
    """Return the commit that a name means; empty when it means none."""
    said = git(path, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return said.out.strip() if said.code == 0 else ""


def is_ancestor(path: Path, older: str, newer: str) -> bool:
    """Tell whether a commit is part of another's history."""
    return git(path, "merge-base", "--is-ancestor", older, newer).code == 0


def list_changed_files(path: Path) -> tuple[str, ...]:
    """Return the files that are changed or new and not committed; ignored ones do not count."""
    said = git_done(path, "status", "--porcelain", "-z", "--untracked-files=normal")
    return tuple(name[3:] for name in said.names)


def checkouts(path: Path) -> dict[str, Path]:
    """Return where each branch is checked out."""
    found: dict[str, Path] = {}
    folder = Path()
    for line in git_done(path, "worktree", "list", "--porcelain").lines:
        if line.startswith("worktree "):
            folder = Path(line.removeprefix("worktree "))
        elif line.startswith("branch refs/heads/"):
            found[line.removeprefix("branch refs/heads/")] = folder
    return found


def git_file(path: Path, name: str) -> Path:
    """Return where git keeps one of its own files for a checkout."""
    return path / git_done(path, "rev-parse", "--git-path", name).out.strip()
