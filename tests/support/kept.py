"""A folder that is furnished once, and lent to each test as it was then, in the same place."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")


class KeptFolder(Generic[T]):
    """A folder, and whoever works in it, as both were when it was furnished."""

    def __init__(self, root: Path, furnish: Callable[[Path], T]) -> None:
        self._place = root / "place"
        self._place.mkdir()
        self._made = furnish(self._place)
        self._copy = root / "kept"
        shutil.copytree(self._place, self._copy, symlinks=True)

    def put_back(self) -> None:
        """Put everything back as it was; who still writes there is waited for, a little."""
        for wait_s in (0.1, 0.3, 1.0):
            try:
                shutil.rmtree(self._place)
                shutil.copytree(self._copy, self._place, symlinks=True)
            except (OSError, shutil.Error):
                time.sleep(wait_s)
            else:
                return
        shutil.rmtree(self._place)
        shutil.copytree(self._copy, self._place, symlinks=True)

    def lend(self) -> T:
        """Put everything back, and give who works there as they were then."""
        self.put_back()
        return deepcopy(self._made)
