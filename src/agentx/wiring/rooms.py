"""The rooms whose files can be found beside the log, for one project."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.clarification.store.ledgers import LedgerStore
from agentx.lessons.store import LessonStore
from agentx.project.project import Project
from agentx.runs.store.run_store import RunStore
from agentx.views.documents.clarifications import ClarificationDocuments
from agentx.views.documents.lessons import LessonSource
from agentx.views.documents.rooms import Rooms, RoomSource
from agentx.views.documents.runs import RunDocuments
from agentx.wiring.observation_upkeep import observation_source


def searchable_rooms(project: Project) -> Rooms:
    """Return what is searched beside the log."""
    return Rooms(_sources(project))


def _sources(project: Project) -> Iterator[RoomSource]:
    paths, store, clock = project.paths, project.store, project.clock
    yield observation_source(project)
    yield ClarificationDocuments(LedgerStore(paths, clock), project.id)
    yield RunDocuments(RunStore(paths, store, clock, project.entropy), project.id)
    yield LessonSource(LessonStore(paths, store, clock, project.entropy), project.id)
