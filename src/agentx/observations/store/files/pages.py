"""The pages of a store that were read last: who answers many questions reads a page once.

A page is read again when its file is another one, or looks different. What is kept is bounded,
and what was asked for longest ago goes first.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock

import msgspec

from agentx.observations.store.files.pending import Seen, look_at

# By its id each record as it lies in the file, and where: more than one where ids are the same.
RawsById = dict[str, list[tuple[int, msgspec.Raw]]]

_KEPT_BYTES_MAX = 16 * 1024 * 1024


class IssuePages:
    """What files of records hold, by their looks."""

    def __init__(self, bytes_max: int = _KEPT_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._lock = Lock()
        self._kept: dict[Path, tuple[Seen, RawsById]] = {}

    def find(self, path: Path, read: Callable[[Path], RawsById]) -> RawsById:
        """Return what a file holds, read anew where it may hold something else by now."""
        try:
            # Looked at before it is read: what changes in between is read again the next time.
            seen = look_at(path)
        except OSError:
            return read(path)  # who reads it says what is wrong
        with self._lock:
            kept = self._kept.pop(path, None)
        raws = kept[1] if kept is not None and kept[0] == seen else read(path)
        if seen is not None and seen.size <= self._bytes_max:
            with self._lock:
                self._kept[path] = seen, raws
                self._make_room()
        return raws

    def _make_room(self) -> None:
        size = sum(seen.size for seen, _ in self._kept.values())
        while size > self._bytes_max:
            size -= self._kept.pop(next(iter(self._kept)))[0].size
