"""Plain files and folders: read, listed, looked at, moved and removed, all from their ground.

What a repository has in the place of a plain file (a link, a pipe, a device, a file without
end) is refused with an `UnsafePath`, which is an `OSError` too. In a folder full of files such
a one is left out and named, and the others are read.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from agentx.host.files.ground import Folder, look_at_file, open_file, opening, opening_parent
from agentx.host.limits import PLAIN_FILE_BYTES_MAX
from agentx.host.system import system_entropy
from agentx.kernel.errors import UnsafePath
from agentx.kernel.values import frozen

_BLOCK_BYTES = 1024 * 1024
_NO_LINKS = (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_NAME_BYTES_MAX = 200  # a name may have 255 bytes; the rest of a temporary's name needs room too


@frozen
class Listing:
    """What lies in a folder, by name, in order."""

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()  # links, pipes, devices


def read_bytes(
    path: Path, *, bytes_max: int = PLAIN_FILE_BYTES_MAX, ground: Path | None = None
) -> bytes:
    """Return what is in a plain file.

    Raises: FileNotFoundError, UnsafePath for what is no plain file or too large, OSError.
    """
    return _read_opened(open_file(path, ground=ground), str(path), bytes_max)


def read_text(
    path: Path,
    *,
    bytes_max: int = PLAIN_FILE_BYTES_MAX,
    ground: Path | None = None,
    errors: str = "strict",
) -> str:
    """Return the text of a plain file.

    Raises: as `read_bytes`, and UnicodeDecodeError.
    """
    return read_bytes(path, bytes_max=bytes_max, ground=ground).decode("utf-8", errors)


def read_in(folder: Folder, name: str, *, bytes_max: int = PLAIN_FILE_BYTES_MAX) -> bytes:
    """Return what is in a plain file of an open folder.

    Raises: as `read_bytes`.
    """
    return _read_opened(folder.open(name, os.O_RDONLY), f"{folder.path}/{name}", bytes_max)


def _read_opened(descriptor: int, path: str, bytes_max: int) -> bytes:
    try:
        size = os.fstat(descriptor).st_size
        if size > bytes_max:
            raise _too_large(path, bytes_max)
        # Most files come whole in the first read: one byte more shows that nothing follows.
        raw = os.read(descriptor, size + 1)
        if len(raw) == size:
            return raw
        blocks, count = [raw], len(raw)
        while block := os.read(descriptor, _BLOCK_BYTES):
            blocks.append(block)
            count += len(block)
            if count > bytes_max:
                raise _too_large(path, bytes_max)
        return b"".join(blocks)
    finally:
        os.close(descriptor)


def open_to_read(
    path: Path, *, bytes_max: int = PLAIN_FILE_BYTES_MAX, ground: Path | None = None
) -> BinaryIO:
    """Open a plain file for reading piece by piece.

    Raises: as `read_bytes`.
    """
    descriptor = open_file(path, ground=ground)
    if os.fstat(descriptor).st_size > bytes_max:
        os.close(descriptor)
        raise _too_large(str(path), bytes_max)
    return os.fdopen(descriptor, "rb")


def open_to_write(path: Path, flags: int, mode: int = 0o600, *, ground: Path | None = None) -> int:
    """Open a plain file to change it in place, and return its descriptor.

    A file that has another name elsewhere (a hard link) is replaced by its own copy first: what
    is written here must not appear there.

    Raises: UnsafePath for what is no plain file, OSError.
    """
    kept = flags & ~os.O_TRUNC  # emptied below: not before it is known to be ours alone
    with opening_parent(path, ground=ground) as (folder, name):
        descriptor = folder.open(name, kept, mode)
        if os.fstat(descriptor).st_nlink > 1:
            os.close(descriptor)
            _part(folder, name)
            descriptor = folder.open(name, kept, mode)
        if flags & os.O_TRUNC:
            os.ftruncate(descriptor, 0)
        return descriptor


def list_folder(path: Path, *, ground: Path | None = None) -> Listing:
    """Return what lies in a folder; nothing where there is none.

    Raises: UnsafePath where a link is in the way, OSError.
    """
    try:
        with opening(path, ground=ground) as folder:
            return list_open(folder)
    except FileNotFoundError:
        return Listing()


def list_open(folder: Folder) -> Listing:
    """Return what lies in a folder that is open.

    Raises: OSError.
    """
    files, folders, refused = [], [], []
    with os.scandir(folder.descriptor) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            elif entry.is_file(follow_symlinks=False):
                files.append(entry.name)
            else:
                refused.append(entry.name)
    return Listing(
        files=tuple(sorted(files)), folders=tuple(sorted(folders)), refused=tuple(sorted(refused))
    )


def measure_file(path: Path | str) -> int:
    """Return how long a plain file is, or -1; the folders above it are not checked."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return -1
    return found.st_size if stat.S_ISREG(found.st_mode) else -1


def look(path: Path, *, ground: Path | None = None) -> os.stat_result | None:
    """Return what is known of a file or folder; None where there is none.

    Raises: UnsafePath where a link is in the way, OSError.
    """
    try:
        return look_at_file(path, ground=ground)
    except (FileNotFoundError, NotADirectoryError):
        return None


