"""The rooms whose files can be found beside the log, for one project.

A room is imported when there is something new of it: every command that catches up asks all of
them. What parts a room had is noted beside the index, with the names, sizes and times of its files
and the setting that says which of them count; while those are the same, the note answers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from agentx import __version__
from agentx.host.files.atomic import replace_file
from agentx.host.files.ground import opening
from agentx.host.files.json_text import line_of, parse_json
from agentx.host.files.logfile import LogFile
from agentx.host.files.plain import is_folder, read_bytes
from agentx.host.limits import FOLDERS_DEEP_MAX
from agentx.kernel.clock import Clock
from agentx.kernel.errors import UnavailableError, UnsafePath
from agentx.kernel.ids import digest
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.search.document import Document
from agentx.views.documents.rooms import Rooms, RoomSource

_NOTES = "rooms.json"
# A file may change once more within the same tick of the disk's clock: then it looks the same.
_SETTLED_MS = 2_000


def searchable_rooms(project: Project) -> Rooms:
    """Return what is searched beside the log."""
    paths, store, clock = project.paths, project.store, project.clock

    # The imports below are what the module says: each room's, once it has files.
    def observations() -> RoomSource:
        from agentx.wiring.observation_upkeep import observation_source  # noqa: PLC0415

        return observation_source(project)

    def clarifications() -> RoomSource:
        from agentx.clarification.store.ledgers import LedgerStore  # noqa: PLC0415
        from agentx.views.documents.clarifications import ClarificationDocuments  # noqa: PLC0415

        return ClarificationDocuments(LedgerStore(paths, clock), project.id)

    def runs() -> RoomSource:
        from agentx.runs.store.run_store import RunStore  # noqa: PLC0415
        from agentx.views.documents.runs import RunDocuments  # noqa: PLC0415

        return RunDocuments(RunStore(paths, store, clock, project.entropy), project.id)

    def lessons() -> RoomSource:
        from agentx.lessons.store import LessonStore  # noqa: PLC0415
        from agentx.views.documents.lessons import LessonSource  # noqa: PLC0415

        return LessonSource(LessonStore(paths, store, clock, project.entropy), project.id)

    notes = _Notes(store.text_index / _NOTES, clock, project.log)
    backend = project.config.section(MemorySettings).backend
    return Rooms(
        (
            _OnceThere("observations", paths.observations, observations, notes, backend),
            _OnceThere("clarifications", paths.ledgers, clarifications, notes),
            _OnceThere("runs", paths.runs, runs, notes),
            _OnceThere("lessons", paths.lessons, lessons, notes),
        )
    )


class _Notes:
    """What parts each room had, by what its files looked like."""

    def __init__(self, path: Path, clock: Clock, log: LogFile) -> None:
        self._path = path
        self._clock = clock
        self._log = log

    def read(self, room: str, look: str) -> tuple[tuple[str, str], ...] | None:
        """Return the parts of a room whose files look so; None when that is not known."""
        match self._all().get(room):
            case [str(noted), dict(parts)] if noted == look:
                return tuple((str(key), str(stamp)) for key, stamp in parts.items())
            case _:
                return None

    def write(self, room: str, look: str, newest_ms: int, parts: Iterable[tuple[str, str]]) -> None:
        """Note the parts of a room, unless its files may still change unseen."""
        is_settled = self._clock.now_ms() - newest_ms >= _SETTLED_MS
        if not (is_settled and is_folder(self._path.parent)):
            return
        with suppress(UnavailableError):  # it only saves work
            replace_file(self._path, line_of({**self._all(), room: [look, dict(parts)]}))

    def report(self, room: str, error: UnsafePath) -> None:
        """Name what is left out; the other rooms are searched all the same."""
        self._log.record("warning", "room-left-out", room=room, message=error.message)

    def _all(self) -> dict[str, object]:
        try:
            said = parse_json(read_bytes(self._path))
        except (OSError, ValueError):
            return {}
        return said if isinstance(said, dict) else {}


class _OnceThere:
    """A room that is opened once there is something new in its folder."""

    def __init__(
        self,
        name: str,
        folder: Path,
        open_source: Callable[[], RoomSource],
        notes: _Notes,
        kept_as: str = "",
    ) -> None:
        self.name = name
        self._folder = folder
        self._open_source = open_source
        self._notes = notes
        self._kept_as = kept_as

    @cached_property
    def _source(self) -> RoomSource:
        return self._open_source()

    def parts(self) -> Iterable[tuple[str, str]]:
        """Return the key of each part with its stamp."""
        if not is_folder(self._folder):
            return ()
        look, newest_ms = _look_at(self._folder, self._kept_as)
        noted = self._notes.read(self.name, look)
        if noted is not None:
            return noted
        try:
            parts = tuple(self._source.parts())
        except UnsafePath as error:
            self._notes.report(self.name, error)
            parts = ()
        self._notes.write(self.name, look, newest_ms, parts)
        return parts

    def documents(self, key: str) -> Iterator[Document]:
        """Yield the documents of a part; none when it is gone."""
        if not is_folder(self._folder):
            return
        try:
            yield from self._source.documents(key)
        except UnsafePath as error:
            self._notes.report(self.name, error)


def _look_at(folder: Path, kept_as: str) -> tuple[str, int]:
    """Return what the files below a folder look like, and when the newest of them changed."""
    # Another release may tell the parts of a room in another way.
    looks, newest_ns, waiting = [__version__, kept_as], 0, [folder]
    deepest = str(folder).count("/") + FOLDERS_DEEP_MAX
    while waiting:
        try:
            with opening(waiting.pop()) as here, os.scandir(here.descriptor) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if here.path.count("/") < deepest:
                            waiting.append(Path(here.path, entry.name))
                        continue
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue  # gone since the folder was listed
                    newest_ns = max(newest_ns, status.st_mtime_ns)
                    name = f"{here.path}/{entry.name}"
                    looks.append(f"{name} {status.st_size} {status.st_mtime_ns} {status.st_ino}")
        except OSError:
            continue
    return digest(*sorted(looks)).hex(), newest_ns // 1_000_000
