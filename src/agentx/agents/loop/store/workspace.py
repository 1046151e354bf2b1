"""The files of the project's folder, for a model: by descriptor, and no link is followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from agentx.agents.loop.limits import LOOP_FILE_BYTES_MAX, LOOP_FOLDERS_DEEP_MAX
from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import Listing, list_folder, look, open_to_read
from agentx.kernel.errors import UnsafePath

_NEW_FILE = 0o644


class Workspace:
    """The folder that a loop works in."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, names: tuple[str, ...], *, is_installed: bool = False) -> bytes:
        """Return what is in a file that has no other name, which may lie anywhere.

        What tools installed has others: of that, what everybody may read is read.

        Raises: FileNotFoundError, UnsafePath, OSError.
        """
        path = self._at(names)
        with open_to_read(path, bytes_max=LOOP_FILE_BYTES_MAX, ground=self.root) as file:
            found = os.fstat(file.fileno())
            is_public = bool(found.st_mode & stat.S_IROTH)
            if found.st_nlink > 1 and not (is_public and is_installed):
                raise UnsafePath(
                    f"{'/'.join(names)} has another name (a hard link), which may lie outside",
                    hint="a person may put a copy in its place",
                )
            return file.read(LOOP_FILE_BYTES_MAX)

    def exists(self, names: tuple[str, ...]) -> bool:
        """Tell whether something has this name.

        Raises: UnsafePath where a link is in the way, OSError.
        """
        return look(self._at(names), ground=self.root) is not None

    def is_folder(self, names: tuple[str, ...]) -> bool:
        """Tell whether it is a folder.

        Raises: as `exists`.
        """
        if not names:
            return True
        found = look(self._at(names), ground=self.root)
        return found is not None and stat.S_ISDIR(found.st_mode)

    def list(self, names: tuple[str, ...]) -> Listing:
        """Return what lies in a folder.

        Raises: UnsafePath, OSError.
        """
        return list_folder(self._at(names), ground=self.root if names else None)

    def names_in(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of all that lies in a folder; none where there is no such folder.

        Raises: UnsafePath, OSError.
        """
        found = self.list(names)
        return (*found.files, *found.folders, *found.refused)

    def walk(
        self, names: tuple[str, ...], skips: Callable[[str], bool]
    ) -> Iterator[tuple[str, ...]]:
        """Yield every plain file below a folder, but below folders that are skipped.

        What cannot be looked into, or lies far too deep, is left out.

        Raises: UnsafePath, OSError where the folder itself cannot be looked into.
        """
        left, listing = [names], self.list(names)
        while left:
            here = left.pop()
            if here != names:
                try:
                    listing = self.list(here)
                except OSError:
                    continue
            yield from ((*here, name) for name in listing.files)
            if len(here) - len(names) < LOOP_FOLDERS_DEEP_MAX:
                left += [(*here, name) for name in reversed(listing.folders) if not skips(name)]

    def write(self, names: tuple[str, ...], content: bytes) -> None:
        """Put a content into a file, whole or not at all; its mode stays.

        Raises: UnavailableError, UnsafePath.
        """
        path = self._at(names)
        if len(content) > LOOP_FILE_BYTES_MAX:
            raise UnsafePath(
                f"{'/'.join(names)}: {len(content):,} bytes are too many",
                hint=f"at most {LOOP_FILE_BYTES_MAX:,}",
            )
        found = look(path, ground=self.root)
        mode = _NEW_FILE if found is None else stat.S_IMODE(found.st_mode) & 0o777
        replace_file(path, content, mode, ground=self.root)

    def _at(self, names: tuple[str, ...]) -> Path:
        return self.root.joinpath(*names)
