"""Git that writes: branches, worktrees, merges; alone, bounded, and never asking anyone.

Only in a repository that the user trusts: its filters and hooks run as they would for the
user, but no hook in a folder that is ours (`NO_HOOKS`). Signing, editors, background chores,
autostash and what else users set for their own merges are off: nobody is there to be asked.
Nothing here pushes, deletes a branch or rewrites one that is not checked out in the given folder.
"""

from __future__ import annotations

from pathlib import Path

from agentx.host.git.command import GitReply, do_git, read_git
from agentx.kernel.errors import UnavailableError

_NOBODY = ("-c", "user.name=AgentX", "-c", "user.email=agentx@localhost")


def git_done(
    path: Path,
    *words: str,
    settings: tuple[str, ...] = (),
    index: Path | None = None,
    held: int | None = None,
) -> GitReply:
    """Run git in a folder; it must succeed.

    Raises: UnavailableError with what git said.
    """
    said = do_git(path, *words, settings=settings, index=index, held=held)
    return _check(path, words, said)


def _read(path: Path, *words: str) -> GitReply:
    return _check(path, words, read_git(path, *words))


def _check(path: Path, words: tuple[str, ...], said: GitReply) -> GitReply:
    if said.code != 0:
        reason = said.err or said.out.strip() or f"it left with {said.code}"
        raise UnavailableError(
            f"git {words[0]} in {path}: {reason[:500]}",
            hint="mend what git says and try again; nothing was recorded",
        )
    return said


def as_somebody(path: Path) -> tuple[str, ...]:
    """Return the options that give a commit an author where git knows none."""
    return () if do_git(path, "var", "GIT_COMMITTER_IDENT").code == 0 else _NOBODY


def commit_of(path: Path, name: str) -> str:
    """Return the commit that a name means; empty when it means none."""
    said = read_git(
        path, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
    )
    return said.out.strip() if said.code == 0 else ""


def is_same_tree(path: Path, one: str, other: str) -> bool:
    """Tell whether two commits hold the same files."""
    said = _read(path, "rev-parse", "--verify", "--end-of-options", f"{one}^{{tree}}").out
    return said == _read(path, "rev-parse", "--verify", "--end-of-options", f"{other}^{{tree}}").out


def is_ancestor(path: Path, older: str, newer: str) -> bool:
    """Tell whether a commit is part of another's history."""
    return read_git(path, "merge-base", "--is-ancestor", older, newer).code == 0


def list_changed_files(path: Path) -> tuple[str, ...]:
    """Return the files that are changed or new and not committed; ignored ones do not count."""
    said = git_done(path, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal")
    return tuple(name[3:] for name in said.names)


def checkouts(path: Path) -> dict[str, Path]:
    """Return where each branch is checked out."""
    found: dict[str, Path] = {}
    folder = Path()
    for line in _read(path, "worktree", "list", "--porcelain").lines:
        if line.startswith("worktree "):
            folder = Path(line.removeprefix("worktree "))
        elif line.startswith("branch refs/heads/"):
            found[line.removeprefix("branch refs/heads/")] = folder
    return found


def is_shallow_clone(path: Path) -> bool:
    """Tell whether history is cut off in a repository: who came after whom cannot be told there."""
    return git_file(path, "shallow").exists()


def git_file(path: Path, name: str) -> Path:
    """Return where git keeps one of its own files for a checkout."""
    return path / _read(path, "rev-parse", "--git-path", name).out.strip()
