"""One memory, two ways to it.

With a daemon running, commands speak to it; without one they open the store
themselves. Both are a `Memory`, so no verb knows which it has. `LocalMemory`
(memory.local, put together by wiring) has the store open; `RemoteMemory` (memory.remote) calls
the daemon, which serves a `LocalMemory`.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Protocol, Self

from agentx.conversation.model import (
    Event,
    EventPage,
    EventQuery,
    Forgotten,
    LogStatus,
    Receipt,
    Session,
    SessionQuery,
)
from agentx.conversation.toc_model import CaughtUp, Expansion, NodePage, TocNode
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.capture import Draft
from agentx.kernel.ids import ProjectId
from agentx.kernel.limits import TOC_PAGE_MAX
from agentx.kernel.values import frozen
from agentx.memory.found import SearchReply, SearchRequest
from agentx.search.model import Capabilities, IndexReport

# What is said where nobody had the time to look whether something lies in files besides.
MAY_LACK = "questions, memories and runs may not all be"


@frozen
class Drained:
    """What a drain of the spool took into the log."""

    files: int = 0
    stored: int = 0
    duplicates: int = 0
    damaged: int = 0  # kept as notes, because they were not what their agent CLI promises
    refused: int = 0  # could not be taken at all; moved aside for `doctor`


@frozen
class SpendingToday:
    """What the model has cost today, and what it may."""

    model: str
    tokens: int
    tokens_max: int
    usd: float
    usd_max: float
    calls: int


@frozen
class MemoryStatus:
    """What is remembered and who serves it."""

    log: LogStatus
    spool_waiting: int
    spool_refused: int
    served_by: str  # "daemon" or "store"
    spending: SpendingToday | None = None  # None when no model is set
    daemon_pid: int = 0
    daemon_uptime_ms: int = 0


@frozen
class Behind:
    """How far what answers is behind what was captured."""

    events: int = 0  # in the log, and not yet in every view
    spooled: int = 0  # captured, and not yet in the log
    is_partial: bool = False  # nor may all questions, memories and runs be found that lie in files
    is_look: bool = False  # another process has the store, so that nothing was taken in here
    is_unwritable: bool = False  # nobody can take it in: the disk is full, or refuses
    zone: str = ""  # where the days begin that answers speak of
    zone_before: str = ""  # where they began until now

    @property
    def count(self) -> int:
        """Both together; an event that is spooled may turn out to be known."""
        return self.events + self.spooled

    @property
    def is_late(self) -> bool:
        """Whether what answers does not know all there is."""
        return bool(self.count) or self.is_partial


class Readable(Protocol):
    """What can be read of the log and its table of contents."""

    def events(self, query: EventQuery) -> EventPage:
        """Return one page of events."""
        ...

    def event(self, event_id: str) -> Event:
        """Return one event.

        Raises: NotFound, InvalidValue.
        """
        ...

    def sessions(self, query: SessionQuery) -> tuple[Session, ...]:
        """Return sessions, newest first."""
        ...

    def toc_roots(self) -> tuple[TocNode, ...]:
        """Return the years, newest first."""
        ...

    def toc_node(self, node_id: str) -> TocNode:
        """Return one node of the table of contents.

        Raises: NotFound, InvalidValue.
        """
        ...

    def browse(self, node_id: str, *, cursor: str = "", limit: int = TOC_PAGE_MAX) -> NodePage:
        """Return the parts of a node, or the years, in order.

        Raises: NotFound, InvalidValue.
        """
        ...

    def expand(self, grip_id: str, *, before: int, after: int) -> Expansion:
        """Return the evidence of a bullet with the events around it.

        Raises: NotFound, InvalidValue.
        """
        ...


class Memory(Readable, Protocol):
    """Everything the verbs ask of the store."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def of_project(self, project: ProjectId) -> Memory:
        """Return the memory of another project in the same store; close only the first."""
        ...

    def append(self, drafts: Iterable[Draft]) -> Receipt:
        """Store what is new; return after it is on disk."""
        ...

    def drain(self) -> Drained:
        """Take what hooks have spooled for this project."""
        ...

    def forget(
        self, *, event_id: str = "", session_id: str = "", event_ids: tuple[str, ...] = ()
    ) -> Forgotten:
        """Erase an event, a session or many events at once for good.

        Of many, those that are gone already are passed over.
        """
        ...

    def catch_up(self, told: HowFar = unheard) -> CaughtUp:
        """Bring every view up to date with the log."""
        ...

    def make_searchable(self, told: HowFar = unheard) -> None:
        """Let what is in the log be found; what tells of it may follow."""
        ...

    def make_searchable_soon(self) -> None:
        """Let what is in the log be found before long, while more is appended."""
        ...

    def settle(self, told: HowFar = unheard) -> None:
        """Bring every view up to date with the log, and capture every session that is over."""
        ...

    def freshen(self, wait_ms: int, *, views: bool = True) -> Behind:
        """Take in what is new for who reads, for at most so long; say what is left.

        Without `views` only the log is of interest.
        """
        ...

    def rebuild_toc(self, told: HowFar = unheard) -> CaughtUp:
        """Make the table of contents from nothing."""
        ...

    def rebuild_index(self, name: str, told: HowFar = unheard) -> int:
        """Make an index from nothing; return how many log entries are in it.

        Raises: InvalidValue for none of `INDEXES`.
        """
        ...

    def search(self, request: SearchRequest) -> SearchReply:
        """Return what fits a question best.

        Raises: InvalidValue for a mode or a limit that cannot be.
        """
        ...

    def capabilities(self) -> Capabilities:
        """Say which ways of searching work."""
        ...

    def index_report(self) -> IndexReport:
        """Say how the indexes stand."""
        ...

    def status(self) -> MemoryStatus:
        """Say what is remembered."""
        ...
