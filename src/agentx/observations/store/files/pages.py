"""Where in the files of a store each record lies: who answers many questions reads a page once.

    page   { ... "observations": [{record}, {record}, ...] }
    kept   by its id where a record begins and ends; its bytes stay in the file
    opened of what was asked for lately, the records themselves

Where the file is packed, what it holds is kept unpacked. A page is read again when its file is
another one, or looks different. What is kept is bounded, and the page that was asked for longest
ago goes first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from threading import Lock

from agentx.host.files.plain import open_to_read
from agentx.kernel.values import frozen
from agentx.observations.store.files.pending import Seen, look_at
from agentx.observations.store.records import ObservationRecord

# Which of the page's records it is, where its bytes begin, and where they end.
Place = tuple[int, int, int]
PlacesById = dict[str, tuple[Place, ...]]  # more than one where ids are the same
Opened = ObservationRecord | None  # none where it is no observation

_KEPT_BYTES_MAX = 32 * 1024 * 1024
_PLACE_BYTES = 300  # that a place takes, about
_OPENED_BYTES_MAX = 4 * 1024 * 1024  # of one file, as they lie there


@frozen(kw_only=False)
class RecordPlaces:
    """Where records lie, and in what, where that is not the file."""

    places: PlacesById
    unpacked: bytes = b""

    @property
    def weight(self) -> int:
        """Return how much room it takes."""
        return len(self.unpacked) + len(self.places) * _PLACE_BYTES


@frozen(kw_only=False)
class PageSeen:
    """What a file held when it looked so."""

    seen: Seen
    placed: RecordPlaces
    opened: dict[Place, Opened] = field(default_factory=dict)

    def list_places(self, ids: Iterable[str]) -> list[Place]:
        """Return where some records lie, in their order."""
        return sorted(place for name in ids for place in self.placed.places.get(name, ()))

    def keep_opened(self, found: Mapping[Place, Opened]) -> None:
        """Keep records for whoever asks for them next, as long as there is room."""
        if sum(end - start for _, start, end in (*self.opened, *found)) > _OPENED_BYTES_MAX:
            self.opened.clear()
        self.opened.update(found)


class IssuePages:
    """Where the records of files lie, by the files' looks."""

    def __init__(self, bytes_max: int = _KEPT_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._lock = Lock()
        self._kept: dict[Path, PageSeen] = {}

    def find(self, path: Path, place: Callable[[Path], RecordPlaces | None]) -> PageSeen | None:
        """Return where the records of a file lie, placed anew where it may be another one by now.

        None where there is no file, or nothing tells where in it they lie.
        """
        try:
            # Looked at before it is read: what changes in between is seen when a piece is read.
            seen = look_at(path)
        except OSError:
            return None
        if seen is None:
            return None
        with self._lock:
            page = self._kept.pop(path, None)
        if page is None or page.seen != seen:
            placed = place(path)
            if placed is None:
                return None
            page = PageSeen(seen, placed)
        if page.placed.weight <= self._bytes_max:
            with self._lock:
                self._kept[path] = page
                self._make_room()
        return page

    def _make_room(self) -> None:
        size = sum(page.placed.weight for page in self._kept.values())
        while size > self._bytes_max:
            size -= self._kept.pop(next(iter(self._kept))).placed.weight


def read_pieces(path: Path, page: PageSeen, places: Sequence[Place]) -> list[bytes] | None:
    """Return the records that lie in some places; None where the file is no more what it was.

    Raises: OSError.
    """
    if page.placed.unpacked or not places:
        return [page.placed.unpacked[start:end] for _, start, end in places]
    with open_to_read(path) as file:
        found = os.fstat(file.fileno())
        if Seen(found.st_ino, found.st_size, found.st_mtime_ns) != page.seen:
            return None
        return [os.pread(file.fileno(), end - start, start) for _, start, end in places]
