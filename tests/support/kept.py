"""A folder that is furnished once, and lent to each test as it was then, in the same place."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")

_Mark = tuple[int | str, ...]
_WAITS_S = (0.1, 0.3, 1.0, 0.0)


class KeptFolder(Generic[T]):
    """A folder, and whoever works in it, as both were when it was furnished."""

    def __init__(self, root: Path, furnish: Callable[[Path], T]) -> None:
        self._place = root / "place"
        self._place.mkdir()
        self._made = furnish(self._place)
        self._copy = root / "kept"
        shutil.copytree(self._place, self._copy, symlinks=True)
        self._marks: dict[str, _Mark] = {}  # what each thing in the place is when it is as it was
        self._lay_anew()  # git links files of clones to each other: no more of that

    def put_back(self) -> None:
        """Put everything back as it was; who still writes there is waited for, a little."""
        with suppress(OSError):
            self._mend()
            if self._look() == self._marks:
                return
        for wait_s in _WAITS_S:
            try:
                self._lay_anew()
            except (OSError, shutil.Error):
                if not wait_s:
                    raise
                time.sleep(wait_s)
            else:
                return

    def lend(self) -> T:
        """Put everything back, and give who works there as they were then."""
        self.put_back()
        return deepcopy(self._made)

    def _lay_anew(self) -> None:
        shutil.rmtree(self._place)
        shutil.copytree(self._copy, self._place, symlinks=True)
        self._marks = self._look()

    def _mend(self) -> None:
        """Put back what is not as it was: of hundreds of files that are some."""
        found = self._look()
        wrong = {name for name, mark in found.items() if self._marks.get(name) != mark}
        for name in sorted(wrong, reverse=True):  # what is in a folder before the folder
            mark = self._marks.get(name)
            path = self._place / name
            if not stat.S_ISDIR(path.lstat().st_mode):
                path.unlink()
            elif mark is None or not _is_folder(mark):
                path.rmdir()
        for name in sorted(self._marks.keys() - (found.keys() - wrong)):  # and a folder before that
            kept, path = self._copy / name, self._place / name
            if not _is_folder(self._marks[name]):
                shutil.copy2(kept, path, follow_symlinks=False)
                self._marks[name] = _mark(path.lstat())
            elif name not in found or not _is_folder(found[name]):
                path.mkdir()
        for name, mark in self._marks.items():
            if _is_folder(mark) and _mark((self._place / name).lstat()) != mark:
                shutil.copystat(self._copy / name, self._place / name)

    def _look(self) -> dict[str, _Mark]:
        top = len(str(self._place)) + 1
        found: dict[str, _Mark] = {"": _mark(self._place.lstat())}
        folders = [str(self._place)]
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    found[entry.path[top:]] = _mark(entry.stat(follow_symlinks=False))
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        return found


def _mark(status: os.stat_result) -> _Mark:
    """Return what changes when somebody changes a file; of a folder its time, which is put back."""
    if stat.S_ISDIR(status.st_mode):
        return ("folder", status.st_mode, status.st_mtime_ns)
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return ("file", status.st_mode, status.st_ino, status.st_size, *times)


def _is_folder(mark: _Mark) -> bool:
    return mark[0] == "folder"
