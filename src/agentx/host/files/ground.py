"""Where a path leads: nothing in a repository is opened through a symbolic link.

A repository may be a stranger's, and a link in it leads wherever the stranger liked: to a
shell profile, a key, a device. So a path of ours in a repository is walked component by
component from its *ground*, by descriptor, and no component below the ground may be a
link. Nothing is looked up twice: what was checked is what is used.

The ground is known from the path itself: it is the folder that holds the first `.agentx` or
`.agent-memory`, so that nobody can forget to name it. For other files of a repository
(`CLAUDE.md`, `.claude/settings.json`) it is given. Above the ground links are followed, since
/home may be one; a path without a ground (a file of the user's own home) may lead through links.
"""

from __future__ import annotations

import errno
import os
import stat
from functools import lru_cache
from pathlib import Path
from typing import Self

from agentx.kernel.errors import UnsafePath

GUARDED = frozenset({".agentx", ".agent-memory"})

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_PLAIN = os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY  # nothing is waited for
_PATHS_MAX = 4_096  # a command looks at the same few hundred again and again
_NO_FOLDER = frozenset({errno.ENOTDIR, errno.ELOOP, errno.EMLINK})


class Folder:
    """An open folder: what is done in it is done by its descriptor."""

    __slots__ = ("_follow", "descriptor", "path")

    def __init__(self, path: str, descriptor: int, *, follow: bool) -> None:
        self.path = path
        self.descriptor = descriptor
        self._follow = follow

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """Open a plain file and return its descriptor; nothing else is waited for or read.

        Raises: UnsafePath for a link, a pipe, a device or a folder; OSError.
        """
        flags |= _PLAIN if self._follow else _PLAIN | os.O_NOFOLLOW
        try:
            descriptor = os.open(name, flags, mode, dir_fd=self.descriptor)
        except OSError as error:
            raise self._explain(name, error) from None
        return _check_plain(descriptor, f"{self.path}/{name}")

    def stat(self, name: str) -> os.stat_result:
        """Return what is known of a file or folder.

        Raises: UnsafePath for a link, OSError.
        """
        try:
            found = os.stat(name, dir_fd=self.descriptor, follow_symlinks=self._follow)
        except OSError as error:
            raise self._explain(name, error) from None
        if stat.S_ISLNK(found.st_mode):
            raise refuse_link(f"{self.path}/{name}")
        return found

    def make(self, name: str, mode: int) -> None:
        """Make a folder in this one; one that is there is left as it is.

        Raises: OSError.
        """
        try:
            os.mkdir(name, mode, dir_fd=self.descriptor)
        except FileExistsError:
            return
        except OSError as error:
            raise self._explain(name, error) from None
        self.sync()

    def unlink(self, name: str) -> None:
        """Take a name away; of a link it is the link that goes.

        Raises: OSError.
        """
        try:
            os.unlink(name, dir_fd=self.descriptor)
        except OSError as error:
            raise self._explain(name, error) from None

    def sync(self) -> None:
        """Make the names in the folder durable."""
        os.fsync(self.descriptor)

    def enter(self, name: str) -> Folder:
        """Open a folder in this one, to be closed by the caller.

        Raises: UnsafePath for a link, OSError.
        """
        flags = _FOLDER if self._follow else _FOLDER | os.O_NOFOLLOW
        try:
            below = os.open(name, flags, dir_fd=self.descriptor)
        except OSError as error:
            raise self._explain(name, error) from None
        return Folder(f"{self.path}/{name}", below, follow=self._follow)

    def close(self) -> None:
        """Let go of it."""
        os.close(self.descriptor)

    def _explain(self, name: str, error: OSError) -> OSError:
        if error.errno in _NO_FOLDER and not self._follow and _is_link(name, self.descriptor):
            return refuse_link(f"{self.path}/{name}")
        return _explain(f"{self.path}/{name}", error)


def opening(path: Path, *, ground: Path | None = None) -> Folder:
    """Open a folder; it is let go of at the end of its `with`.

    Raises: UnsafePath where a link is in the way, OSError.
    """
    base, way = _split(path, ground)
    if not way:
        text = os.fspath(path)
        return Folder(text, _open_base(text), follow=True)
    return _go_down(base, way)


class opening_parent:  # noqa: N801  a verb: it is used as a function of a `with` statement
    """Open the folder that holds a file; give it and the file's name in it.

    Raises: as `opening`.
    """

    __slots__ = ("_folder", "_ground", "_path")
    _folder: Folder

    def __init__(self, path: Path, *, ground: Path | None = None) -> None:
        self._path = path
        self._ground = ground

    def __enter__(self) -> tuple[Folder, str]:
        base, way = _split(self._path, self._ground)
        if way:
            self._folder = _go_down(base, way[:-1])
            return self._folder, way[-1]
        head, name = os.path.split(os.fspath(self._path))
        self._folder = Folder(head or ".", _open_base(head or "."), follow=True)
        return self._folder, name

    def __exit__(self, *_: object) -> None:
        self._folder.close()


def open_file(path: Path, *, ground: Path | None = None) -> int:
    """Open a plain file to read it, and return its descriptor.

    Raises: as `opening` and `Folder.open`.
    """
    base, way = _split(path, ground)
    if way:
        with _go_down(base, way[:-1]) as folder:
            return folder.open(way[-1], os.O_RDONLY)
    text = os.fspath(path)
    try:
        descriptor = os.open(text, os.O_RDONLY | _PLAIN)
    except OSError as error:
        raise _explain(text, error) from None
    return _check_plain(descriptor, text)


