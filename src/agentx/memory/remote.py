"""A `Memory` on the other side of a connection: each verb is its call of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Concatenate, Self

from agentx.conversation.model import (
    Event,
    EventPage,
    EventQuery,
    Forgotten,
    Receipt,
    Session,
    SessionQuery,
)
from agentx.conversation.toc_model import CaughtUp, Expansion, NodePage, TocNode
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.capture import Draft
from agentx.kernel.errors import InvalidValue, UnavailableError
from agentx.kernel.limits import TOC_PAGE_MAX
from agentx.memory.found import MODES, SearchReply, SearchRequest
from agentx.memory.port import Behind, Drained, Memory, MemoryStatus
from agentx.memory.wire.calls import FRESHEN, MEMORY_CALLS, SEARCH_CALLS, Call, Given, Reply
from agentx.memory.wire.hatch_connection import HatchConnection, Later
from agentx.search.model import Capabilities, IndexReport

if TYPE_CHECKING:
    from agentx.memory.wire.connection import Connection


def dial(
    address: str,
    *,
    hatch: str = "",
    token: str = "",
    root_certificates: bytes | None = None,
    project: str = "",
) -> RemoteMemory:
    """Return the memory at an address; nothing is sent before the first call.

    `project` says which one is meant where a store holds several. Through a `hatch`, the path of
    a socket, all but streams is asked without importing gRPC.

    Raises: InvalidValue when a token would travel in the clear to another machine.
    """

    def connect() -> Connection:
        from agentx.memory.wire.connection import connect_to  # noqa: PLC0415  100 ms, for who needs it

        return connect_to(address, token=token, root_certificates=root_certificates)

    if hatch:
        return RemoteMemory(HatchConnection(hatch, Later(connect), project))
    return RemoteMemory(connect().of_project(project))


class RemoteMemory:
    """A memory that a daemon serves. Safe to use from many threads."""

    def __init__(self, connection: Connection | HatchConnection) -> None:
        self._connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def of_project(self, project: str) -> RemoteMemory:
        """Return the memory of another project in the same store."""
        return RemoteMemory(self._connection.of_project(project))

    def append(self, drafts: Iterable[Draft]) -> Receipt:
        """Store what is new; return after it is on disk."""
        from agentx.memory.wire.ingest import ingest  # noqa: PLC0415  gRPC: only who stores something

        return ingest(self._connection.grpc, drafts)

    def events(self, query: EventQuery) -> EventPage:
        """Return one page of events."""
        return self._call(Memory.events, query)

    def event(self, event_id: str) -> Event:
        """Return one event."""
        return self._call(Memory.event, event_id)

    def sessions(self, query: SessionQuery) -> tuple[Session, ...]:
        """Return sessions, newest first."""
        return self._call(Memory.sessions, query)

    def drain(self) -> Drained:
        """Take what hooks have spooled for this project."""
        return self._call(Memory.drain)

    def forget(
        self, *, event_id: str = "", session_id: str = "", event_ids: tuple[str, ...] = ()
    ) -> Forgotten:
        """Erase an event, a session or many events at once for good."""
        if sum(map(bool, (event_id, session_id, event_ids))) > 1:
            raise InvalidValue("an event and a session were named", hint="name one of them")
        return self._call(
            Memory.forget, event_id=event_id, session_id=session_id, event_ids=event_ids
        )

    def catch_up(self, told: HowFar = unheard) -> CaughtUp:
        """Bring every view up to date with the log."""
        done = self._call(Memory.catch_up)
        told(1, 1)
        return done

    def make_searchable(self, told: HowFar = unheard) -> None:
        """Leave it to the daemon, which follows its log by itself."""

    def make_searchable_soon(self) -> None:
        """Leave it to the daemon as well."""

    def settle(self, told: HowFar = unheard) -> None:
        """Bring every view up to date; the sessions that are left are the daemon's to capture."""
        self.catch_up(told)

    def freshen(self, wait_ms: int, *, views: bool = True) -> Behind:
        """Take in what is new for who reads, for at most so long; say what is left."""
        try:
            return self.ask_hatch(FRESHEN, wait_ms, views=views)
        except (UnavailableError, InvalidValue):
            # An older daemon, or one without a hatch: it takes as long as it takes.
            self.drain()
            if views:
                self.catch_up()
            return Behind()

    def rebuild_toc(self, told: HowFar = unheard) -> CaughtUp:
        """Make the table of contents from nothing."""
        done = self._call(Memory.rebuild_toc)
        told(1, 1)
        return done

    def rebuild_index(self, name: str, told: HowFar = unheard) -> int:
        """Make an index from nothing."""
        entries = self._call(Memory.rebuild_index, name)
        told(1, 1)
        return entries

    def search(self, request: SearchRequest) -> SearchReply:
        """Return what fits a question best."""
        if request.mode not in SEARCH_CALLS:
            raise InvalidValue(f"{request.mode!r} is none of {', '.join(MODES)}")
        return self._connection.ask(SEARCH_CALLS[request.mode], request)

    def capabilities(self) -> Capabilities:
        """Say which ways of searching work."""
        return self._call(Memory.capabilities)

    def index_report(self) -> IndexReport:
        """Say how the indexes stand."""
        return self._call(Memory.index_report)

    def toc_roots(self) -> tuple[TocNode, ...]:
        """Return the years, newest first."""
        return self._call(Memory.toc_roots)

    def toc_node(self, node_id: str) -> TocNode:
        """Return one node of the table of contents."""
        return self._call(Memory.toc_node, node_id)

    def browse(self, node_id: str, *, cursor: str = "", limit: int = TOC_PAGE_MAX) -> NodePage:
        """Return the parts of a node, or the years, in order."""
        return self._call(Memory.browse, node_id, cursor=cursor, limit=limit)

    def expand(self, grip_id: str, *, before: int, after: int) -> Expansion:
        """Return the evidence of a bullet with the events around it."""
        return self._call(Memory.expand, grip_id, before=before, after=after)

    def status(self) -> MemoryStatus:
        """Say what is remembered."""
        return self._call(Memory.status)

    def is_answered(self, wait_ms: int) -> bool:
        """Tell whether the daemon answers at all; one that is held (SIGSTOP) does not."""
        own = self._connection
        return not isinstance(own, HatchConnection) or own.is_answered(wait_ms)

    def ask_hatch(
        self, call: Call[Given, Reply], *arguments: Given.args, **named: Given.kwargs
    ) -> Reply:
        """Ask the daemon for something that is no verb of a memory.

        Raises: what is raised over there, UnavailableError where there is no hatch.
        """
        if not isinstance(self._connection, HatchConnection):
            raise UnavailableError("this daemon has no hatch", hint="ask it over gRPC")
        return self._connection.ask_here(call, *arguments, **named)

    def _call(
        self,
        verb: Callable[Concatenate[Memory, Given], Reply],
        *arguments: Given.args,
        **named: Given.kwargs,
    ) -> Reply:
        reply: Reply = self._connection.ask(MEMORY_CALLS[verb], *arguments, **named)
        return reply