def exists(path: Path, *, ground: Path | None = None) -> bool:
    """Tell whether there is such a file or folder.

    Raises: as `look`.
    """
    return look(path, ground=ground) is not None


def is_file(path: Path, *, ground: Path | None = None) -> bool:
    """Tell whether there is such a plain file; a link is none."""
    return _has_kind(path, ground, stat.S_ISREG)


def is_folder(path: Path, *, ground: Path | None = None) -> bool:
    """Tell whether there is such a folder; a link is none."""
    return _has_kind(path, ground, stat.S_ISDIR)


def remove(path: Path, *, ground: Path | None = None) -> bool:
    """Take a file away; tell whether it was there. Of a link it is the link that goes.

    Raises: UnsafePath where a link is in the way, OSError.
    """
    try:
        with opening_parent(path, ground=ground) as (folder, name):
            folder.unlink(name)
    except FileNotFoundError:
        return False
    return True


def remove_tree(path: Path, *, ground: Path | None = None) -> None:
    """Take a folder away with all that is in it; links in it go, what they lead to stays.

    Raises: UnsafePath where a link is in the way, OSError.
    """
    import shutil  # noqa: PLC0415  few take folders away, and it takes long to load

    try:
        with opening_parent(path, ground=ground) as (folder, name):
            folder.stat(name)
            shutil.rmtree(name, dir_fd=folder.descriptor)
    except FileNotFoundError:
        return


def rename(source: Path, target: Path, *, ground: Path | None = None) -> None:
    """Give a file or folder another name, durably; what has that name is replaced.

    Raises: UnsafePath where a link is in the way, OSError.
    """
    with (
        opening_parent(source, ground=ground) as (old, name),
        opening_parent(target, ground=ground) as (new, other),
    ):
        old.stat(name)
        os.rename(name, other, src_dir_fd=old.descriptor, dst_dir_fd=new.descriptor)
        new.sync()
        if not os.path.samestat(os.fstat(old.descriptor), os.fstat(new.descriptor)):
            old.sync()


def replace_in(
    folder: Folder,
    name: str,
    mode: int,
    fill: Callable[[int], None],
    *,
    written: Callable[[], None] = lambda: None,
) -> None:
    """Put a new file in the place of a name, in one step: whole, or not at all.

    Raises: UnsafePath for a link in its place, OSError.
    """
    with contextlib.suppress(FileNotFoundError):
        folder.stat(name)
    temporary = temporary_name(name)
    with _writing_beside(folder, temporary, mode, fill):
        written()
        where = folder.descriptor
        os.rename(temporary, name, src_dir_fd=where, dst_dir_fd=where)


def create_in(
    folder: Folder, name: str, mode: int, fill: Callable[[int], None], *, temporary: str
) -> bool:
    """Give a new file a name, whole and in one step; False when the name is not free.

    Until then it has a temporary name that nobody else has.

    Raises: OSError; `has_no_links` tells whether the file system cannot do this.
    """
    try:
        with _writing_beside(folder, temporary, mode, fill):
            where = folder.descriptor
            os.link(temporary, name, src_dir_fd=where, dst_dir_fd=where, follow_symlinks=False)
    except FileExistsError:
        return False
    folder.unlink(temporary)
    return True


def has_no_links(error: OSError) -> bool:
    """Tell whether a file system refused a second name because it knows of none."""
    return error.errno in _NO_LINKS


@contextlib.contextmanager
def _writing_beside(
    folder: Folder, temporary: str, mode: int, fill: Callable[[int], None]
) -> Iterator[None]:
    """Write a file under a hidden name, to be given its own; on any error it is taken away."""
    descriptor = folder.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        try:
            os.fchmod(descriptor, mode)
            fill(descriptor)
        finally:
            os.close(descriptor)
        yield
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            folder.unlink(temporary)
        raise


def temporary_name(name: str, mark: str = "") -> str:
    """Return a hidden name beside another that nobody else has; `mark` has 16 digits of chance."""
    stem = os.fsdecode(os.fsencode(name)[:_NAME_BYTES_MAX])
    return f".{stem}.{mark or system_entropy(8).hex()}.tmp"


def _has_kind(path: Path, ground: Path | None, is_kind: Callable[[int], bool]) -> bool:
    try:
        found = look(path, ground=ground)
    except OSError:
        return False
    return found is not None and is_kind(found.st_mode)


def _part(folder: Folder, name: str) -> None:
    """Put a copy of a file in the place of its name here, whatever other names it has."""
    original = folder.open(name, os.O_RDONLY)
    try:

        def fill(copy: int) -> None:
            while block := os.read(original, _BLOCK_BYTES):
                rest = memoryview(block)
                while rest:
                    rest = rest[os.write(copy, rest) :]
            os.fsync(copy)

        replace_in(folder, name, stat.S_IMODE(os.fstat(original).st_mode), fill)
    finally:
        os.close(original)
    folder.sync()


def _too_large(path: str, bytes_max: int) -> UnsafePath:
    return UnsafePath(
        f"{path} is larger than {bytes_max:,} bytes",
        hint="nothing of ours is so large: look at what it is, and remove it",
        number=errno.EFBIG,
        path=path,
    )
