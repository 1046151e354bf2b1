"""What a daemon is handed to be reached: whoever starts it brings the servers.

The daemon says what it offers, how each call of the table is answered, and where to listen;
the servers answer calls until they are told to stop. So the daemon knows of no protocol, and
no server how a call is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from agentx.conversation.model import EventPage, EventQuery, Forgotten
from agentx.daemon.activity import Activity
from agentx.daemon.address import Tcp
from agentx.daemon.scheduler.door import SchedulerDoor
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import InvalidValue, LimitError
from agentx.kernel.ids import project_id
from agentx.kernel.values import frozen
from agentx.memory.found import SearchReply, SearchRequest
from agentx.memory.port import Memory, MemoryStatus
from agentx.memory.wire.calls import FRESHEN, MEMORY_CALLS, SEARCH_CALLS, Call

Ask = Callable[..., Any]
Written = TypeVar("Written")


@frozen
class Host:
    """The process that serves, as it tells about itself."""

    pid: int
    started_ms: Millis
    clock: Clock
    end: Callable[[], None]  # asks the process to end; returns at once

    def stop(self) -> int:
        """Ask the process to end; return its number. It goes after this returned."""
        self.end()
        return self.pid


@frozen(kw_only=False)
class Room(Generic[Written]):
    """How large an answer may be, and how that is measured."""

    bytes_max: int
    measure: Callable[[Written], int]


@frozen
class Offer:
    """What is to be served, and to whom a call is told."""

    memory: Memory  # safe to use from many threads
    host: Host
    activity: Activity
    scheduler: SchedulerDoor | None = None
    mark: Callable[[SearchReply], SearchReply] = lambda reply: reply  # says whose a hit is
    besides: tuple[tuple[Call[..., Any], Ask], ...] = ()  # what else a hatch answers

    def memory_of(self, project: str) -> Memory:
        """Return the memory of a project; one store may hold several. Without a name, its own.

        Raises: InvalidValue for a name that cannot be.
        """
        return self.memory.of_project(project_id(project)) if project else self.memory

    def status(self, memory: Memory) -> MemoryStatus:
        """Say what is remembered, and who serves it."""
        return replace(
            memory.status(),
            served_by="daemon",
            daemon_pid=self.host.pid,
            daemon_uptime_ms=max(0, self.host.clock.now_ms() - self.host.started_ms),
        )

    def answers(self) -> Iterator[tuple[Call[..., Any], Ask]]:
        """Yield each call of the memory, and how a memory is asked to answer it."""
        with_care: dict[object, Ask] = {
            Memory.status: self.status,
            Memory.forget: _forget,
        }
        for verb, call in MEMORY_CALLS.items():
            yield call, with_care.get(verb) or ask_verb(call)
        for mode, call in SEARCH_CALLS.items():
            yield call, partial(self._search, mode)

    def answers_here(self) -> Iterator[tuple[Call[..., Any], Ask]]:
        """Yield what only a hatch answers."""
        yield FRESHEN, ask_verb(FRESHEN)
        yield from self.besides

    def _search(self, mode: str, memory: Memory, request: SearchRequest) -> SearchReply:
        return self.mark(memory.search(replace(request, mode=mode)))


def ask_verb(call: Call[..., Any]) -> Ask:
    """Return what asks whoever it is given for the verb of a call."""
    return lambda asked, **given: getattr(asked, call.verb.__name__)(**given)


def fit_page(
    memory: Memory, query: EventQuery, write: Callable[[EventPage], Written], room: Room[Written]
) -> Written:
    """Write a page that fits an answer; a shorter one has a cursor, so nothing is missed.

    Raises: LimitError for an event that alone does not.
    """
    page = memory.events(query)
    while (size := room.measure(written := write(page))) > room.bytes_max:
        count = len(page.events)
        if count == 1:
            raise LimitError(
                f"{page.events[0].event_id} has {size:,} bytes: more than a message holds"
            )
        # Events differ in size, so aim below the share that would fit exactly.
        fewer = max(1, min(count - 1, count * room.bytes_max // size * 3 // 4))
        page = memory.events(replace(query, limit=fewer))
    return written


def _forget(
    memory: Memory, *, event_id: str = "", session_id: str = "", event_ids: tuple[str, ...] = ()
) -> Forgotten:
    if not (event_id or session_id or event_ids):
        raise InvalidValue("nothing to forget was named", hint="send event_id or session_id")
    return memory.forget(event_id=event_id, session_id=session_id, event_ids=event_ids)


@frozen
class Places:
    """Where to listen: on two sockets, and on TCP when asked, for who knows the token in a file."""

    socket: Path
    hatch: Path
    tcp: Tcp | None
    token_file: Path


class Server(Protocol):
    """Answers calls in one place, where it listens already."""

    address: str

    def start(self) -> None:
        """Accept calls."""
        ...

    def refuse_new_calls(self, grace_ms: int) -> None:
        """Accept nothing new; what is in flight may take `grace_ms` more, or less if told again."""
        ...

    def wait_until_ended(self) -> None:
        """Return when no call runs any more; only then may the memory be closed."""
        ...


@frozen
class Servers:
    """Those that a daemon was handed."""

    socket: Server
    hatch: Server | None = None
    tcp: Server | None = None

    def __iter__(self) -> Iterator[Server]:
        return (server for server in (self.socket, self.hatch, self.tcp) if server is not None)


OpenServers = Callable[[Offer, Places], Servers]
