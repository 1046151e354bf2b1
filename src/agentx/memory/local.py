"""The project's memory, opened here: what the daemon serves, and what commands use without one."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from agentx.capture import drain as spool
from agentx.conversation.contents import ContentsRules
from agentx.conversation.extract.summary import Extractive
from agentx.conversation.model import (
    Event,
    EventPage,
    EventQuery,
    Forgotten,
    Receipt,
    Session,
    SessionQuery,
)
from agentx.conversation.service import Conversation
from agentx.conversation.store import LogStore, TocStore
from agentx.conversation.store.feed import Feed
from agentx.conversation.toc_model import CaughtUp, Expansion, NodePage, TocNode
from agentx.host.files.atomic import make_private_directory
from agentx.host.kv.port import Family
from agentx.host.kv.rocks import open_rocks
from agentx.host.limits import STORE_OPEN_WAIT_MS
from agentx.kernel.bus import Bus
from agentx.kernel.capture import Draft
from agentx.kernel.errors import IndexUnavailable, InvalidValue
from agentx.kernel.ids import ProjectId
from agentx.kernel.limits import TOC_PAGE_MAX
from agentx.kernel.periods import Level
from agentx.kernel.tokens import estimate
from agentx.memory.found import SearchReply, SearchRequest
from agentx.memory.limits import POLISH_SEGMENTS_MAX
from agentx.memory.port import Drained, MemoryStatus, SpendingToday, Told
from agentx.memory.retrieval import INDEXES, Capabilities, Embedding, IndexReport, TextIndexState
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.project.zone import project_zone
from agentx.recall.question.answer import Sources, search
from agentx.recall.section.digest_stamp import renew_if_changed
from agentx.recall.tally import log_recalls, sweep_recalls
from agentx.recall.tally_cache import RecallUsage
from agentx.views.documents.rooms import Rooms
from agentx.views.observer import Observer
from agentx.views.search_view import SearchView
from agentx.views.vectors import Vectors
from agentx.wiring.models import model_writer, spending_today
from agentx.wiring.rooms import searchable_rooms

# The log, the identities and the outbox only grow or drop whole files: nothing to win there.
_CHANGING = (
    Family.TOC_NODES,
    Family.TOC_LATEST,
    Family.GRIPS,
    Family.CHECKPOINTS,
    Family.SESSIONS,
    Family.KEYS,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """How large the store was and is."""

    bytes_before: int
    bytes_after: int

    def __str__(self) -> str:
        return f"{self.bytes_after:,} bytes, {self.bytes_before:,} before"


def index_folder(project: Project, name: str) -> Path:
    """Return where a project's index lies; projects that share a store have one each."""
    return _own_folder(project, project.store.text_index, name)


def _own_folder(project: Project, folder: Path, name: str) -> Path:
    return folder / name if project.store.root == project.data.unified.root else folder


def contents_rules(project: Project) -> ContentsRules:
    """Return how this project's table of contents is made."""
    zone = project_zone(project)
    return ContentsRules(zone=zone, zone_name=str(zone), estimate=estimate, summariser=Extractive())


