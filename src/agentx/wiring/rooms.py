"""The rooms whose files can be found beside the log, for one project.

A room is imported when there is something of it: most projects have few, and every command that
catches up asks all of them what is new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from agentx.project.project import Project
from agentx.search.document import Document
from agentx.views.documents.rooms import Rooms, RoomSource


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

    return Rooms(
        (
            _OnceThere("observations", paths.observations, observations),
            _OnceThere("clarifications", paths.ledgers, clarifications),
            _OnceThere("runs", paths.runs, runs),
            _OnceThere("lessons", paths.lessons, lessons),
        )
    )


class _OnceThere:
    """A room that is opened once its folder is there; until then it has nothing."""

    def __init__(self, name: str, folder: Path, open_source: Callable[[], RoomSource]) -> None:
        self.name = name
        self._folder = folder
        self._open_source = open_source

    @cached_property
    def _source(self) -> RoomSource:
        return self._open_source()

    def parts(self) -> Iterable[tuple[str, str]]:
        """Return the key of each part with its stamp."""
        return self._source.parts() if self._folder.is_dir() else ()

    def documents(self, key: str) -> Iterator[Document]:
        """Yield the documents of a part; none when it is gone."""
        if self._folder.is_dir():
            yield from self._source.documents(key)
