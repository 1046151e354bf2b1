"""The project's memory, opened here: what the daemon serves, and what commands use without one.

It is handed a log, the views of it in the order they catch up, and what answers, drains and
writes; `wiring.memory` puts it together, for this project and for those that share its store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from dataclasses import replace
from itertools import zip_longest
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Self

from agentx.conversation.contents import Contents
from agentx.conversation.model import Forgotten, Receipt
from agentx.conversation.service import Conversation
from agentx.conversation.toc_model import CaughtUp
from agentx.host.kv.port import Family, KeyValue
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.capture import Draft
from agentx.kernel.errors import InvalidValue, NotFound, UnavailableError
from agentx.kernel.ids import ProjectId
from agentx.kernel.periods import Level
from agentx.kernel.values import frozen
from agentx.memory.found import SearchReply, SearchRequest
from agentx.memory.freshening import Freshening
from agentx.memory.limits import BACKLOG_EVENTS, SEARCHABLE_BATCH_EVENTS_MAX
from agentx.memory.port import Behind, Drained, MemoryStatus, SpendingToday
from agentx.memory.reader import LogReader
from agentx.search.model import INDEXES, Capabilities, IndexReport
from agentx.views.port import Gone, View

if TYPE_CHECKING:
    from agentx.views.search_view import SearchView
    from agentx.views.toc_view import TocView

if TYPE_CHECKING:
    from agentx.conversation.store.reunion import Reunion

# The log, the identities and the outbox only grow or drop whole files: nothing to win there.
_CHANGING = (
    Family.TOC_NODES,
    Family.TOC_LATEST,
    Family.GRIPS,
    Family.CHECKPOINTS,
    Family.SESSIONS,
    Family.KEYS,
)


@frozen
class StoreSizes:
    """How large the store was and is."""

    bytes_before: int
    bytes_after: int

    def __str__(self) -> str:
        return f"{self.bytes_after:,} bytes, {self.bytes_before:,} before"


@frozen
class ViewSet:
    """The views of one project, and who answers from them."""

    toc: TocView
    search: SearchView
    following: tuple[View, ...]  # the table of contents, in the order they catch up
    answer: Callable[[SearchRequest], SearchReply]
    polish: Callable[[], int]
    capture_due: Callable[[HowFar], None]  # every session that is over, however many
    # Lets another process work out what many sessions say.
    ahead: Callable[[], AbstractContextManager[object]]

    def count_left(self) -> int:
        """Return about how many events are in the log and not yet in what answers."""
        return max(self.toc.count_left(), self.search.count_left())


@frozen
class Parts:
    """What the memory of one project is made of."""

    kv: KeyValue
    log: Conversation
    contents: Contents
    open_views: Callable[[], ViewSet]  # called once, when the first of them is needed
    drain: Callable[[HowFar], Drained]
    waiting: Callable[[], int]  # spooled, and not yet taken
    refused: Callable[[], int]  # spooled, and moved aside
    spending: Callable[[], SpendingToday | None]
    of_project: Callable[[str], LocalMemory]
    others: Callable[[], Iterable[str]]  # projects whose views this memory keeps as well
    close: Callable[[], None]
    is_look: bool = False  # nothing is changed here: another process has the store
    is_unwritable: bool = False  # or nobody can write it


class LocalMemory(LogReader):
    """A `Memory` over the store on this disk."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts.log, parts.contents)
        self._parts = parts
        self._reunion: Reunion | None = None
        self._opening = Lock()
        self._opened: ViewSet | None = None
        self._news = Freshening(self._take_news)

    @property
    def _set(self) -> ViewSet:
        # One set, whichever of a daemon's threads comes first: two would both write.
        with self._opening:
            if self._opened is None:
                self._opened = self._parts.open_views()
            return self._opened

    @property
    def views(self) -> tuple[View, ...]:
        """Every view, in the order they catch up."""
        views = self._set
        return (views.toc, *views.following)

    def of_project(self, project: ProjectId) -> LocalMemory:
        """Return the memory of another project in the same store; close only the first."""
        return self if project == self._log.project else self._parts.of_project(project)

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
        self._news.leave_off(self._let_go)

    def _let_go(self) -> None:
        self._close_views()
        self._parts.close()

    def append(self, drafts: Iterable[Draft]) -> Receipt:
        """Store what is new; return after it is on disk."""
        if self._reunion is not None and not self._reunion.is_over:
            drafts = self._reunion.admit(drafts, project=self._log.project)
        return self._log.append(drafts)

    def adopt_index(self) -> None:
        """Take the search index for one of everything that is here: both came from an export.

        Raises: IndexUnavailable.
        """
        self._set.search.adopt()

    def reunite(self) -> None:
        """Let what is appended from now on meet events that lost their identity."""
        from agentx.conversation.store.reunion import Reunion  # noqa: PLC0415  after damage only

        self._reunion = Reunion(self._parts.kv)

    def drain(self) -> Drained:
        """Take what hooks have spooled for this project."""
        return self._parts.drain(unheard)

    def forget(
        self, *, event_id: str = "", session_id: str = "", event_ids: tuple[str, ...] = ()
    ) -> Forgotten:
        """Erase an event, many or a session for good, after taking what is still in the spool."""
        if sum(map(bool, (event_id, session_id, event_ids))) != 1:
            raise InvalidValue("say what to forget: one event, some events or one session")
        self.drain()
        if event_id:
            self._log.get(event_id)
        named = (session_id,) if session_id else self._sessions_of(event_ids or (event_id,))
        gone = Gone(session_ids=named, whole=bool(session_id))
        with ExitStack() as views:
            # Entered from the last to the first, so that they are left in the order they catch up.
            for view in reversed(self.views):
                views.enter_context(view.forget(gone))
            if session_id:
                return self._log.forget_session(session_id)
            return self._log.forget_events(event_ids or (event_id,))

    def _sessions_of(self, event_ids: Iterable[str]) -> tuple[str, ...]:
        named: dict[str, None] = {}
        for event_id in event_ids:
            with suppress(NotFound):  # it is gone already
                named[self._log.get(event_id).session_id] = None
        return tuple(named)

    def catch_up(self, told: HowFar = unheard) -> CaughtUp:
        """Bring every view up to date with the log, of every project that shares the store."""
        if self._set.toc.count_left() > BACKLOG_EVENTS and self._set.search.count_left():
            # In turns: words can be found long before they are summed up, and who asks for the
            # table of contents again and again must see it grow.
            with (
                closing(self._set.search.take_steps(told)) as found,
                closing(self._set.toc.take_steps(told)) as told_of,
            ):
                turns = (found, told_of) if self._is_search_behind() else (told_of, found)
                for _ in zip_longest(*turns):
                    pass
        done = self._set.toc.catch_up(told)
        for view in self._set.following:
            view.catch_up(told)
        for other in self._others():
            other.catch_up(told)
        return done

    def _is_search_behind(self) -> bool:
        return self._set.search.count_left() >= self._set.toc.count_left()

    def make_searchable(self, told: HowFar = unheard) -> None:
        """Let what is in the log be found; what tells of it may follow."""
        self._set.search.take_in(SEARCHABLE_BATCH_EVENTS_MAX, told)

    def make_searchable_soon(self) -> None:
        """Let what is in the log be found before long, while more is appended."""
        self._set.search.begin_taking_in(SEARCHABLE_BATCH_EVENTS_MAX)

    def settle(self, told: HowFar = unheard) -> None:
        """Bring every view up to date with the log, and capture every session that is over."""
        if self._set.toc.count_left() > BACKLOG_EVENTS:
            from agentx.host.heap import give_back  # noqa: PLC0415  after a large batch only

            # What many words were indexed with is not needed for what follows.
            self._set.search.close()
            give_back()
        with self._set.ahead():
            self._set.capture_due(told)
            self.catch_up(told)

    def freshen(self, wait_ms: int, *, views: bool = True) -> Behind:
        """Take in what is new for who reads, for at most so long; say what is left."""
        days = self._find_days() if views else Behind()
        is_unwritable, is_partial = self._parts.is_unwritable, False
        try:
            if not self._parts.is_look and self._news.take_in(wait_ms, views=views):
                return days
            is_partial = views and not self._parts.is_look  # there was no time for more
        except UnavailableError:
            is_unwritable = True  # what is there can be read all the same
        left = self._set.count_left() if views else 0
        return replace(
            days,
            events=left,
            spooled=self._parts.waiting(),
            is_partial=is_partial,
            is_look=self._parts.is_look,
            is_unwritable=is_unwritable,
        )

    def _find_days(self) -> Behind:
        """Say in which time zone days are cut, and were until now."""
        zone, before = self._parts.contents.find_zones()
        # Nothing is cut anew by who only looks.
        cut = (before or zone) if self._parts.is_look else zone
        return Behind(zone=cut, zone_before=before)

    def _take_news(self, with_views: bool, told: HowFar) -> None:
        self._parts.drain(told)
        if with_views:
            self.catch_up(told)

    def search(self, request: SearchRequest) -> SearchReply:
        """Return what fits a question best."""
        return self._set.answer(request)

    def capabilities(self) -> Capabilities:
        """Say which ways of searching work."""
        return Capabilities()

    def index_report(self) -> IndexReport:
        """Say how the indexes stand."""
        return IndexReport(text=self._set.search.status())

    def rebuild_index(self, name: str, told: HowFar = unheard) -> int:
        """Make the search index from nothing."""
        if name not in INDEXES:
            raise InvalidValue(f"{name!r} is none of {', '.join(INDEXES)}")
        return self._set.search.rebuild(told)

    def rebuild_toc(self, told: HowFar = unheard) -> CaughtUp:
        """Make the table of contents from nothing."""
        return self._contents.rebuild(told)

    def close_periods(self, level: Level) -> int:
        """Make final the periods of a level that are over; return how many nodes changed."""
        return self._contents.close_due(level)

    def polish(self) -> int:
        """Let the model, if one is set, write closed segments again; return how many.

        It looks at captured sessions as well, for what the rules did not find.
        """
        return self._set.polish()

    def compact(self) -> StoreSizes:
        """Give back the room that deleted and replaced rows still take on disk."""
        kv = self._parts.kv
        before = kv.size_bytes()
        for family in _CHANGING:
            kv.erase(family)
        return StoreSizes(bytes_before=before, bytes_after=kv.size_bytes())

    def status(self) -> MemoryStatus:
        """Say what is remembered."""
        return MemoryStatus(
            log=self._log.status(),
            spool_waiting=self._parts.waiting(),
            spool_refused=self._parts.refused(),
            served_by="store",
            spending=self._parts.spending(),
        )

    def _close_views(self) -> None:
        if self._opened is not None:
            for view in self.views:
                view.close()

    def _others(self) -> Iterator[LocalMemory]:
        """Lend the memory of each project that shares the store, one after the other."""
        for name in self._parts.others():
            other = self._parts.of_project(name)
            try:
                yield other
            finally:
                other._close_views()  # noqa: SLF001  of our own kind
