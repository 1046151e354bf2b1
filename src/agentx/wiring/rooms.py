"""The rooms whose files can be found beside the log, for one project.

A room is imported when there is something new of it: every command that catches up asks all of
them. What parts a room had is noted beside the index, with the names, sizes and times of its files
and the setting that says which of them count; while those are the same, the note answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from agentx.host.files.logfile import LogFile
from agentx.host.files.notes import NoteFile, look_below
from agentx.host.files.plain import is_folder
from agentx.kernel.errors import UnsafePath
from agentx.kernel.values import frozen
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.search.document import Document
from agentx.views.documents.rooms import Rooms, RoomSource

_NOTES = "rooms.json"


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
        from agentx.wiring.clarifications import make_pen  # noqa: PLC0415

        return ClarificationDocuments(LedgerStore(paths, clock, make_pen(project)), project.id)

    def runs() -> RoomSource:
        from agentx.views.documents.runs import RunDocuments  # noqa: PLC0415
        from agentx.wiring.runs import open_run_store  # noqa: PLC0415

        return RunDocuments(open_run_store(project), project.id)

    def lessons() -> RoomSource:
        from agentx.views.documents.lessons import LessonSource  # noqa: PLC0415
        from agentx.wiring.taught.lessons import open_lesson_store  # noqa: PLC0415

        return LessonSource(open_lesson_store(project), project.id)

    notes = NoteFile(store.text_index / _NOTES, clock)
    kept = _Kept(notes, project.log)
    backend = project.config.section(MemorySettings).backend
    return Rooms(
        (
            _OnceThere(
                "observations", lambda: (project.observations,), observations, kept, backend
            ),
            _OnceThere("clarifications", lambda: project.asked, clarifications, kept),
            _OnceThere("runs", lambda: (paths.runs,), runs, kept, _stamp_runs(project)),
            _OnceThere("lessons", lambda: project.taught, lessons, kept),
        )
    )


def _stamp_runs(project: Project) -> str:
    """Return what changes when other words of runs count; nothing where there are no runs."""
    if not project.has_runs:
        return ""
    from agentx.wiring.trust.keys import open_keyring  # noqa: PLC0415  runs are there

    return open_keyring(project).stamp()


@frozen(kw_only=False)
class _Kept:
    """What is noted of the rooms, and where it is told that one is left out."""

    notes: NoteFile
    log: LogFile

    def report(self, room: str, error: UnsafePath) -> None:
        """Name what is left out; the other rooms are searched all the same."""
        self.log.record("warning", "room-left-out", room=room, message=error.message)


class _OnceThere:
    """A room that is opened once there is something new in its folder."""

    def __init__(
        self,
        name: str,
        folders: Callable[[], tuple[Path, ...]],
        open_source: Callable[[], RoomSource],
        kept: _Kept,
        kept_as: str = "",
    ) -> None:
        self.name = name
        self._folders = folders
        self._open_source = open_source
        self._kept = kept
        self._kept_as = kept_as

    @cached_property
    def _source(self) -> RoomSource:
        return self._open_source()

    def parts(self) -> Iterable[tuple[str, str]]:
        """Return the key of each part with its stamp."""
        folders = self._folders()
        if not any(map(is_folder, folders)):
            return ()
        look = look_below(*folders, beside=self._kept_as)
        noted = self._kept.notes.read(self.name, look)
        if isinstance(noted, dict):
            return tuple((key, str(stamp)) for key, stamp in noted.items())
        try:
            parts = tuple(self._source.parts())
        except UnsafePath as error:
            self._kept.report(self.name, error)
            parts = ()
        self._kept.notes.write(self.name, look, dict(parts))
        return parts

    def documents(self, key: str) -> Iterator[Document]:
        """Yield the documents of a part; none when it is gone."""
        if not any(map(is_folder, self._folders())):
            return
        try:
            yield from self._source.documents(key)
        except UnsafePath as error:
            self._kept.report(self.name, error)
