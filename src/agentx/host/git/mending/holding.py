"""Whether a git still works in a folder: nothing of a living one is taken from it.

Who begins something holds a file (a lock of the kernel's) and gives it to its git: it stays held
until the last process that was begun so is gone, however it ends. Of a git that somebody else
began `/proc` tells, where there is one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agentx.host.files.plain import exists, look, remove
from agentx.host.git.work import git_file
from agentx.host.locks.flock import Flock
from agentx.kernel.errors import ConflictError

WAIT_S = 10.0
_LOOK_EVERY_S = 0.05
_PROC = Path("/proc")


@contextmanager
def hold(file: Path, folder: Path) -> Iterator[int]:
    """Hold a file while something is done in a folder; one that another holds is waited for.

    Gives the descriptor that a git is given. The file is taken away at the end, not by a kill.

    Raises: ConflictError where what another began does not end.
    """
    deadline = time.monotonic() + WAIT_S
    while (held := Flock.claim(file)) is None:
        if time.monotonic() > deadline:
            raise _refuse(folder, _list_openers(file), f"it holds {file}")
        time.sleep(_LOOK_EVERY_S)
    try:
        yield held.descriptor
    finally:
        os.close(held.descriptor)  # not released: what was begun and lives on still holds it


def release_lock(folder: Path) -> None:
    """Take away the lock of a git that is gone; one that lives is waited for.

    Raises: ConflictError where it does not end, or cannot be seen.
    """
    lock = git_file(folder, "index.lock")
    deadline, is_left = time.monotonic() + WAIT_S, False
    while exists(lock):
        holders = list_holders(folder, lock)
        if holders == () and is_left:  # seen twice: nobody was just about to let go
            remove(lock)
            return
        is_left = holders == ()
        if not is_left and time.monotonic() > deadline:  # on a busy machine one look takes long
            raise refuse_locked(folder, lock)
        time.sleep(_LOOK_EVERY_S)


def await_release(lock: Path) -> bool:
    """Wait until a lock is gone; tell whether it is."""
    deadline = time.monotonic() + WAIT_S
    while exists(lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_EVERY_S)
    return True


def refuse_locked(folder: Path, lock: Path) -> ConflictError:
    """Return that a git has locked a folder: which, or what to do where none is seen."""
    holders = list_holders(folder, lock)
    if holders:
        return _refuse(folder, holders, f"it holds {lock}")
    return ConflictError(
        f"git has locked {folder}: {lock}", hint=f"if no git runs there: rm {lock}"
    )


def list_holders(folder: Path, lock: Path) -> tuple[int, ...] | None:
    """Return the processes that may hold a lock: who has it open, and each git in its folder.

    A git closes its lock while it waits for an editor. None where the system does not say.
    """
    if not exists(_PROC / "self" / "fd"):
        return None
    return tuple(sorted({*_list_openers(lock), *_list_gits(folder)}))


def _list_openers(file: Path) -> Iterator[int]:
    """Yield the processes that have a file open, but not this one."""
    wanted = look(file)
    if wanted is not None:
        yield from (pid for pid in _list_processes() if _has_open(pid, wanted))


def _has_open(pid: int, wanted: os.stat_result) -> bool:
    with suppress(OSError):
        for each in (_PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):
                if os.path.samestat(each.stat(), wanted):
                    return True
    return False


def _list_gits(folder: Path) -> Iterator[int]:
    """Yield each git of the user's that works in a folder, or of which that cannot be told.

    Another user's can as a rule not write there, and many services are called git-something.
    """
    place = folder.resolve()
    for pid in _list_processes():
        with suppress(FileNotFoundError, ProcessLookupError):
            is_ours = (_PROC / str(pid)).stat().st_uid == os.geteuid()
            name = _name_process(pid)
            if not is_ours or not (name == "git" or name.startswith("git-")):
                continue
            try:
                where = (_PROC / str(pid) / "cwd").readlink()
            except PermissionError:
                yield pid
            else:
                if where == place or place in where.parents:
                    yield pid


def _list_processes() -> Iterator[int]:
    with suppress(OSError):
        for each in _PROC.iterdir():
            if each.name.isdigit() and int(each.name) != os.getpid():
                yield int(each.name)


def _name_process(pid: int) -> str:
    return (_PROC / str(pid) / "comm").read_text("utf-8", "replace").strip()


def _refuse(folder: Path, pids: Iterator[int] | tuple[int, ...], why: str) -> ConflictError:
    """Return that something still works in a folder: what, and how it is ended."""
    numbers = [str(pid) for pid in pids]
    who = f"process {', '.join(numbers)}" if numbers else "a process that is not seen from here"
    end = f", or end it: kill {' '.join(numbers)}" if numbers else ""
    return ConflictError(
        f"{who} still works in {folder}: {why}", hint=f"wait for its end{end}; then try again"
    )
