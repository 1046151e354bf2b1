"""The rooms whose files can be found beside the log, for one project."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.app.observation_upkeep import observation_source
from agentx.app.project import Project
from agentx.clarification import LedgerStore
from agentx.pipeline.clarification_documents import ClarificationDocuments
from agentx.pipeline.lesson_documents import LessonSource
from agentx.pipeline.rooms import Rooms, RoomSource
from agentx.pipeline.run_documents import RunDocuments
from agentx.runs.store import RunStore
from agentx.runs.store.lesson_store import LessonStore


def searchable_rooms(project: Project) -> Rooms:
    """Return what is searched beside the log."""
    return Rooms(_sources(project))


def _sources(project: Project) -> Iterator[RoomSource]:
    paths, store, clock = project.paths, project.store, project.clock
    yield observation_source(project)
    yield ClarificationDocuments(LedgerStore(paths, clock), project.id)
    yield RunDocuments(RunStore(paths, store, clock, project.entropy), project.id)
    yield LessonSource(LessonStore(paths, store, clock, project.entropy), project.id)
