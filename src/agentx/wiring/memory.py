"""The memory of a project over its store, put together: the log, its views in order, who answers.

    toc --> lessons, observations --> search --> recalls --> digests        vectors, when asked for

A view reads facts and the views before it. Projects that share a store get a memory each by the
same hand; those that are not this project's own have no rooms here, for their folder is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, partial
from typing import TYPE_CHECKING

from agentx.conversation.contents import Contents, ContentsRules
from agentx.conversation.extract.summary import Extractive
from agentx.conversation.service import Conversation
from agentx.conversation.store.feed import Feed
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.toc import TocStore
from agentx.host.files.atomic import make_private_directory
from agentx.host.kv.port import KeyValue
from agentx.host.kv.rocks import open_rocks
from agentx.host.limits import STORE_OPEN_WAIT_MS
from agentx.kernel.bus import Bus
from agentx.kernel.tokens import estimate
from agentx.memory.found import SearchReply, SearchRequest
from agentx.memory.limits import POLISH_SEGMENTS_MAX
from agentx.memory.local import LocalMemory, Parts
from agentx.memory.port import Readable
from agentx.memory.reader import LogReader
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.project.zone import project_zone
from agentx.views.digests import Digests
from agentx.views.documents.rooms import Rooms
from agentx.views.lesson_pages import LessonPages
from agentx.views.port import View
from agentx.views.recall_tally import RecallTally
from agentx.views.search_view import SearchView
from agentx.views.sessions.observer import Observer
from agentx.views.store import CaptureMarks
from agentx.views.toc_view import TocView
from agentx.views.vectors import Vectors
from agentx.wiring.listeners.observations import log_recalls, start_capture, start_counting
from agentx.wiring.models import model_extractor, model_writer, spending_today
from agentx.wiring.rooms import searchable_rooms
from agentx.wiring.spool import open_spool

if TYPE_CHECKING:
    from agentx.lessons.service import Lessons
    from agentx.observations.service import Observations
    from agentx.recall.question.answer import Searched


def open_store(
    project: Project, bus: Bus | None = None, *, wait_ms: int = STORE_OPEN_WAIT_MS
) -> LocalMemory:
    """Open the store of a project and return its memory.

    Raises: LockHeld when another process has it open, DataError.
    """
    make_private_directory(project.store.root)
    kv = open_rocks(project.store.db, project.clock, wait_ms=wait_ms)
    return _Store(project, kv, bus if bus is not None else Bus()).own


def open_digests(project: Project, reader: Readable, stamp: Callable[[], str]) -> Digests:
    """Return the digests of a project; `stamp` changes when what they are made from does."""

    def write() -> int:
        from agentx.wiring.section import renew_digests  # noqa: PLC0415  only when there is news

        return renew_digests(project, reader)

    return Digests(store=project.store, clock=project.clock, stamp=stamp, write=write)


class _Store:
    """One opened store, and the memory of each project in it."""

    def __init__(self, project: Project, kv: KeyValue, bus: Bus) -> None:
        self._project = project
        self._kv = kv
        self._bus = bus
        log = LogStore(kv, entropy=project.entropy)
        self._toc = partial(TocStore, kv, log)
        zone = project_zone(project)
        self._rules = ContentsRules(
            zone=zone, zone_name=str(zone), estimate=estimate, summariser=Extractive()
        )
        self._is_shared = project.store.root == project.data.unified_store.root
        self._log = Conversation(log, project=project.id, clock=project.clock, bus=bus)
        self._closing = ExitStack()
        self._closing.callback(self._log.close)
        self._closing.callback(log_recalls(project, bus))
        self.own = self._memory(self._log)

    def of_project(self, name: str) -> LocalMemory:
        """Return the memory of a project in this store."""
        return self.own if name == self._project.id else self._memory(self._log.of_project(name))

    def _memory(self, log: Conversation) -> LocalMemory:
        project, is_own = self._project, log.project == self._project.id
        rooms = searchable_rooms(project) if is_own else Rooms()
        contents, feed = log.contents(self._toc, self._rules), log.feed(self._toc)
        reader = LogReader(log, contents)
        text, vectors = self._indexes(log.project, feed, rooms)
        observers = (self._observer(feed),) if is_own else ()
        recalled = project.store.recall_counts(log.project)
        views: tuple[View, ...] = (*observers, text, RecallTally(recalled, reader))
        if is_own:
            lessons = LessonPages(project.paths.lessons, partial(_lessons, project))
            views = (lessons, *views, open_digests(project, reader, _stamp(project, rooms, feed)))
        spool = open_spool(project)
        return LocalMemory(
            Parts(
                kv=self._kv,
                log=log,
                contents=contents,
                toc=TocView(contents),
                search=text,
                vectors=vectors,
                views=views,
                answer=self._answer(log.project, text, contents, vectors),
                drain=partial(spool.drain, log, self._bus.tell),
                waiting=spool.waiting,
                refused=spool.count_refused,
                polish=partial(self._polish, contents, observers),
                spending=partial(spending_today, project),
                of_project=self.of_project,
                others=self._others if is_own else tuple,
                close=self._closing.close if is_own else lambda: None,
            )
        )

    def _answer(
        self, name: str, text: SearchView, contents: Contents, vectors: Vectors
    ) -> Callable[[SearchRequest], SearchReply]:
        # Only who asks a question waits for the import of what answers one.
        @cache
        def sources() -> Searched:
            from agentx.recall.question.answer import Searched  # noqa: PLC0415  see above
            from agentx.recall.usage import RecallUsage  # noqa: PLC0415  see above

            return Searched(
                view=text,
                contents=contents,
                vectors=vectors,
                project=name,
                zone=self._rules.zone,
                usage=RecallUsage(self._project.store.recall_counts(name)).now,
            )

        def answer(request: SearchRequest) -> SearchReply:
            from agentx.recall.question.answer import search  # noqa: PLC0415  see above

            return search(sources(), request)

        return answer

    def _indexes(self, name: str, feed: Feed, rooms: Rooms) -> tuple[SearchView, Vectors]:
        project = self._project
        words, meanings = (
            # Projects that share a store have an index each.
            folder / name if self._is_shared else folder
            for folder in (project.store.text_index, project.store.vector_index)
        )
        model, clock = project.data.vector_model, project.clock
        return (
            SearchView(feed, folder=words, project=name, clock=clock, rooms=rooms),
            Vectors(model, feed, folder=meanings, project=name, clock=clock, rooms=rooms),
        )

    def _observer(self, feed: Feed) -> Observer:
        project, bus = self._project, self._bus
        settings = project.config.section(MemorySettings)

        @cache
        def room() -> Observations:
            from agentx.wiring.observations import keep_out_of_git, open_observations  # noqa: PLC0415  when asked

            keep_out_of_git(project)
            opened = open_observations(project, bus)
            self._closing.callback(opened.close)
            return opened

        if settings.enabled:
            self._closing.callback(start_capture(project, bus, room))
            self._closing.callback(start_counting(project, bus, room))
        return Observer(
            source=feed,
            marks=CaptureMarks(self._kv, project.id),
            folder=project.paths.observations,
            enabled=settings.enabled,
            issue=settings.issue,
            room=room,
            extractor=partial(model_extractor, project),
            rebuild_words=partial(_rebuild_words, project),
            log=project.log,
            clock=project.clock,
            bus=bus,
        )

    def _polish(self, contents: Contents, observers: tuple[Observer, ...]) -> int:
        for observer in observers:
            observer.polish()
        with model_writer(self._project) as writer:
            return 0 if writer is None else contents.polish(writer, POLISH_SEGMENTS_MAX)

    def _others(self) -> tuple[str, ...]:
        names = self._log.projects() if self._is_shared else ()
        return tuple(name for name in names if name != self._project.id)


def _stamp(project: Project, rooms: Rooms, feed: Feed) -> Callable[[], str]:
    settings = project.config.section(MemorySettings)
    return lambda: repr((settings, rooms.stamps(), feed.node_versions("toc:day:")))


def _rebuild_words(project: Project) -> int:
    from agentx.wiring.observation_upkeep import rebuild_observation_words  # noqa: PLC0415  when asked

    return rebuild_observation_words(project)


def _lessons(project: Project) -> Lessons:
    from agentx.wiring.taught.lessons import open_lessons  # noqa: PLC0415  most projects have none

    return open_lessons(project)
