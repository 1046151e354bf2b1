"""What is checked out where a session works, read from git's own files: no process is started."""

import os

from agentx.redaction.redact import suspicious

_SMALL_BYTES_MAX = 4_096
_FOLDERS_UP_MAX = 40
_CWD_BYTES_MAX = 4_096
_BRANCH_BYTES_MAX = 250
_HEADS = "ref: refs/heads/"


def branch_of(directory: str) -> tuple[str, str]:
    """Return the root of the working tree and its branch; both are empty outside of git."""
    folder, _, head = _find_checkout(directory)
    return folder, head[len(_HEADS) :].strip() if head.startswith(_HEADS) else ""


def find_git(directory: str) -> str:
    """Return the folder of git's that all worktrees share; empty outside of git."""
    git = _find_checkout(directory)[1]
    shared = (read_small(os.path.join(git, "commondir")) or "").strip() if git else ""
    return os.path.join(git, shared) if shared else git


def _find_checkout(directory: str) -> tuple[str, str, str]:
    """Return the root of the working tree, git's own folder of it, and what HEAD says there."""
    folder = directory
    for _ in range(_FOLDERS_UP_MAX):
        git = os.path.join(folder, ".git")
        head = read_small(os.path.join(git, "HEAD"))
        if head is None:
            pointer = read_small(git)
            if pointer is not None and pointer.startswith("gitdir: "):
                git = os.path.join(folder, pointer[8:].strip())
                head = read_small(os.path.join(git, "HEAD")) or ""
        if head is not None:
            return folder, git, head
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return "", "", ""


def branch_at(raw: bytes, otherwise: str) -> str:
    """Return the branch where a payload says that its session works, or else of a directory.

    An agent CLI may have gone into another worktree since it was started.
    """
    name = branch_of(_read_cwd(raw) or otherwise)[1]
    told = name.encode("utf-8", "replace")
    return name if len(told) <= _BRANCH_BYTES_MAX and not suspicious(told) else ""


def _read_cwd(raw: bytes) -> str:
    """Return the working directory that a payload names; empty when it is not plain text."""
    _, found, rest = raw.partition(b'"cwd"')
    value, quote, _ = rest[: _CWD_BYTES_MAX + 16].lstrip(b" \t\r\n:")[1:].partition(b'"')
    if not (found and quote) or b"\\" in value or not value.startswith(b"/") or b"\0" in value:
        return ""
    return os.fsdecode(value)


def read_small(path: str, bytes_max: int = _SMALL_BYTES_MAX) -> str | None:
    """Return the beginning of a file; None where there is none, and never waiting for a pipe."""
    raw = read_raw(path, bytes_max)
    return None if raw is None else raw.decode("utf-8", "replace")


def read_raw(path: str, bytes_max: int) -> bytes | None:
    """Return the same as it stands."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            return os.read(file, bytes_max)
        finally:
            os.close(file)
    except (OSError, ValueError):
        return None
