"""What a session was told, so that it is told nothing twice: a file a session, an id a line.

    <spool>/<where it came from>/told/<agent CLI and session>

What the section at its start told stands there with a mark: at a prompt it is known, and at the
action that it is about, far from the start, it is told once more.

Whatever cannot be noted is not told. Two hooks of one session may run at once: who notes an id
first, under a lock, tells it. Files of sessions that nobody saw for a week are swept when another
session begins.
"""

import os
import time

from agentx.kernel.places import encode_name
from agentx.surfaces.hooks.settled import find_spool
from agentx.surfaces.hooks.spool import Caller

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_KIND, _REGULAR = 0o170000, 0o100000
_BYTES_MAX = 65_536
_LOCK_TRIES = 8
_LOCK_PAUSE_S = 0.004
_KEPT_S = 7 * 86_400
_LOOKED_AT_MAX = 500
_AT_START = "~"


def list_told(call: Caller, session: str) -> list[str]:
    """Return what a session was told."""
    return note_told(call, session, [])[1]


def note_told(
    call: Caller, session: str, ids: list[str], *, again_after_start: bool = False
) -> tuple[list[str], list[str]]:
    """Note what a session is told; return what of it is new to it, and all it was told before.

    `again_after_start`: what it was told when it began counts as new.
    """
    return _add_ids(call, session, ids, again_after_start=again_after_start)


def note_start(call: Caller, session: str, ids: list[str], *, goes_on: bool) -> None:
    """Note what a session is told when it begins; one that does not go on knows nothing else."""
    _add_ids(call, session, [_AT_START + each for each in ids], anew=not goes_on)


def _add_ids(
    call: Caller,
    session: str,
    ids: list[str],
    *,
    anew: bool = False,
    again_after_start: bool = True,
) -> tuple[list[str], list[str]]:
    if not session:
        return [], []
    try:
        file = _open(call, session)
    except OSError:
        return [], []
    try:
        _lock(file)
        if anew:
            os.ftruncate(file, 0)
        return _note(file, ids, again_after_start=again_after_start)
    except OSError:
        return [], []
    finally:
        os.close(file)


def sweep_told(call: Caller) -> None:
    """Remove what was told to sessions long ago."""
    before = time.time() - _KEPT_S
    try:
        folder = os.open(_find_folder(call), _FOLDER)
    except OSError:
        return
    try:
        for name in os.listdir(folder)[:_LOOKED_AT_MAX]:
            if os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime < before:
                os.unlink(name, dir_fd=folder)
    except OSError:
        pass
    finally:
        os.close(folder)


def _find_folder(call: Caller) -> str:
    return os.path.join(find_spool(call.cwd, call.project), "told")


def _open(call: Caller, session: str) -> int:
    """Open the file of a session, through no link.

    Raises: OSError.
    """
    path = _find_folder(call)
    try:
        folder = os.open(path, _FOLDER)
    except FileNotFoundError:
        os.mkdir(path, 0o700)
        folder = os.open(path, _FOLDER)
    try:
        name = encode_name(f"{call.harness}+{session}")
        file = os.open(name, _FILE, 0o600, dir_fd=folder)
    finally:
        os.close(folder)
    there = os.fstat(file)
    if there.st_mode & _KIND != _REGULAR or there.st_uid != os.getuid():
        os.close(file)
        raise PermissionError(path)
    return file


def _note(file: int, ids: list[str], *, again_after_start: bool) -> tuple[list[str], list[str]]:
    """Add to a file what it does not hold.

    Raises: OSError.
    """
    held = os.read(file, _BYTES_MAX + 1)
    lines = held.decode("utf-8", "replace").split()
    before = [each.lstrip(_AT_START) for each in lines]
    known = set(lines if again_after_start else before)
    new = [each for each in dict.fromkeys(ids) if each.strip() and each not in known]
    written = "".join([f"{each}\n" for each in new]).encode("utf-8", "replace")
    if len(held) + len(written) > _BYTES_MAX:
        return [], before  # so much was told that nothing more is
    if written:
        os.lseek(file, 0, os.SEEK_END)
        os.write(file, written)
    return new, before


def _lock(file: int) -> None:
    """Lock a file, without waiting long.

    Raises: OSError.
    """
    import fcntl

    for _ in range(_LOCK_TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(_LOCK_PAUSE_S)
    raise BlockingIOError("somebody else holds it for too long")