def look_at_file(path: Path, *, ground: Path | None = None) -> os.stat_result:
    """Return what is known of a file or folder.

    Raises: as `opening` and `Folder.stat`.
    """
    base, way = _split(path, ground)
    if way:
        with _go_down(base, way[:-1]) as folder:
            return folder.stat(way[-1])
    return os.stat(path)  # noqa: PTH116  as text, as all of this module


def make_folders(path: Path, *, private: bool, ground: Path | None = None) -> None:
    """Make a folder and those above it that are missing; private ones for this user only.

    Raises: UnsafePath where a link is in the way, OSError.
    """
    mode = 0o700 if private else 0o777
    base, way = _split(path, ground)
    _make_above(base if way else os.fspath(path), mode)
    if not way:
        return
    folder = Folder(base, _open_base(base), follow=False)
    try:
        for part in way:
            above = folder
            try:
                folder = above.enter(part)
            except FileNotFoundError:
                above.make(part, mode)
                folder = above.enter(part)
            above.close()
    finally:
        folder.close()


def find_ground(path: Path) -> Path | None:
    """Return the folder from which no link is followed; None where all may be."""
    base, way = _split(path, None)
    return Path(base) if way else None


def ground_of(path: Path, root: Path) -> Path | None:
    """Return the root of a repository for a file that somebody named and that lies in it."""
    return root if path.absolute().is_relative_to(root) else None


def refuse_link(path: str) -> UnsafePath:
    """Return the error for a link in a repository."""
    return UnsafePath(
        f"{path} is a symbolic link: AgentX follows none in a repository",
        hint="put the file or folder itself in its place, or remove the link",
        number=errno.ELOOP,
        path=path,
    )


def refuse_odd_file(path: str) -> UnsafePath:
    """Return the error for something that is no plain file."""
    return UnsafePath(
        f"{path} is no plain file",
        hint="put a plain file in its place, or remove it",
        number=errno.EINVAL,
        path=path,
    )


def _check_plain(descriptor: int, path: str) -> int:
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise refuse_odd_file(path)


def _explain(path: str, error: OSError) -> OSError:
    if error.errno in (errno.ENXIO, errno.EISDIR):  # a pipe nobody reads, a socket, a folder
        return refuse_odd_file(path)
    error.filename = path
    return error


def _go_down(base: str, way: tuple[str, ...]) -> Folder:
    """Open the folder to which a way leads; no component of the way may be a link."""
    if not way:
        return Folder(base, _open_base(base), follow=False)
    try:
        # The first component is the last of what is opened, so that it is no link either.
        below = os.open(f"{base}/{way[0]}", _FOLDER | os.O_NOFOLLOW)
    except OSError:
        with Folder(base, _open_base(base), follow=False) as folder:
            here = folder.enter(way[0])  # says what is in the way
    else:
        here = Folder(f"{base}/{way[0]}", below, follow=False)
    for part in way[1:]:
        with here as above:
            here = above.enter(part)
    return here


def _open_base(path: str) -> int:
    return os.open(path, _FOLDER)


def _make_above(path: str, mode: int) -> None:
    missing = []
    while not os.path.isdir(path):  # noqa: PTH112  as text, as all of this module
        missing.append(path)
        path = os.path.dirname(path) or "."  # noqa: PTH120  as above
    for each in reversed(missing):
        with opening_parent(Path(each)) as (folder, name):
            folder.make(name, mode)


def _split(path: Path, ground: Path | None) -> tuple[str, tuple[str, ...]]:
    """Return the ground and the way from there; no way where there is no ground."""
    text = os.fspath(path)
    if ground is None:
        return _split_text(text, None)
    if not text.startswith("/"):
        text = f"{os.getcwd()}/{text}"  # noqa: PTH109  as text, as all of this module
    return _split_text(text, os.fspath(ground))


@lru_cache(_PATHS_MAX)
def _split_text(text: str, ground: str | None) -> tuple[str, tuple[str, ...]]:
    if "\0" in text:
        raise UnsafePath(f"{text!r} is no name of a file", number=errno.EINVAL)
    parts = text.split("/")
    at = _first_guarded(parts) if ".agent" in text.lower() else len(parts)
    if ground is not None:
        base = ground.rstrip("/")
        if not text.startswith(f"{base}/"):
            raise UnsafePath(
                f"{text} is not in {base}",
                hint="name a file inside it",
                number=errno.EXDEV,
                path=text,
            )
        at = min(at, base.count("/") + 1)
    if at == len(parts):
        return "", ()
    way = tuple(part for part in parts[at:] if part not in ("", "."))
    if ".." in way:
        raise UnsafePath(
            f"{text} leads out of its folder",
            hint="write it without ..",
            number=errno.EXDEV,
            path=text,
        )
    head = "/".join(parts[:at])
    return head or ("/" if text.startswith("/") else "."), way


def _first_guarded(parts: list[str]) -> int:
    for at, part in enumerate(parts):
        if part.lower() in GUARDED:
            return at
    return len(parts)


def _is_link(name: str, folder: int) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode)
    except OSError:
        return False
