"""A repository as almost every one is, found without starting git: every command looks for one.

A plain repository is a folder `.git` of this user with a HEAD that git would take and settings
that move nothing. Whatever is otherwise (a worktree, a submodule, a bare repository, an
extension, settings that include others, somebody else's files, another file system on the way)
is left to git itself, so that both always say the same.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from agentx.kernel.values import frozen

_HEAD_BYTES_MAX = 1024
_SETTINGS_BYTES_MAX = 64 * 1024
# What in its settings may move a repository, or keep git from reading it at all.
_MOVING = (b"worktree", b"bare", b"include", b"extensions", b"repositoryformatversion")
_HARMLESS = (b"repositoryformatversion = 0", b"bare = false")
_HASH_CHARS = (40, 64)


@frozen(kw_only=False)
class Plain:
    """What can be told without git: the `.git` folder of a repository, or that there is none."""

    git: Path | None


def find_plain(path: Path) -> Plain | None:
    """Find the plain repository that a folder belongs to; None where only git can say."""
    try:
        folder = os.path.realpath(path, strict=True)  # as text, as all of this
        device = os.stat(folder).st_dev  # noqa: PTH116  see above
        while True:
            if os.path.lexists(f"{folder}/HEAD"):
                return None  # inside of a repository's own folder, or of a bare one
            git = f"{folder}/.git"
            if os.path.lexists(git):
                return Plain(Path(git)) if _is_plain(folder, git) else None
            above = os.path.dirname(folder)  # noqa: PTH120  see above
            if folder == above or os.stat(above).st_dev != device:  # noqa: PTH116  see above
                return Plain(None)  # git looks no further either
            folder = above
    except (OSError, RuntimeError, ValueError):  # gone, a circle of links, a name that cannot be
        return None


def _is_plain(folder: str, git: str) -> bool:
    for path in (folder, git):
        there = os.lstat(path)
        # Git reads no repository of another user.
        if not stat.S_ISDIR(there.st_mode) or there.st_uid != os.geteuid():
            return False
    return (
        all(os.path.isdir(f"{git}/{name}") for name in ("objects", "refs"))  # noqa: PTH112  as text
        and not os.path.lexists(f"{git}/commondir")
        and _is_head(_read(f"{git}/HEAD", _HEAD_BYTES_MAX))
        and _moves_nothing(_read(f"{git}/config", _SETTINGS_BYTES_MAX))
    )


def _is_head(text: bytes) -> bool:
    said = text.strip()
    if said.startswith(b"ref: refs/"):
        return True
    return len(said) in _HASH_CHARS and not said.strip(b"0123456789abcdef")


def _moves_nothing(text: bytes) -> bool:
    settings = text.lower()
    for words in _HARMLESS:
        settings = settings.replace(words, b"")
    return len(text) < _SETTINGS_BYTES_MAX and not any(word in settings for word in _MOVING)


def _read(path: str, bytes_max: int) -> bytes:
    # Never through a link, and never waiting for the other end of a pipe.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(descriptor, bytes_max)
    finally:
        os.close(descriptor)
