"""The gRPC service: every call of the tables, answered by what the daemon offers.

An acknowledgement is sent after the memory's `append` returned, and that returns after
the events are on disk.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from agentx.conversation.model import EventQuery
from agentx.daemon.remote import SCHEDULER_CALLS, STOP
from agentx.daemon.scheduler.door import SchedulerDoor
from agentx.daemon.servers import Ask, Offer, Room, ask_verb, fit_page
from agentx.kernel.capture import Draft
from agentx.kernel.errors import AgentXError, InvalidValue, LimitError, UnavailableError
from agentx.kernel.limits import APPEND_BATCH_EVENTS_MAX
from agentx.memory.limits import RPC_MESSAGE_BYTES_MAX
from agentx.memory.port import Memory
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.address import PROJECT_HEADER
from agentx.memory.wire.calls import MEMORY_CALLS, Call
from agentx.memory.wire.errors import refuse
from agentx.memory.wire.messages import DRAFT, RECEIPT, SERVICE, CallMessages, messages_of

_log = logging.getLogger(__name__)

# Room for what a message holds beside its events.
_PAGE_BYTES_MAX = RPC_MESSAGE_BYTES_MAX - 64 * 1024

Sent = TypeVar("Sent", bound=Message)
Find = Callable[[grpc.ServicerContext], Any]


class MemoryService:
    """Answers calls from what a daemon offers."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer
        self._activity = offer.activity

    def handler(self) -> grpc.GenericRpcHandler[Any, Any]:
        """Return what gRPC calls, for every call that the proto names."""
        named: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "IngestEvents": grpc.stream_stream_rpc_method_handler(
                self._ingest,
                response_serializer=pb2.IngestEventsResponse.SerializeToString,
            ),
        }
        for call, find, ask in self._answers():
            messages = messages_of(call)
            # What arrives is read below: what is no message is refused like any wrong value.
            named[call.name] = grpc.unary_unary_rpc_method_handler(
                partial(self._answer, messages, find, ask),
                response_serializer=messages.reply_class.SerializeToString,
            )
        return grpc.method_handlers_generic_handler(SERVICE.full_name, named)

    def _answers(self) -> Iterator[tuple[Call[..., Any], Find, Ask]]:
        """Yield each call, who answers it, and how they are asked."""
        for call, ask in self._offer.answers():
            yield call, self._of, _page if call.verb is Memory.events else ask
        for call in SCHEDULER_CALLS:
            yield call, self._jobs, ask_verb(call)
        yield STOP, lambda _context: self._offer.host, ask_verb(STOP)

    def _answer(
        self,
        messages: CallMessages[..., Any],
        find: Find,
        ask: Ask,
        sent: bytes,
        context: grpc.ServicerContext,
    ) -> Message:
        with self._answering(context):
            message = _parse(messages.request_class, sent)
            reply = ask(find(context), **messages.read_request(message))
            return reply if isinstance(reply, Message) else messages.write_reply(reply)

    def _ingest(
        self, batches: Iterator[bytes], context: grpc.ServicerContext
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

    def _await(self, batches: Iterator[bytes]) -> Iterator[pb2.IngestEventsRequest]:
        """Yield what the caller sends; in between, the call is not at work."""
        while True:
            with self._activity.waiting():
                batch = next(batches, None)
            if batch is None:
                return
            yield _parse(pb2.IngestEventsRequest, batch)

    def _jobs(self, _context: grpc.ServicerContext) -> SchedulerDoor:
        if self._offer.scheduler is None:
            raise UnavailableError("this daemon has no scheduler", hint="start `agentx daemon`")
        return self._offer.scheduler

    def _of(self, context: grpc.ServicerContext) -> Memory:
        named = dict(context.invocation_metadata()).get(PROJECT_HEADER, "")
        return self._offer.memory_of(str(named))

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


def _parse(kind: type[Sent], sent: bytes) -> Sent:
    """Read a message.

    Raises: InvalidValue.
    """
    try:
        return kind.FromString(sent)
    except DecodeError:
        raise InvalidValue(
            f"what was sent is no {kind.DESCRIPTOR.name}", hint="send what the proto says"
        ) from None


def _page(memory: Memory, query: EventQuery) -> Message:
    write = messages_of(MEMORY_CALLS[Memory.events]).write_reply
    return fit_page(memory, query, write, Room(_PAGE_BYTES_MAX, lambda message: message.ByteSize()))


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