class LocalMemory:
    """A `Memory` over the store on this disk."""

    def __init__(
        self, project: Project, bus: Bus | None = None, *, wait_ms: int = STORE_OPEN_WAIT_MS
    ) -> None:
        self._project = project
        make_private_directory(project.store.root)
        self._kv = kv = open_rocks(project.store.db, project.clock, wait_ms=wait_ms)
        self.bus = bus if bus is not None else Bus()
        log_recalls(self.bus, project)
        log = LogStore(kv, entropy=project.entropy)
        self._toc = partial(TocStore, kv, log)
        self._feed = lambda name: Feed(kv, log, TocStore(kv, log, name), name)
        self._rules = contents_rules(project)
        self._be(Conversation(log, project=project.id, clock=project.clock, bus=self.bus))

    def _be(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._contents = conversation.contents(self._toc, self._rules)
        is_own = conversation.project == self._project.id
        self._rooms = rooms = searchable_rooms(self._project) if is_own else Rooms()
        self._search = SearchView(
            conversation.feed(self._feed),
            folder=index_folder(self._project, conversation.project),
            project=conversation.project,
            clock=self._project.clock,
            rooms=rooms,
        )
        self._usage = RecallUsage(self._project.store.recalled(conversation.project))
        self._vectors = Vectors(
            self._project.data.vector_model,
            partial(conversation.feed, self._feed),
            folder=_own_folder(
                self._project, self._project.store.vector_index, conversation.project
            ),
            project=conversation.project,
            clock=self._project.clock,
            rooms=rooms,
        )

        self._observer = Observer(
            self._project, self._kv, conversation.feed(self._feed), self.bus, is_own=is_own
        )

    def of_project(self, project: ProjectId) -> LocalMemory:
        """Return the memory of another project in the same store; close only the first."""
        if project == self._conversation.project:
            return self
        sibling = copy(self)
        sibling._be(self._conversation.of_project(project))  # noqa: SLF001  of our own kind
        return sibling

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store."""
        self._search.close()
        self._vectors.close()
        self._observer.close()
        self._conversation.close()

    def append(self, drafts: Iterable[Draft]) -> Receipt:
        """Store what is new; return after it is on disk."""
        return self._conversation.append(drafts)

    def events(self, query: EventQuery) -> EventPage:
        """Return one page of events."""
        return self._conversation.events(query)

    def event(self, event_id: str) -> Event:
        """Return one event."""
        return self._conversation.get(event_id)

    def sessions(self, query: SessionQuery) -> tuple[Session, ...]:
        """Return sessions, newest first."""
        return self._conversation.sessions(query)

    def drain(self) -> Drained:
        """Take what hooks have spooled for this project."""
        return spool.drain(self._project, self._conversation, self.bus)

    def forget(self, *, event_id: str = "", session_id: str = "") -> Forgotten:
        """Erase an event or a session for good, after taking what is still in the spool."""
        if bool(event_id) == bool(session_id):
            raise InvalidValue("say what to forget: one event or one session")
        self.drain()
        told_of = session_id or self._conversation.get(event_id).session_id
        with self._observer.forgetting(told_of, whole=bool(session_id)):
            gone = (
                self._conversation.forget_event(event_id)
                if event_id
                else self._conversation.forget_session(session_id)
            )
        self._contents.catch_up()
        self._search.catch_up()
        self._vectors.purge()
        sweep_recalls(self._project, self)
        self._prepare_digests()
        return gone

    def catch_up(self, told: Told = lambda _done, _total: None) -> CaughtUp:
        """Bring every view up to date with the log, of every project that shares the store."""
        done = self._contents.catch_up(told)
        self._take_in_lessons()
        self._search.catch_up()
        observed = self._observer.catch_up()
        if observed:
            self._search.catch_up()
        settings = self._project.config.section(MemorySettings)
        stamp = repr((settings, self._rooms.stamps()))
        is_news = bool(done.nodes or observed)
        renew_if_changed(self._project, stamp, self._prepare_digests, is_news=is_news)
        if self._project.store.root == self._project.data.unified.root:
            for name in self._conversation.projects():
                if name != self._conversation.project:
                    self.of_project(ProjectId(name))._catch_up_alone()  # noqa: SLF001  as above
        return done

    def _take_in_lessons(self) -> None:
        if self._project.paths.lessons.is_dir():
            from agentx.wiring.lessons import take_in_lessons  # noqa: PLC0415  most projects have none

            take_in_lessons(self._project)

    def _prepare_digests(self) -> None:
        from agentx.recall.section.digests import refresh  # noqa: PLC0415  reads every room: only when needed

        refresh(self._project, self)

    def _catch_up_alone(self) -> None:
        self._contents.catch_up()
        self._search.catch_up()
        self._search.close()

    def search(self, request: SearchRequest) -> SearchReply:
        """Return what fits a question best."""
        sources = Sources(
            view=self._search,
            contents=self._contents,
            vectors=self._vectors,
            project=self._conversation.project,
            zone=self._rules.zone,
            usage=self._usage.now(),
        )
        return search(sources, request)

    def embed(self, told: Told = lambda _done, _total: None, *, slices: int = 0) -> Embedding:
        """Embed what is not yet: so many slices of about a second, or all that is left."""
        done = self._vectors.embed(told, slices=slices)
        if self._project.store.root == self._project.data.unified.root:
            for name in self._conversation.projects():
                if name != self._conversation.project:
                    sibling = self.of_project(ProjectId(name))
                    done += sibling._embed_alone(told, slices=slices)  # noqa: SLF001  as above
        return done

    def _embed_alone(self, told: Told, *, slices: int) -> Embedding:
        try:
            return self._vectors.embed(told, slices=slices)
        finally:
            self._vectors.close()

    def capabilities(self) -> Capabilities:
        """Say which ways of searching work."""
        return self._vectors.capabilities()

    def index_report(self) -> IndexReport:
        """Say how the indexes stand."""
        return IndexReport(text=self._text_state(), vectors=self._vectors.state())

    def _text_state(self) -> TextIndexState:
        left = self._search.left()
        try:
            held = self._search.index().status()
        except IndexUnavailable:
            return TextIndexState(ready=False, entries_left=left)
        return TextIndexState(
            ready=True,
            documents=held.documents,
            passages=held.passages,
            bytes_on_disk=held.bytes_on_disk,
            generation=held.generation,
            entries_left=left,
        )

    def rebuild_index(self, name: str, told: Told = lambda _done, _total: None) -> int:
        """Make the search index from nothing, or empty that of meanings: `embed` fills it."""
        if name not in INDEXES:
            raise InvalidValue(f"{name!r} is none of {', '.join(INDEXES)}")
        if name == "search":
            return self._search.rebuild(told)
        self._vectors.required()
        self._vectors.drop()
        return 0

    def rebuild_toc(self, told: Told = lambda _done, _total: None) -> CaughtUp:
        """Make the table of contents from nothing."""
        return self._contents.rebuild(told)

    def close_periods(self, level: Level) -> int:
        """Make final the periods of a level that are over; return how many nodes changed."""
        return self._contents.close_due(level)

    def polish(self) -> int:
        """Let the model, if one is set, write closed segments again; return how many.

        It looks at captured sessions as well, for what the rules did not find.
        """
        self._observer.polish()
        with model_writer(self._project) as writer:
            return 0 if writer is None else self._contents.polish(writer, POLISH_SEGMENTS_MAX)

    def spending(self) -> SpendingToday | None:
        """Say what the model has cost today; None when no model is set."""
        return spending_today(self._project)

    def toc_roots(self) -> tuple[TocNode, ...]:
        """Return the years, newest first."""
        return self._contents.roots()

    def toc_node(self, node_id: str) -> TocNode:
        """Return one node of the table of contents."""
        return self._contents.node(node_id)

    def browse(self, node_id: str, *, cursor: str = "", limit: int = TOC_PAGE_MAX) -> NodePage:
        """Return the parts of a node, or the years, in order."""
        return self._contents.browse(node_id, cursor=cursor, limit=limit)

    def expand(self, grip_id: str, *, before: int, after: int) -> Expansion:
        """Return the evidence of a bullet with the events around it."""
        return self._contents.expand(grip_id, before=before, after=after)

    def compact(self) -> Compacted:
        """Give back the room that deleted and replaced rows still take on disk."""
        before = self._kv.size_bytes()
        for family in _CHANGING:
            self._kv.erase(family)
        return Compacted(bytes_before=before, bytes_after=self._kv.size_bytes())

    def status(self) -> MemoryStatus:
        """Say what is remembered."""
        return MemoryStatus(
            log=self._conversation.status(),
            spool_waiting=spool.waiting(self._project),
            spool_refused=spool.refused(self._project),
            served_by="store",
            spending=self.spending(),
        )
