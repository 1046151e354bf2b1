"""What git knows about a folder: thin, bounded and tolerant.

No git, no repository, a slow disk or a repository that git will not trust is
`None`, never an exception: memory works without git. Only commands that read
names are run, none that could call a hook, a pager or a helper.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from agentx.host.git.plain import find_plain
from agentx.host.limits import GIT_WAIT_MS
from agentx.host.system import environment_without
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_COUNT = compile_late(r"(\d+) (file|insertion|deletion)")
_HASH = compile_late(r"[0-9a-f]{7,64}")
_CREDENTIALS = compile_late(r"(?<=://)[^/@\s]*@")


@frozen(kw_only=False)
class Repository:
    """A repository: where its files are, and the folder of git's that all its worktrees share."""

    root: Path
    common: Path


def repository(path: Path) -> Path | None:
    """Return the root of the main repository: the same from every worktree and subfolder.

    For a bare repository that is the repository itself.
    """
    found = find_repository(path)
    return None if found is None else found.root


def find_repository(path: Path) -> Repository | None:
    """Return the repository that a folder belongs to."""
    plain = find_plain(path)
    if plain is not None:
        return Repository(plain.parent, plain)
    said = _ask(path, "rev-parse", "--git-common-dir")
    if not said:
        return None
    common = _resolve(path, said)
    return Repository(_find_root(path, common), common)


def _find_root(path: Path, common: Path) -> Path:
    if common.name == ".git":
        return common.parent
    # A submodule keeps its repository inside its parent's and says where its files are.
    elsewhere = _ask(common, "config", "--get", "core.worktree")
    if elsewhere:
        return _resolve(common, elsewhere)
    own = _ask(path, "rev-parse", "--git-dir")
    top = _ask(path, "rev-parse", "--show-toplevel")
    # A repository kept apart from its files knows them only from inside.
    if top and own and _resolve(path, own) == common:
        return _resolve(path, top)
    return common


def list_tracked(path: Path, folder: str) -> tuple[str, ...] | None:
    """Return what git tracks of a folder below the root, in whatever case; None if it cannot say.

    A folder that is itself a link or a repository of its own is one name.
    """
    said = _ask(path, "ls-files", "-z", "--", f":(top,icase){folder}")
    return None if said is None else tuple(name for name in said.split("\0") if name)


def branch(path: Path) -> str | None:
    """Return the branch, also one without a commit yet; empty when HEAD is detached."""
    name = _ask(path, "symbolic-ref", "--quiet", "--short", "HEAD")
    if name:
        return name
    return None if repository(path) is None else ""


def commit(path: Path) -> str | None:
    """Return the id of the commit that is checked out."""
    return _ask(path, "rev-parse", "--verify", "--quiet", "HEAD") or None


def remote_url(path: Path) -> str | None:
    """Return the address of `origin`, or else of the first remote, without any credentials."""
    address = _ask(path, "config", "--get", "remote.origin.url")
    if not address:
        names = (_ask(path, "remote") or "").splitlines()
        address = _ask(path, "config", "--get", f"remote.{names[0]}.url") if names else None
    return _CREDENTIALS.sub("", address) if address else None


def churn(path: Path, base: str, tip: str, *, without: str) -> tuple[int, int, int] | None:
    """Return how many files, added and removed lines lie between two commits, but for a folder."""
    if not base or base.startswith("-") or tip.startswith("-"):
        return None
    span, rest = f"{base}...{tip}", f":(exclude){without}"
    said = _ask(path, "diff", "--shortstat", "--no-ext-diff", span, "--", ".", rest)
    if said is None:
        return None
    counts = {word: int(count) for count, word in _COUNT.findall(said)}
    return counts.get("file", 0), counts.get("insertion", 0), counts.get("deletion", 0)


def last_changes(path: Path, since_s: int, commits_max: int) -> dict[str, int] | None:
    """Return which files commits changed since a time, and when last, in seconds since 1970.

    Paths are relative to the repository. Only the newest `commits_max` commits are looked at.
    """
    said = _ask(
        path,
        "log",
        f"--since={since_s}",
        f"--max-count={commits_max}",
        "--no-renames",
        "--name-only",
        "--format=%x00%ct",
        "--",
    )
    if said is None:
        return None
    found: dict[str, int] = {}
    for block in said.split("\0")[1:]:
        at, _, names = block.partition("\n")
        for name in names.split("\n"):
            if name and at.isdigit():
                found.setdefault(_unquote(name), int(at))
    return found


def list_uncommitted(path: Path) -> frozenset[str] | None:
    """Return the files that differ from the last commit, relative to the repository."""
    said = _ask(path, "diff", "--name-only", "--no-renames", "-z", "HEAD", "--")
    return None if said is None else frozenset(name for name in said.split("\0") if name)


def commit_time(path: Path, commit: str) -> int | None:
    """Return when a commit was made, in seconds since 1970; None when there is no such commit."""
    if not _HASH.fullmatch(commit):
        return None
    said = _ask(path, "show", "--no-patch", "--format=%ct", commit)
    return int(said) if said and said.isdigit() else None


def _unquote(name: str) -> str:
    """Return a path that git wrote in quotes, because it has letters beyond ASCII, as it is."""
    if not name.startswith('"'):
        return name
    raw = name[1:-1].encode().decode("unicode_escape").encode("latin-1")
    return os.fsdecode(raw)


def _ask(path: Path, *question: str) -> str | None:
    """Return what git says, or None when it says nothing to rely on."""
    try:
        done = subprocess.run(
            ["git", "--no-pager", *question],
            cwd=path,
            env={
                **environment_without("GIT_"),
                "GIT_OPTIONAL_LOCKS": "0",
                "GIT_TERMINAL_PROMPT": "0",
                "LC_ALL": "C",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_WAIT_MS / 1000,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    return os.fsdecode(done.stdout.removesuffix(b"\n"))


def _resolve(path: Path, said: str) -> Path:
    return Path(os.path.realpath(path / said))
