"""All that lies in a folder as a commit, before anything in it is taken back.

What git ignores is not part of it: nothing here takes such files away.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentx.host.files.atomic import temporary_beside
from agentx.host.files.plain import exists, remove
from agentx.host.git.command import do_git
from agentx.host.git.work import (
    as_somebody,
    git_done,
    git_file,
    list_changed_files,
    stage_files,
)
from agentx.kernel.values import frozen

_SAYING = "What lay in a folder before it was put back"


@frozen
class Snapshot:
    """What lay in a folder: its files as a tree, and all of it as a commit upon HEAD."""

    files: str
    commit: str


def take_snapshot(folder: Path) -> Snapshot:
    """Write what lies in a folder, and what is staged there, as a commit; the folder stays.

    Raises: UnavailableError.
    """
    with _copy_index(folder) as copy:
        staged = do_git(folder, "write-tree", index=copy)  # not of one with conflicts
        files = _write(folder, copy)
    parents = ["-p", "HEAD"]
    if staged.code == 0:
        parents += ["-p", _commit(folder, staged.out.strip(), "-p", "HEAD")]
    return Snapshot(files=files, commit=_commit(folder, files, *parents))


def write_files(folder: Path) -> str:
    """Write what lies in a folder as a tree; the folder stays.

    Raises: UnavailableError.
    """
    with _copy_index(folder) as copy:
        return _write(folder, copy)


@contextmanager
def _copy_index(folder: Path) -> Iterator[Path]:
    import shutil  # noqa: PLC0415  few need it, and it takes long to load

    index = git_file(folder, "index")
    copy = temporary_beside(index)
    try:
        if exists(index):
            # With its times: by them git knows which files may have changed in the second in
            # which it noted them, and reads these.
            shutil.copyfile(index, copy)
            shutil.copystat(index, copy)
        yield copy
    finally:
        remove(copy)


def _write(folder: Path, index: Path) -> str:
    stage_files(folder, list_changed_files(folder, one_by_one=True), index=index)
    return git_done(folder, "write-tree", index=index).out.strip()


def _commit(folder: Path, tree: str, *parents: str) -> str:
    words = ("commit-tree", tree, *parents, "-m", _SAYING)
    return git_done(folder, *as_somebody(folder), *words).out.strip()
