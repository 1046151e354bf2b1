"""The calls of a memory over gRPC: one table, read by the client and by the server.

A row says which verb of `Memory` a call is. What travels is what the verb takes and
returns: its signature is read once, when the call is first made. A new verb is a method
of the port, an `rpc` with its messages in the proto, and a row here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from inspect import signature
from types import SimpleNamespace
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, get_type_hints

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from agentx.conversation.model import Event, Receipt
from agentx.kernel.capture import Channel, Draft
from agentx.kernel.errors import InvalidValue, LimitError
from agentx.kernel.limits import EVENT_TEXT_CHARS_MAX, TOC_PAGE_MAX
from agentx.memory.found import REMEMBERED, SearchHit, SearchRequest
from agentx.memory.limits import EMBED_SLICES_MAX, RPC_LONG_WAIT_MS, RPC_WAIT_MS
from agentx.memory.port import Memory
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.codec import Codec, Exemption, Pair, read_word
from agentx.memory.wire.metadata import read_metadata, read_new_metadata, write_metadata

Given = ParamSpec("Given")
Reply = TypeVar("Reply")

SERVICE = pb2.DESCRIPTOR.services_by_name["MemoryService"]


def path_of(name: str) -> str:
    """Return how gRPC addresses a call."""
    return f"/{SERVICE.full_name}/{name}"


def _check_draft(message: pb2.Draft) -> None:
    for name in ("harness", "session_id", "event_type", "timestamp_ms", "role"):
        if not getattr(message, name):
            raise InvalidValue(f".{name} is missing", hint="every event must carry it")
    if len(message.text) > EVENT_TEXT_CHARS_MAX:
        raise LimitError(
            f".text has {len(message.text):,} characters: more than an event holds",
            hint=f"cut it to {EVENT_TEXT_CHARS_MAX:,}, or send several events",
        )


def _check_event_sent(message: pb2.IngestEventRequest) -> None:
    if not message.HasField("event"):
        raise InvalidValue("event is missing", hint="send the event to store")


def _check_event_named(message: pb2.GetEventRequest) -> None:
    if not message.event_id:
        raise InvalidValue("event_id is missing", hint="send the id of an event")


def _check_target_named(message: pb2.ForgetEventsRequest) -> None:
    if not (message.event_id or message.session_id):
        raise InvalidValue("nothing to forget was named", hint="send event_id or session_id")


_read_channel = read_word(Channel)

CODEC = Codec(
    Exemption(Draft, "", "another program may send anything", check=_check_draft),
    Exemption(Memory.append, "", "an empty draft was left out", check=_check_event_sent),
    Exemption(
        Memory.append,
        "drafts",
        "a call carries one draft; many go in a stream",
        "event",
        write=lambda drafts: DRAFT.write(*drafts),
        read=lambda message: (DRAFT.read_part(message),),
    ),
    Exemption(Memory.event, "", "an empty id was left out", check=_check_event_named),
    Exemption(Memory.forget, "", "erasing must name one thing", check=_check_target_named),
    Exemption(Draft, "metadata", "JSON", "metadata_json", write_metadata, read_new_metadata),
    Exemption(Event, "metadata", "JSON", "metadata_json", write_metadata, read_metadata),
    Exemption(
        Draft,
        "channel",
        "who does not say how the event came is a program",
        read=lambda word: _read_channel(word or Channel.API),
    ),
    Exemption(Receipt, "stored", "the message says what is stored", "stored_event_ids"),
    Exemption(SearchRequest, "kinds", "none is all", read=lambda kinds: tuple(kinds) or REMEMBERED),
    Exemption(SearchRequest, "limit", "0 is left out", read=lambda limit: limit or 10),
    Exemption(
        SearchHit,
        "marks",
        "protobuf has no list of pairs",
        write=lambda marks: [position for mark in marks for position in mark],
        read=lambda flat: tuple(zip(flat[::2], flat[1::2], strict=False)),
    ),
    Exemption(Memory.rebuild_index, "name", "the message says of what", "index"),
    Exemption(Memory.browse, "limit", "0 is left out", read=lambda limit: limit or TOC_PAGE_MAX),
    Exemption(
        Memory.embed,
        "slices",
        "a call must end; its caller calls again",
        read=lambda slices: max(1, min(slices, EMBED_SLICES_MAX)),
    ),
)

DRAFT: Pair[Draft] = CODEC.pair(Draft, pb2.Draft)
RECEIPT: Pair[Receipt] = CODEC.pair(Receipt, pb2.Receipt)


class Call(Generic[Given, Reply]):
    """One question and its answer."""

    def __init__(
        self,
        name: str,
        verb: Callable[Concatenate[Any, Given], Reply],
        *,
        part: str = "",
        wait_ms: int = RPC_WAIT_MS,
        codec: Codec = CODEC,
    ) -> None:
        """Name an rpc and its verb; `part` holds what it returns, where that is not the answer."""
        self.name = name
        self.verb = verb
        self.wait_ms = wait_ms
        self.codec = codec
        self._part = part

    @property
    def path(self) -> str:
        """How gRPC addresses the call."""
        return path_of(self.name)

    def write_request(self, *arguments: Given.args, **named: Given.kwargs) -> Message:
        """Write what the verb is given."""
        bound = self._signature.bind(None, *arguments, **named)
        bound.apply_defaults()
        message: Message = self._request.write(SimpleNamespace(**bound.arguments))
        return message

    def read_request(self, message: Message) -> dict[str, Any]:
        """Read what the verb is to be given, by its parameters.

        Raises: InvalidValue.
        """
        arguments: dict[str, Any] = self._request.read(message)
        return arguments

    def write_reply(self, reply: Reply) -> Message:
        """Write what the verb returned."""
        value = SimpleNamespace(**{self._part: reply}) if self._part else reply
        message: Message = self._reply.write(value)
        return message

    def read_reply(self, message: Message) -> Reply:
        """Read what the verb returned.

        Raises: InvalidValue.
        """
        value = self._reply.read(message)
        reply: Reply = value[self._part] if self._part else value
        return reply

    @cached_property
    def request_class(self) -> type[Message]:
        """The message of the question."""
        return GetMessageClass(SERVICE.methods_by_name[self.name].input_type)

    @cached_property
    def reply_class(self) -> type[Message]:
        """The message of the answer."""
        return GetMessageClass(SERVICE.methods_by_name[self.name].output_type)

    @cached_property
    def _signature(self) -> Any:
        return signature(self.verb)

    @cached_property
    def _request(self) -> Pair[Any]:
        return self.codec.arguments(self.verb, self.request_class)

    @cached_property
    def _reply(self) -> Pair[Any]:
        returned = get_type_hints(self.verb)["return"]
        if self._part:
            return self.codec.part(self._part, returned, self.reply_class)
        return self.codec.pair(returned, self.reply_class)


MEMORY_CALLS: dict[Callable[..., Any], Call[..., Any]] = {
    call.verb: call
    for call in (
        Call("IngestEvent", Memory.append, part="receipt"),
        Call("GetEvents", Memory.events),
        Call("GetEvent", Memory.event, part="event"),
        Call("ListSessions", Memory.sessions, part="sessions"),
        Call("GetStatus", Memory.status),
        Call("DrainSpool", Memory.drain, wait_ms=RPC_LONG_WAIT_MS),
        Call("ForgetEvents", Memory.forget, wait_ms=RPC_LONG_WAIT_MS),
        Call("SyncViews", Memory.catch_up, wait_ms=RPC_LONG_WAIT_MS),
        Call("RebuildToc", Memory.rebuild_toc, wait_ms=RPC_LONG_WAIT_MS),
        Call("RebuildIndex", Memory.rebuild_index, part="entries", wait_ms=RPC_LONG_WAIT_MS),
        Call("GetTocRoot", Memory.toc_roots, part="nodes"),
        Call("GetNode", Memory.toc_node, part="node"),
        Call("BrowseToc", Memory.browse),
        Call("ExpandGrip", Memory.expand),
        Call("GetRetrievalCapabilities", Memory.capabilities),
        Call("GetIndexStatus", Memory.index_report),
        Call("EmbedNews", Memory.embed, wait_ms=RPC_LONG_WAIT_MS),
    )
}

# One verb, and a call for each of its modes: the name of the call is the mode.
SEARCH_CALLS = {
    "auto": Call("RouteQuery", Memory.search),
    "bm25": Call("TeleportSearch", Memory.search),
    "vector": Call("VectorTeleport", Memory.search),
    "hybrid": Call("HybridSearch", Memory.search),
}
