"""The gRPC service: every call of the tables, answered by what the daemon offers.

An acknowledgement is sent after the memory's `append` returned, and that returns after
the events are on disk.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import grpc
from google.protobuf.message import Message

from agentx.conversation.model import EventQuery
from agentx.daemon.remote import SCHEDULER_CALLS, STOP
from agentx.daemon.scheduler.door import SchedulerDoor
from agentx.daemon.servers import Offer
from agentx.kernel.capture import Draft
from agentx.kernel.errors import AgentXError, InvalidValue, LimitError, UnavailableError
from agentx.kernel.ids import project_id
from agentx.kernel.limits import APPEND_BATCH_EVENTS_MAX
from agentx.memory.found import SearchReply, SearchRequest
from agentx.memory.limits import RPC_MESSAGE_BYTES_MAX
from agentx.memory.port import Memory, MemoryStatus
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.address import PROJECT_HEADER
from agentx.memory.wire.calls import DRAFT, MEMORY_CALLS, RECEIPT, SEARCH_CALLS, SERVICE, Call
from agentx.memory.wire.errors import refuse

_log = logging.getLogger(__name__)

# Room for what a message holds beside its events.
_PAGE_BYTES_MAX = RPC_MESSAGE_BYTES_MAX - 64 * 1024

Find = Callable[[grpc.ServicerContext], Any]
Ask = Callable[..., Any]


class MemoryService:
    """Answers calls from what a daemon offers."""

    def __init__(self, offer: Offer) -> None:
        self._memory = offer.memory
        self._host = offer.host
        self._activity = offer.activity
        self._scheduler = offer.scheduler

    def handler(self) -> grpc.GenericRpcHandler[Any, Any]:
        """Return what gRPC calls, for every call that the proto names."""
        named: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "IngestEvents": grpc.stream_stream_rpc_method_handler(
                self._ingest,
                pb2.IngestEventsRequest.FromString,
                pb2.IngestEventsResponse.SerializeToString,
            ),
        }
        for call, find, ask in self._answers():
            named[call.name] = grpc.unary_unary_rpc_method_handler(
                partial(self._answer, call, find, ask),
                call.request_class.FromString,
                call.reply_class.SerializeToString,
            )
        return grpc.method_handlers_generic_handler(SERVICE.full_name, named)

    def _answers(self) -> Iterator[tuple[Call[..., Any], Find, Ask]]:
        """Yield each call, who answers it, and how they are asked."""
        with_care: dict[object, Ask] = {Memory.events: _page, Memory.status: self._status}
        for verb, call in MEMORY_CALLS.items():
            yield call, self._of, with_care.get(verb, _ask_verb(call))
        for mode, call in SEARCH_CALLS.items():
            yield call, self._of, partial(_search, mode)
        for call in SCHEDULER_CALLS:
            yield call, self._jobs, _ask_verb(call)
        yield STOP, lambda _context: self._host, _ask_verb(STOP)

    def _answer(
        self,
        call: Call[..., Any],
        find: Find,
        ask: Ask,
        message: Message,
        context: grpc.ServicerContext,
    ) -> Message:
        with self._answering(context):
            reply = ask(find(context), **call.read_request(message))
            return reply if isinstance(reply, Message) else call.write_reply(reply)

    def _ingest(
        self, batches: Iterator[pb2.IngestEventsRequest], context: grpc.ServicerContext
    ) -> Iterator[pb2.IngestEventsResponse]:
        """Store batches; acknowledge each after it is on disk."""
        with self._answering(context):
            before = -1
            for batch in self._await(batches):
                drafts = _check(batch, before)
                before = batch.sequence
                receipt = self._of(context).append(drafts)
                yield pb2.IngestEventsResponse(
                    sequence=batch.sequence, receipt=RECEIPT.write(receipt)
                )

    def _await(
        self, batches: Iterator[pb2.IngestEventsRequest]
    ) -> Iterator[pb2.IngestEventsRequest]:
        """Yield what the caller sends; in between, the call is not at work."""
        while True:
            with self._activity.waiting():
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def _jobs(self, _context: grpc.ServicerContext) -> SchedulerDoor:
        if self._scheduler is None:
            raise UnavailableError("this daemon has no scheduler", hint="start `agentx daemon`")
        return self._scheduler

    def _of(self, context: grpc.ServicerContext) -> Memory:
        """Return the memory of the project that the caller speaks of; one store may hold several.

        Raises: InvalidValue for a name that cannot be.
        """
        named = dict(context.invocation_metadata()).get(PROJECT_HEADER, "")
        return self._memory.of_project(project_id(str(named))) if named else self._memory

    def _status(self, memory: Memory) -> MemoryStatus:
        return replace(
            memory.status(),
            served_by="daemon",
            daemon_pid=self._host.pid,
            daemon_uptime_ms=max(0, self._host.clock.now_ms() - self._host.started_ms),
        )

    @contextmanager
    def _answering(self, context: grpc.ServicerContext) -> Iterator[None]:
        """Count the call as activity and turn what goes wrong into a status."""
        with self._activity.working():
            try:
                yield
            except AgentXError as error:
                refuse(context, error)
            except grpc.RpcError:
                raise  # the caller has gone
            except Exception as error:  # noqa: BLE001  one of the three places: a surface's outermost frame
                _log.exception("a call failed; nothing that was acknowledged is lost")
                said = UnavailableError(
                    f"the daemon failed: {type(error).__name__}: {error}",
                    hint="see the daemon's log",
                )
                refuse(context, said, status=grpc.StatusCode.INTERNAL)


def _ask_verb(call: Call[..., Any]) -> Ask:
    """Return what asks whoever it is given for the verb of a call."""
    return lambda asked, **given: getattr(asked, call.verb.__name__)(**given)


def _search(mode: str, memory: Memory, request: SearchRequest) -> SearchReply:
    return memory.search(replace(request, mode=mode))


def _page(memory: Memory, query: EventQuery) -> Message:
    """Return a page that fits a message; a shorter one has a cursor, so nothing is missed."""
    write = MEMORY_CALLS[Memory.events].write_reply
    page = memory.events(query)
    while (size := (message := write(page)).ByteSize()) > _PAGE_BYTES_MAX:
        count = len(page.events)
        if count == 1:
            raise LimitError(
                f"{page.events[0].event_id} has {size:,} bytes: more than a message holds"
            )
        # Events differ in size, so aim below the share that would fit exactly.
        fewer = max(1, min(count - 1, count * _PAGE_BYTES_MAX // size * 3 // 4))
        page = memory.events(replace(query, limit=fewer))
    return message


def _check(batch: pb2.IngestEventsRequest, before: int) -> tuple[Draft, ...]:
    """Return the drafts of a batch, or refuse all of it.

    Raises: InvalidValue, LimitError.
    """
    if batch.sequence <= before:
        raise InvalidValue(
            f"batch {batch.sequence} came after batch {before}",
            hint="sequence must grow within a stream",
        )
    if len(batch.events) > APPEND_BATCH_EVENTS_MAX:
        raise LimitError(
            f"batch {batch.sequence} has {len(batch.events):,} events: more than a batch holds",
            hint=f"send at most {APPEND_BATCH_EVENTS_MAX:,} a batch",
        )
    return tuple(
        DRAFT.read(draft, f"batch {batch.sequence} events[{index}].")
        for index, draft in enumerate(batch.events)
    )
